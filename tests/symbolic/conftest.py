"""Marks the planted mistakes of proofs that nothing refuses at present.

Guarded code calls functions through `refusals.call`. The guard of the layout does not see the code
of the user behind such a call, so these variants are asked although they read the layout.
"""

import pytest

OPEN = {
    "test_none_holds_because_ids_are_given_again[enumerate]",
    "test_none_holds_because_ids_are_given_again[str]",
    "test_none_is_proven_for_jobs_of_any_shape[enumerate]",
    "test_none_is_proven_for_jobs_of_any_shape[gate-number]",
    "test_none_is_proven_for_jobs_of_any_shape[set-of-producers]",
    "test_none_is_proven_for_runs_of_any_length[enumerate]",
    "test_none_is_proven_for_runs_of_any_length[exception]",
    "test_none_is_proven_for_runs_of_any_length[field-of-number]",
    "test_none_is_proven_for_runs_of_any_length[first-of-all]",
    "test_none_is_proven_for_runs_of_any_length[format]",
    "test_none_is_proven_for_runs_of_any_length[islice]",
    "test_none_is_proven_for_runs_of_any_length[next]",
    "test_none_is_proven_for_runs_of_any_length[older-none]",
    "test_none_is_proven_for_runs_of_any_length[repr]",
    "test_none_is_proven_for_runs_of_any_length[str]",
    "test_none_is_proven_for_runs_of_any_length[zip]",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """An open mistake is expected to fail."""
    for item in items:
        if item.name in OPEN and item.path.name == "test_planted.py":
            item.add_marker(pytest.mark.xfail(reason="the guard of the layout misses it"))
