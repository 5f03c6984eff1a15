"""What tests share: parts of systems, and what projections of them can do.

Many tests build the system of the same spec, and many logs ask the same projections. Both are kept
for all workers and for the next run, under the digest of all code that they follow from, as users
have it (docs/cache.md). Reports of searches are not kept: each test searches anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from finale.checker.cache.store import Store

FOLDER = Path(__file__).parent.parent / ".pytest_cache" / "finale"


class _PartsAlone(Store):
    """A store that has no room for reports."""

    @property
    def is_open(self) -> bool:
        """Whether reports can be kept."""
        return False


@cache
def parts_of_systems() -> Store:
    """The store from which the specs of the repository are built."""
    FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
    return _PartsAlone(FOLDER)


@pytest.fixture(scope="session", autouse=True)
def steps_are_kept() -> Iterator[None]:
    """Tests of logs share what projections can do."""
    from finale.checker.logs.flink import flink_projections, kept_steps

    parts_of_systems()
    with pytest.MonkeyPatch.context() as patch:
        for module in (flink_projections, kept_steps):
            patch.setattr(module, "users_store", lambda: Store(FOLDER))
        yield


__all__ = ["parts_of_systems", "steps_are_kept"]
