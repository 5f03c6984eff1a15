"""The tree of parts that make up compressed states (`kernel/parts.py`)."""

from __future__ import annotations

# As in `tables.py`.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .kernel import places as at
from .layout import Words
from .loops import KernelLoops

#: Values that a node has room for at first.
ROOM_MIN = 1 << 8
#: A node's table is at most so full.
FULL_UP, FULL_OF = 2, 3
LOW_HALF = (1 << 32) - 1


class Nodes:
    """The different values of each word of a state, and pairs of these, by id."""

    def __init__(self, width: int, loops: KernelLoops) -> None:
        self.width = width
        self.below, self.root = tree_over(width)
        count = len(self.below)
        self._loops = loops
        self._block = np.zeros((count, at.NODE_SIZE), np.int64)
        self._stores: list[Words] = [np.zeros(ROOM_MIN, np.uint64) for _ in range(count)]
        self._tables = [np.zeros(_table_size(ROOM_MIN), np.uint32) for _ in range(count)]
        for number, (left, right) in enumerate(self.below):
            self._block[number, [at.NODE_LEFT, at.NODE_RIGHT]] = left, right
            self._refill(number)

    @property
    def bytes(self) -> int:
        """The bytes allocated."""
        arrays = sum(array.nbytes for array in self._stores) + self._block.nbytes
        return arrays + sum(array.nbytes for array in self._tables)

    @property
    def bytes_to_grow(self) -> int:
        """The further bytes that `grow` takes."""
        return sum(self._stores[n].nbytes + 2 * self._tables[n].nbytes for n in self._full)

    @property
    def _full(self) -> list[int]:
        counts, rooms = self._block[:, at.NODE_COUNT], self._block[:, at.NODE_ROOM]
        return [number for number in range(len(self.below)) if counts[number] == rooms[number]]

    def publish(self, block: NDArray[np.int64]) -> None:
        """Write the addresses of the nodes into the block."""
        block[at.NODES], block[at.NODES_COUNT] = self._block.ctypes.data, len(self.below)
        block[at.KEY_LEFT], block[at.KEY_RIGHT] = self.root

    def grow(self) -> None:
        """Double the room of each node that is full."""
        for number in self._full:
            old = self._stores[number], self._tables[number]
            self._stores[number] = np.concatenate([old[0], np.zeros_like(old[0])])
            self._tables[number] = np.zeros(_table_size(2 * len(old[0])), np.uint32)
            self._refill(number)
            del old  # the loops no longer know of it

    def _refill(self, number: int) -> None:
        store, table, row = self._stores[number], self._tables[number], self._block[number]
        row[at.NODE_STORE], row[at.NODE_ROOM] = store.ctypes.data, len(store)
        row[at.NODE_TABLE], row[at.NODE_BITS] = table.ctypes.data, len(table).bit_length() - 1
        self._loops.refill_node(row.ctypes.data)

    def unpacked(self, keys: Words) -> Words:
        """Return the words of states, one state after another."""
        if self.width == 1:
            return keys
        half, low = np.uint64(32), np.uint64(LOW_HALF)
        ids = [keys] * len(self.below)
        ids[self.root[0]], ids[self.root[1]] = keys >> half, keys & low
        for number in reversed(range(self.width, len(self.below))):
            left, right = self.below[number]
            value = self._stores[number][ids[number]]
            ids[left], ids[right] = value >> half, value & low
        words = [self._stores[number][ids[number]] for number in range(self.width)]
        return np.stack(words, axis=1).reshape(-1)


def tree_over(width: int) -> tuple[Sequence[tuple[int, int]], tuple[int, int]]:
    """Return the two nodes below each node (words have none), and the two nodes of a key.

    Neighbouring words are paired first, since cells that change together are side by side.
    """
    if width == 1:
        return [], (0, 0)
    below = [(0, 0)] * width
    row = list(range(width))
    while len(row) > 2:
        paired: list[int] = []
        for place in range(0, len(row) - 1, 2):
            paired.append(len(below))
            below.append((row[place], row[place + 1]))
        row = paired + row[len(paired) * 2 :]
    return below, (row[0], row[1])


def _table_size(room: int) -> int:
    size = 1
    while size * FULL_UP // FULL_OF < room:
        size *= 2
    return size
