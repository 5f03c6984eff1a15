"""Writes the words of the state after a step: clears bit fields, then sets their new values."""

from __future__ import annotations

from collections.abc import Mapping

from model.expressions import Cell, Constant, Expression
from model.system import System

from .layout import ALL_ONES
from .values import Values, signed


def after_words(values: Values, writes: Mapping[int, Expression], system: System) -> list[str]:
    """Return the words after all cells in `writes` got their new values, at once."""
    layout = values.layout
    cleared = [0] * layout.width
    constant = [0] * layout.width
    pieces: list[list[str]] = [[] for _ in range(layout.width)]
    #: Moves of cells by one distance between two words, as in a queue that is taken from.
    moves: dict[tuple[int, int, int], int] = {}
    for index, value in writes.items():
        slot = layout.slots[index]
        if not slot.bits or value is system.cells[index]:
            continue
        cleared[slot.word] |= slot.mask
        if isinstance(value, Constant):
            constant[slot.word] |= (value.value - slot.low) << slot.shift
        elif isinstance(value, Cell) and layout.slots[value.index].low == slot.low:
            source = layout.slots[value.index]
            move = (source.word, slot.word, slot.shift - source.shift)
            moves[move] = moves.get(move, 0) | source.mask
        else:
            pieces[slot.word].append(_placed(values, value, slot.low, slot.shift))
    for (source_word, word, distance), mask in moves.items():
        pieces[word].append(_moved(values, source_word, mask, distance))
    return [
        _assembled(values, word, cleared[word], constant[word], pieces[word])
        for word in range(layout.width)
    ]


def _placed(values: Values, value: Expression, low: int, shift: int) -> str:
    name = values.number(value)
    if low:
        name = values.text.value(f"sub i64 {name}, {low}")
    return values.text.value(f"shl i64 {name}, {shift}") if shift else name


def _moved(values: Values, word: int, mask: int, distance: int) -> str:
    name = values.text.value(f"and i64 {values.words[word]}, {signed(mask)}")
    if distance > 0:
        return values.text.value(f"shl i64 {name}, {distance}")
    return values.text.value(f"lshr i64 {name}, {-distance}") if distance else name


def _assembled(values: Values, word: int, cleared: int, constant: int, pieces: list[str]) -> str:
    name = values.words[word]
    if cleared:
        name = values.text.value(f"and i64 {name}, {signed(ALL_ONES ^ cleared)}")
    if constant:
        name = values.text.value(f"or i64 {name}, {signed(constant)}")
    for piece in pieces:
        name = values.text.value(f"or i64 {name}, {piece}")
    return name


__all__ = ["after_words"]
