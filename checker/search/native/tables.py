"""The memory of a native search: the states, the table that finds them, and how both grow."""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
import numpy as np
from numpy.typing import NDArray

from finale.checker.search.limits import LimitHit

from .free_memory import share_of_free_memory
from .kernel import places as at
from .layout import Words
from .loops import KernelLoops
from .nodes import Nodes
from .pages import PageMemory
from .storage import DiskStore, Storage

#: States that there is room for at first.
ROOM_MIN = 1 << 12
#: The table is at most so full: three fifths.
FULL_UP, FULL_OF = 3, 5
#: Above this many states the store grows by an eighth at a time, below it doubles.
ROOM_LARGE = 1 << 18
GROWTH = 8
#: Where nobody knows how much memory there is.
RESERVED = 1 << 34
#: States are numbered in half a word, where zero means none.
STATES_MAX = (1 << 32) - 2

Block = NDArray[np.int64]
"""The words that the loops share: see `kernel/places.py`."""


def new_block(count: int = at.SHARED_COUNT) -> Block:
    """Return so many words, alone in their lines of memory."""
    lines = -(-count // at.WORDS_IN_LINE) + 1
    words = np.zeros(lines * at.WORDS_IN_LINE, np.int64)
    first = -words.ctypes.data // words.itemsize % at.WORDS_IN_LINE
    return words[first : first + count]


class Tables:
    """The states found, and the table that finds them; the block holds the addresses of both.

    `storage` says how states are stored: as `width` words each, as one key, or on disk.
    """

    def __init__(
        self,
        width: int,
        block: Block,
        loops: KernelLoops,
        storage: Storage = Storage.EXACT,
        memory_max: int | None = None,
        disk: DiskStore | None = None,
    ) -> None:
        self.width = width
        self.storage = storage
        self.key_width = 1 if storage is Storage.COMPRESSED else width
        self.memory_max = memory_max if memory_max is not None else share_of_free_memory()
        self.peak = 0
        self._block = block
        self._loops = loops
        self._disk = disk
        self._others = 0
        self.nodes = Nodes(width, loops) if storage is Storage.COMPRESSED else None
        self.levels: NDArray[np.int64] = np.zeros(64, np.int64)
        self.origins: NDArray[np.uint32] = np.zeros(0, np.uint32)
        self.store: Words = np.empty(0, np.uint64)
        self._pages = PageMemory(self.memory_max or RESERVED)
        self.table = self._empty_table(2 * ROOM_MIN)
        self._claim(0)
        self._resize_store(ROOM_MIN)
        block[at.STORAGE], block[at.WIDTH], block[at.KEY_WIDTH] = storage, width, self.key_width
        self.publish()

    @property
    def bytes(self) -> int:
        """The bytes allocated in memory, without the disk."""
        store = 0 if self._disk is not None else self.store.nbytes
        nodes = self.nodes.bytes if self.nodes is not None else 0
        lists = self.levels.nbytes + self.origins.nbytes
        return store + self.table.nbytes + lists + nodes + self._others

    @property
    def _entries(self) -> int:
        return len(self.table)

    def publish(self) -> None:
        """Write the addresses of all arrays into the block."""
        block, size = self._block, self._entries
        block[at.STORE] = self.store.ctypes.data
        block[at.STORE_ROOM] = self.store.size // self.key_width
        block[at.TABLE], block[at.TABLE_BITS] = self.table.ctypes.data, size.bit_length() - 1
        block[at.TABLE_ROOM] = size * FULL_UP // FULL_OF
        block[at.LEVELS], block[at.LEVELS_ROOM] = self.levels.ctypes.data, self.levels.size
        block[at.ORIGINS] = self.origins.ctypes.data
        if self.nodes is not None:
            self.nodes.publish(block)

    # --- growing ---------------------------------------------------------------------------------

    def grow(self, states: int) -> None:
        """Make room for a number of states. Raises LimitHit."""
        try:
            self._grow_store(states)
            self._grow_table(states)
        finally:  # the loops must not be left with what is no more
            self.publish()

    def _grow_store(self, states: int) -> None:
        room = self.store.size // self.key_width
        if room >= states:
            return
        while room < states:
            room += room if room < ROOM_LARGE else room // GROWTH
        if self._disk is None:
            self._claim(room * self.key_width * 8 - self.store.nbytes)
        self._resize_store(room)

    def _resize_store(self, room: int) -> None:
        if self._disk is not None:
            self.store = self._disk.resized(room * self.key_width)
        else:
            self.store = self._pages.array(np.uint64, room * self.key_width)
        more = -(-room // at.ORIGIN_STATES) - self.origins.size
        self.origins = np.concatenate([self.origins, np.zeros(more, np.uint32)])

    def _grow_table(self, states: int) -> None:
        size = self._entries
        while size * FULL_UP // FULL_OF < states:
            size *= 2
        if size == self._entries:
            return
        old, old_bits = self.table, self._entries.bit_length() - 1
        self._claim(size * old.itemsize)
        self.table = self._empty_table(size)
        self.publish()
        self._loops.move_entries(self._block.ctypes.data, old.ctypes.data, old_bits)

    def _empty_table(self, size: int) -> NDArray[np.uint64] | NDArray[np.uint32]:
        if self.storage is Storage.HASHED:
            return PageMemory(size * 8).array(np.uint64, size)
        return PageMemory(size * 4).array(np.uint32, size)

    def grow_levels(self) -> None:
        """Make room for more levels. Raises LimitHit."""
        self._claim(self.levels.nbytes)
        self.levels = np.concatenate([self.levels, np.zeros_like(self.levels)])
        self.publish()

    def grow_nodes(self) -> None:
        """Make room for more parts of compressed states. Raises LimitHit."""
        assert self.nodes is not None
        self._claim(self.nodes.bytes_to_grow)
        self.nodes.grow()
        self.publish()

    def claim(self, count: int) -> None:
        """Count bytes that another part of the search takes. Raises LimitHit."""
        self._claim(count)
        self._others += count

    def _claim(self, more: int) -> None:
        total = self.bytes + more
        if self.memory_max is not None and total > self.memory_max:
            raise LimitHit(f"the limit of {self.memory_max / 2**20:,.0f} MB of memory")
        self.peak = max(self.peak, total)

    # --- states ----------------------------------------------------------------------------------

    def append(self, words: Words) -> None:
        """Store states that are not stored yet. Raises LimitHit."""
        first, count = int(self._block[at.STATES]), len(words) // self.width
        self.grow(first + count)
        keys = self._keys(words, count) if self.nodes is not None else words
        self.store[first * self.key_width : (first + count) * self.key_width] = keys
        self._loops.refill(self._block.ctypes.data, first, first + count)
        self._block[at.STATES] = first + count

    def _keys(self, words: Words, count: int) -> Words:
        keys, ids, done = words.copy(), np.empty(2 * self.width, np.int64), 0
        addresses = self._block.ctypes.data, keys.ctypes.data, ids.ctypes.data
        while (done := self._loops.compress_states(*addresses, done, count)) < count:
            self.grow_nodes()
        return keys[:count]

    def unpacked(self, begin: int, end: int) -> Words:
        """Return the words of the states begin..end, one state after another."""
        stored = self.store[begin * self.key_width : end * self.key_width]
        return self.nodes.unpacked(stored) if self.nodes is not None else stored

    def words(self, number: int) -> list[int]:
        """Return the words of a state."""
        return [int(word) for word in self.unpacked(number, number + 1)]

    def parents_of(self, number: int) -> tuple[int, int]:
        """Return the first and the last state, plus one, that a state can have been found from.

        The state is in no first level. States are found in the order of the states that they are
        found from. A zero says that a state was found by a search that this one goes on from.
        """
        level = self.level_of(number)
        begin, end = (int(self.levels[level - 1 + side]) for side in (0, 1))
        place = number // at.ORIGIN_STATES
        begin = max(begin, int(self.origins[place]))
        later = int(self.origins[place + 1]) if place + 1 < self.origins.size else 0
        return begin, min(end, later + at.BATCH) if later else end

    def level_of(self, number: int) -> int:
        """Return the distance of a state from the initial states."""
        filled = np.flatnonzero(self.levels)
        last = int(filled[-1]) if filled.size else 0
        return int(np.searchsorted(self.levels[: last + 1], number, side="right")) - 1
