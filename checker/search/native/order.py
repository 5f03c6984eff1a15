"""Partial order for the inner loops: sets as bits."""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from finale.checker.search.reductions.independence import Bits
from finale.checker.search.reductions.partial_order import PartialOrder

from .kernel import places as at
from .layout import WORD
from .lower import words_for


class StubbornSetBlock:
    """The block for partial order, and the arrays that it points to."""

    def __init__(self, order: PartialOrder, guards: int) -> None:
        self.leaf_words = words_for(order.leaves)
        self.atom_words = words_for(len(order.atoms))
        #: Observers begin with a word of their own.
        self.words = self.leaf_words + words_for(len(order.observers))
        self.transitions = self.words * WORD
        leaves, gap = order.leaves, self.leaf_words * WORD - order.leaves
        guard_of = [*order.guards[:leaves], *[()] * gap, *order.guards[leaves:]]
        guard_of += [()] * (self.transitions - len(guard_of))
        moved = [_moved(bits, leaves, gap) for bits in order.dependent]
        self._arrays = {
            at.ORDER_UPDATES: _sets([order.updates], self.leaf_words),
            at.ORDER_ONWARD: _sets([order.onward], self.leaf_words),
            at.ORDER_GUARD_STARTS: np.array([0, *accumulate(map(len, guard_of))], np.int64),
            at.ORDER_LITERALS: np.array([each for guard in guard_of for each in guard], np.int64),
            at.ORDER_DEPENDENT: _sets(moved, self.words),
            at.ORDER_ENABLING: _sets(order.enabling, self.leaf_words),
            at.ORDER_ABSORBING: _sets(order.absorbing, self.leaf_words),
        }
        self.block = np.zeros(at.ORDER_COUNT, np.int64)
        self.block[at.ORDER_GUARDS] = guards
        self.block[at.ORDER_ATOM_WORDS] = self.atom_words
        self.block[at.ORDER_LEAF_WORDS], self.block[at.ORDER_WORDS] = self.leaf_words, self.words
        for place, array in self._arrays.items():
            self.block[place] = array.ctypes.data

    @property
    def address(self) -> int:
        """The address of the block."""
        return self.block.ctypes.data

    @property
    def sizes(self) -> dict[int, int]:
        """The number of words of each array of a thread, by position."""
        return {
            at.ORDER_TRUTHS: at.BATCH * self.atom_words,
            at.ORDER_CHOSEN: at.BATCH * self.leaf_words,
            at.ORDER_ENABLED: self.leaf_words,
            at.ORDER_INSIDE: self.words,
            at.ORDER_SAVED: self.words,
            at.ORDER_PENDING: self.transitions,
            at.ORDER_FREE: self.leaf_words,
        }


def _moved(bits: Bits, leaves: int, gap: int) -> Bits:
    """The same set where observers are numbered after a gap."""
    return bits & ((1 << leaves) - 1) | bits >> leaves << (leaves + gap)


def _sets(sets: Sequence[Bits], words: int) -> NDArray[np.int64]:
    """Sets one after the other, so many words each."""
    whole = b"".join(bits.to_bytes(words * WORD // 8, "little") for bits in sets)
    return np.frombuffer(whole, "<i8").astype(np.int64)
