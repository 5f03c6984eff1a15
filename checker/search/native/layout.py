"""Packs states into machine words, and unpacks them: where each cell is stored.

A cell takes as many bits as its range needs. It is stored minus its lowest value, and never spans
two words. The cells of an entity stay together, and words hold about equally many bits. Unused bits
are always zero, so equal states are equal words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from finale.model.errors import FinaleError
from finale.model.system import State, System

from .kernel.places import RULES_MAX

Words = NDArray[np.uint64]
"""Packed states, one after the other: `count` times `width` words."""

WORD = 64
#: Arithmetic is done in signed words: what a cell holds must leave room for sums.
CELL_BITS_MAX = 48
ALL_ONES = (1 << WORD) - 1


@dataclass(frozen=True)
class Slot:
    """The bits of one cell. A cell with only one value has no bits, and is in no word."""

    word: int
    shift: int
    bits: int
    low: int
    high: int

    @property
    def ones(self) -> int:
        """The highest number that the bits can hold."""
        return (1 << self.bits) - 1

    @property
    def mask(self) -> int:
        """The bits of the slot, in their place."""
        return self.ones << self.shift


@dataclass(frozen=True)
class StateLayout:
    """A slot for each cell, and the number of words of a state."""

    slots: tuple[Slot, ...]
    width: int

    def encode(self, state: State) -> list[int]:
        """Return the words of a state."""
        words = [0] * self.width
        for value, slot in zip(state, self.slots, strict=True):
            assert slot.low <= value <= slot.high, "a cell is outside its bounds"
            words[slot.word] |= (value - slot.low) << slot.shift
        return words

    def decode(self, words: Sequence[int]) -> State:
        """Return the state that words stand for."""
        return tuple((words[slot.word] >> slot.shift & slot.ones) + slot.low for slot in self.slots)

    @cached_property
    def used(self) -> tuple[int, ...]:
        """The bits of each word that some cell uses."""
        masks = [0] * self.width
        for slot in self.slots:
            masks[slot.word] |= slot.mask
        return tuple(masks)

    def is_canonical(self, words: Words) -> bool:
        """Return whether all of these are states: cells within bounds, other bits zero."""
        table = words.reshape(-1, self.width)
        for word, used in enumerate(self.used):
            if np.any(table[:, word] & np.uint64(ALL_ONES ^ used)):
                return False
        for slot in self.slots:
            values = table[:, slot.word] >> np.uint64(slot.shift) & np.uint64(slot.ones)
            if slot.high - slot.low < slot.ones and np.any(values > slot.high - slot.low):
                return False
        return True


def layout_of(system: System) -> StateLayout:
    """Return the layout of a system's states. Raises `domain-too-large`."""
    order = list(_by_entity(system))
    cells = [system.cells[index] for index in order]
    widths = [(cell.high - cell.low).bit_length() for cell in cells]
    for index, bits in zip(order, widths, strict=True):
        cell = system.cells[index]
        if bits > CELL_BITS_MAX or max(abs(cell.low), abs(cell.high)) >> CELL_BITS_MAX:
            raise FinaleError(
                "domain-too-large",
                f'"{system.variable_of_cell[index].name}" takes values from {cell.low} to '
                f"{cell.high}, which the native search has no room for",
                advice=f"take numbers below 2^{CELL_BITS_MAX}, or --backend readable",
            )
    places, width = _places(widths)
    slots: list[Slot] = [Slot(0, 0, 0, 0, 0)] * len(order)
    for index, cell, bits, (word, shift) in zip(order, cells, widths, places, strict=True):
        slots[index] = Slot(word, shift, bits, cell.low, cell.high)
    return StateLayout(tuple(slots), width)


def check_rules(system: System) -> None:
    """Raises `too-many-rules` if there are more ground rules than 16 bits can number."""
    if len(system.rules) >= RULES_MAX:
        raise FinaleError(
            "too-many-rules",
            f"there are {len(system.rules)} ground rules, and the native search has no room for "
            f"more than {RULES_MAX - 1}",
            advice="take a smaller job or fewer choices, or --backend readable",
        )


def _by_entity(system: System) -> Iterator[int]:
    """All cells, those of one entity together."""
    blocks: dict[int, list[int]] = {}
    for variable in system.variables:
        blocks.setdefault(id(variable.entity), []).extend(variable.indices)
    for block in blocks.values():
        yield from block


def _places(widths: Sequence[int]) -> tuple[list[tuple[int, int]], int]:
    """The word and shift of each cell in turn: in few words, about equally full."""
    total = sum(widths)
    count = max(1, -(-total // WORD))
    while True:
        for target in range(-(-total // count), WORD + 1):
            places, used = _filled(widths, target)
            if used <= count:
                return places, count
        count += 1  # gaps at the ends of words took too much


def _filled(widths: Sequence[int], target: int) -> tuple[list[tuple[int, int]], int]:
    """Cells placed in turn; a word is full at `target` bits."""
    places: list[tuple[int, int]] = []
    word, shift = 0, 0
    for bits in widths:
        if bits and shift and shift + bits > target:
            word, shift = word + 1, 0
        places.append((word, shift) if bits else (0, 0))
        shift += bits
    return places, word + 1
