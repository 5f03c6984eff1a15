"""Writes the words of the state after a step: clears bit fields, then sets their new values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from finale.model.expressions import Add, Cell, Constant, Expression, IfThenElse, Subtract
from finale.model.system import System

from .layout import ALL_ONES
from .values import Values, signed

Writes = Mapping[int, Expression]


def after_words(values: Values, writes: Writes, system: System) -> list[str]:
    """Return the words after all cells in `writes` got their new values, at once.

    A queue writes each of its places only if its length says so. Places that are written under the
    same condition are written together, and that condition chooses between words.
    """
    return _written(values, values.words, writes, system)


def _written(values: Values, words: Sequence[str], writes: Writes, system: System) -> list[str]:
    """The words with new values, which are computed from those of the state before."""
    always: dict[int, Expression] = {}
    chosen: dict[Expression, tuple[dict[int, Expression], dict[int, Expression]]] = {}
    for index, value in writes.items():
        match value:
            case IfThenElse(condition=test, yes=yes, no=no) if system.cells[index] in {yes, no}:
                sides = chosen.setdefault(test, ({}, {}))
                sides[0][index], sides[1][index] = yes, no
            case _:
                always[index] = value
    after = _assembled(values, words, always, system)
    for test, sides in chosen.items():
        if_so, if_not = [_written(values, after, side, system) for side in sides]
        truth = values.truth(test)
        after = [
            one if one == other else values.text.value(f"select i1 {truth}, i64 {one}, i64 {other}")
            for one, other in zip(if_so, if_not, strict=True)
        ]
    return after


def _assembled(values: Values, words: Sequence[str], writes: Writes, system: System) -> list[str]:
    """The words with new values that are written in any case."""
    layout = values.layout
    cleared = [0] * layout.width
    constant = [0] * layout.width
    added = [0] * layout.width
    pieces: list[list[str]] = [[] for _ in range(layout.width)]
    #: Moves of cells by one distance between two words, as in a queue that is taken from.
    moves: dict[tuple[int, int, int], int] = {}
    for index, value in writes.items():
        slot = layout.slots[index]
        cell = system.cells[index]
        if not slot.bits or value is cell:
            continue
        match value:
            case Add(left=left, right=Constant(value=more)) if left is cell:
                added[slot.word] += more << slot.shift
                continue
            case Subtract(left=left, right=Constant(value=less)) if left is cell:
                added[slot.word] -= less << slot.shift
                continue
            case Constant():
                constant[slot.word] |= (value.value - slot.low) << slot.shift
            case Cell() if layout.slots[value.index].low == slot.low:
                source = layout.slots[value.index]
                move = (source.word, slot.word, slot.shift - source.shift)
                moves[move] = moves.get(move, 0) | source.mask
            case _:
                pieces[slot.word].append(_placed(values, value, slot.low, slot.shift))
        cleared[slot.word] |= slot.mask
    for (source_word, word, distance), mask in moves.items():
        pieces[word].append(_moved(values, source_word, mask, distance))
    after: list[str] = []
    for word, before in enumerate(words):
        name = _changed(values, "and", before, ALL_ONES ^ cleared[word], ALL_ONES)
        pieces[word].insert(0, _changed(values, "or", name, constant[word], 0))
        name = reduce(lambda one, other: values.text.value(f"or i64 {one}, {other}"), pieces[word])
        after.append(_changed(values, "add", name, added[word] & ALL_ONES, 0))
    return after


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


def _changed(values: Values, operation: str, name: str, constant: int, neutral: int) -> str:
    if constant == neutral:
        return name
    return values.text.value(f"{operation} i64 {name}, {signed(constant)}")
