"""The memory of a search: the states, the table that finds them, and how both grow."""

from __future__ import annotations

# What numba, llvmlite and scipy give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from checker.explicit.search import LimitHit

from .kernel import rehash
from .layout import Words

#: States that there is room for at first.
ROOM_MIN = 1 << 12
#: The table is at most so full: four fifths.
FULL_UP, FULL_OF = 4, 5
#: Above this many states the store grows by a quarter at a time, below it doubles.
ROOM_LARGE = 1 << 20
#: Of the memory that is free when a search begins, it takes at most this part unless told.
SHARE_PERCENT = 80
#: States are numbered in half a word, where zero means none.
STATES_MAX = (1 << 32) - 2


class Tables:
    """The states found, `width` words each, and the table of their numbers by hash."""

    def __init__(self, width: int, memory_max: int | None) -> None:
        self.width = width
        self.memory_max = memory_max if memory_max is not None else _share_of_free_memory()
        self.peak = 0
        self.store: Words = np.empty(ROOM_MIN * width, np.uint64)
        self.table: Words = np.zeros(2 * ROOM_MIN, np.uint64)
        self.levels: NDArray[np.int64] = np.zeros(64, np.int64)
        self._claim(0)

    @property
    def bytes(self) -> int:
        """All that is allocated."""
        return self.store.nbytes + self.table.nbytes + self.levels.nbytes

    def grow_store(self, states: int) -> None:
        """Make room for so many states. Raises LimitHit."""
        room = self.store.size // self.width
        while room < states:
            room += room if room < ROOM_LARGE else room // 4
        self._claim(room * self.width * 8 - self.store.nbytes)
        self.store.resize(room * self.width, refcheck=False)  # in place, where the system can

    def grow_table(self, states: int, known: int) -> None:
        """Make the table large enough for so many states; `known` are in it. Raises LimitHit."""
        size = self.table.size
        while size // FULL_OF * FULL_UP < states:
            size *= 2
        self._claim(size * 8)
        table = np.zeros(size, np.uint64)
        rehash(self.width, known, self.store, table)
        self.table = table

    def grow_levels(self) -> None:
        """Make room for more levels."""
        self._claim(self.levels.nbytes)
        self.levels = np.concatenate([self.levels, np.zeros_like(self.levels)])

    def claim(self, count: int) -> None:
        """Something else of the search takes so many bytes. Raises LimitHit."""
        self._claim(count)

    def _claim(self, more: int) -> None:
        total = self.bytes + more
        if self.memory_max is not None and total > self.memory_max:
            raise LimitHit(f"the limit of {self.memory_max / 2**20:,.0f} MB of memory")
        self.peak = max(self.peak, total)

    def words(self, number: int) -> list[int]:
        """The words of a state."""
        begin = number * self.width
        return [int(word) for word in self.store[begin : begin + self.width]]

    def level_of(self, number: int) -> int:
        """How far a state is from the initial ones."""
        filled = np.flatnonzero(self.levels)
        last = int(filled[-1]) if filled.size else 0
        return int(np.searchsorted(self.levels[: last + 1], number, side="right")) - 1


def _share_of_free_memory() -> int | None:
    """Part of what is free; where the system does not tell, there is no limit."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = next(line for line in lines if line.startswith("MemAvailable:"))
        return int(free.split()[1]) * 1024 * SHARE_PERCENT // 100
    except (OSError, StopIteration, ValueError, IndexError):
        return None


__all__ = ["STATES_MAX", "Tables"]
