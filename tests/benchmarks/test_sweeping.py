"""The benchmark of sweeps: it measures what it says, and fails where the claim does not hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.sweeping import EXAMPLE, Measured, measured
from tests.pipeline.sweep.matrices import CELLS, written


def test_a_small_one(tmp_path: Path) -> None:
    found = measured(written(tmp_path))
    assert (found.cells, found.same) == (CELLS, True)
    assert found.again > 0
    assert found.work < found.seconds * 2


@pytest.mark.parametrize(
    "missed",
    [
        Measured(1, 100.0, 66.0, 1.0, True),
        Measured(1, 100.0, 50.0, 11.0, True),
        Measured(1, 100.0, 50.0, 1.0, False),
    ],
    ids=["uneven", "again", "another"],
)
def test_what_is_missed_fails(missed: Measured) -> None:
    assert not missed.ok
    assert Measured(1, 100.0, 64.0, 9.0, True).ok


@pytest.mark.slow
def test_the_example_is_shared_out_evenly() -> None:
    found = measured(EXAMPLE)
    assert found.cells >= 1_000
    assert found.ok, str(found)
