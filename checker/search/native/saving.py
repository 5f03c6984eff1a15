"""Decides when a native search is saved, and collects what `resume.py` writes."""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false
import hashlib
from collections.abc import Iterator, Mapping
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from finale.checker.search.limits import LimitHit

from .kernel import places as at
from .layout import Words
from .machine import NativeMachine
from .resume import CHUNK, ResumeFolder, SavedSearch
from .tables import Block, Tables

#: Saving may take so small a part of the time, and is done at least this often, at most that.
SHARE_OF_TIME = 20
SECONDS_MIN, SECONDS_MAX = 1.0, 30.0

COUNTS = {
    "states": at.STATES,
    "expanded": at.EXPANDED,
    "level_end": at.LEVEL_END,
    "depth": at.DEPTH,
    "transitions": at.TRANSITIONS,
    "deadlock": at.DEADLOCK,
    "fault_state": at.FAULT_STATE,
    "fault_leaf": at.FAULT_LEAF,
}


class Saving:
    """Saves the block, the states and the findings of a search from time to time."""

    def __init__(
        self,
        folder: ResumeFolder,
        block: Block,
        tables: Tables,
        arrays: Mapping[str, NDArray[np.int64] | NDArray[np.uint8]],
    ) -> None:
        self.folder = folder
        self.block, self.tables, self.arrays = block, tables, arrays
        self._next = perf_counter() + SECONDS_MIN

    def restore(self) -> float | None:
        """Restore the saved search, if any, and return how long it had taken."""
        seen = self.folder.seen()
        if seen is None:
            return None
        block, tables = self.block, self.tables
        levels = np.array(seen.levels, np.int64)
        try:
            for words in self.folder.states(seen):
                tables.append(words)
            while tables.levels.size < levels.size:
                tables.grow_levels()
        except LimitHit as limit:
            block[at.STATES] = 0
            raise LimitHit(f"{limit}, which what was saved does not fit into") from limit
        except KeyboardInterrupt:
            block[at.STATES] = 0  # without the rest, these states say nothing
            raise
        for name, place in COUNTS.items():
            block[place] = seen.counts[name]
        tables.levels[: levels.size] = levels
        for name, array in self.arrays.items():
            array[:] = seen.arrays[name]
        return seen.seconds

    def save_in_time(self, seconds: float) -> None:
        """Save if it is time to. Raises `disk-full`."""
        began = perf_counter()
        if began < self._next:
            return
        self.save(seconds)
        took = perf_counter() - began
        self._next = began + took + min(SECONDS_MAX, max(SECONDS_MIN, SHARE_OF_TIME * took))

    def save(self, seconds: float) -> None:
        """Save now. Raises `disk-full`."""
        block, tables = self.block, self.tables
        seen = SavedSearch(
            self.folder.system,
            tables.width,
            int(block[at.STATES]),
            seconds,
            {name: int(block[place]) for name, place in COUNTS.items()},
            tables.levels[: int(block[at.DEPTH]) + 2].tolist(),
            {name: array.tolist() for name, array in self.arrays.items()},
        )
        self.folder.save(seen, list(self._new(seen.states)))

    def _new(self, states: int) -> Iterator[Words]:
        for begin in range(self.folder.saved, states, CHUNK):
            yield self.tables.unpacked(begin, min(begin + CHUNK, states))


def identity(machine: NativeMachine, is_hashed: bool) -> str:
    """Return a hash that is the same only for searches that find the same states in order.

    Hashed storage may miss states, so a search with other storage cannot continue it.
    """
    parts = [*machine.sources, repr(machine.layout), repr(machine.initial), repr(is_hashed)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
