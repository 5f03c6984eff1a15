"""Lays the cells of a sweep out in rows and columns, for a terminal and for a picture.

The axes with the shortest words become columns, as many as there is room for; a word stands above
all the columns that it is of.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from math import prod

from finale.checker.search.verdict import Word
from finale.checker.spec.grid import Axis

from .work import NOT_REACHED, CellResult, CellVerdict

CellSetting = tuple[tuple[str, str], ...]
"""Axes and their words."""


class Mark(enum.Enum):
    """The mark of a cell: a sign and its meaning."""

    HOLDS = ("✓", "holds")
    VIOLATED = ("✗", "violated")
    VACUOUS = ("~", "vacuous")
    UNREACHED = ("○", "never reached")
    UNKNOWN = ("?", "unknown")
    NOT_ASKED = ("/", "not asked")
    NOT_ITS_OWN = ("-", "does not apply")
    ERROR = ("!", "could not be searched")
    MISSING = ("", "not searched yet")
    EXCLUDED = (" ", "excluded")

    @property
    def sign(self) -> str:
        """One character, the same on every terminal."""
        return self.value[0] or "."

    @property
    def words(self) -> str:
        """The meaning of the mark."""
        return self.value[1]


#: What is told of a cell with several properties: the first of these.
_WORST = (
    Mark.ERROR,
    Mark.VIOLATED,
    Mark.UNKNOWN,
    Mark.MISSING,
    Mark.HOLDS,
    Mark.VACUOUS,
    Mark.UNREACHED,
    Mark.NOT_ASKED,
    Mark.NOT_ITS_OWN,
)
_MARKS = {
    Word.HOLDS: Mark.HOLDS,
    Word.VIOLATED: Mark.VIOLATED,
    NOT_REACHED: Mark.UNREACHED,
    Word.VACUOUS: Mark.VACUOUS,
    Word.UNKNOWN: Mark.UNKNOWN,
    Word.NOT_ASKED: Mark.NOT_ASKED,
    Word.DOES_NOT_APPLY: Mark.NOT_ITS_OWN,
}


@dataclass(frozen=True)
class WordSpan:
    """A word of an axis, from a column on, over so many."""

    word: str
    start: int
    count: int


@dataclass(frozen=True)
class Grid:
    """The cells by rows and columns: what is in each, or None where the matrix excludes it."""

    rows: tuple[Axis, ...]
    columns: tuple[Axis, ...]
    cells: tuple[tuple[CellSetting | None, ...], ...]

    @property
    def row_words(self) -> tuple[tuple[str, ...], ...]:
        """The words of each row, those left out that stand above it already."""
        combined = list(product(*(axis.words for axis in self.rows)))
        told: list[tuple[str, ...]] = []
        for before, words in zip([None, *combined], combined, strict=False):
            same = 0
            while before and same < len(words) - 1 and before[: same + 1] == words[: same + 1]:
                same += 1
            told.append((*[""] * same, *words[same:]))
        return tuple(told)

    def spans(self, axis: int) -> Iterator[WordSpan]:
        """The words over the columns, of one of the axes there."""
        combined = product(*(each.words for each in self.columns))
        start = 0
        for words, group in groupby(combined, lambda words: words[: axis + 1]):
            count = len(list(group))
            yield WordSpan(words[-1], start, count)
            start += count


def mark_of(row: CellVerdict) -> Mark:
    """Return the mark of a verdict."""
    return _MARKS[row.verdict]


def marks_of(results: Sequence[CellResult], name: str = "") -> Mapping[CellSetting, Mark]:
    """The mark of each cell for a property; without a name, for the worst of all."""
    found: dict[CellSetting, Mark] = {}
    for done in results:
        marks = [mark_of(row) for row in done.rows if name in ("", row.property)]
        marks = [Mark.ERROR] if done.error else marks or [Mark.NOT_ITS_OWN]
        found[done.setting] = min(marks, key=_WORST.index)
    return found


def that_matter(axes: Sequence[Axis], marks: Mapping[CellSetting, Mark]) -> tuple[Axis, ...]:
    """The axes along which some mark changes: without the others the marks are still told apart."""
    left = list(axes)
    for axis in axes:
        fewer = [each for each in left if each is not axis]
        if fewer and restricted(marks, fewer) is not None:
            left = fewer
    return tuple(left)


def restricted(
    marks: Mapping[CellSetting, Mark], axes: Sequence[Axis]
) -> dict[CellSetting, Mark] | None:
    """The marks by some axes alone; None where those do not determine them."""
    keys = {axis.key for axis in axes}
    found: dict[CellSetting, Mark] = {}
    for setting, mark in marks.items():
        part = tuple(pair for pair in setting if pair[0] in keys)
        if found.setdefault(part, mark) is not mark:
            return None
    return found


def laid_out(
    axes: Sequence[Axis], settings: Iterable[CellSetting], width: int, columns: Sequence[str] = ()
) -> Grid:
    """Cells by their settings along some axes, on a page so wide; these columns, where given."""
    named = {axis.key: axis for axis in axes}
    across = [named[key] for key in columns if key in named] or _columns(axes, width)
    down = [axis for axis in axes if axis not in across]
    there = {frozenset(setting): setting for setting in settings}
    order = [axis.key for axis in (*down, *across)]
    cells = [
        [
            there.get(frozenset(zip(order, (*left, *above), strict=True)))
            for above in product(*(axis.words for axis in across))
        ]
        for left in product(*(axis.words for axis in down))
    ]
    return Grid(tuple(down), tuple(across), tuple(map(tuple, cells)))


def wide(columns: Sequence[Axis]) -> int:
    """Return the width of a column, with room for each word above its columns."""
    count, most = 1, 2
    for axis in reversed(columns):
        need = max(map(len, axis.words)) + 1
        most = max(most, -(-need // count))
        count *= len(axis.values)
    return most


def _columns(axes: Sequence[Axis], width: int) -> list[Axis]:
    """The axes with the shortest words, the shortest innermost, as many as fit.

    Of several axes one at least is for columns, and one for rows. An only one that does not fit is
    for rows.
    """
    short = sorted(axes, key=lambda axis: max(map(len, axis.words)))
    chosen: list[Axis] = []
    for axis in short[: max(1, len(short) - 1)]:
        more = [axis, *chosen]
        before = sum(_label(each) for each in axes if each not in more)
        above = max(len(each.key) + 2 for each in more)
        across = prod(len(each.values) for each in more) * wide(more)
        if max(before, above) + across > width and (chosen or len(axes) == 1):
            break
        chosen = more
    return chosen


def _label(axis: Axis) -> int:
    """Return the width of the labels of an axis in front of the rows."""
    return max(len(axis.key), *map(len, axis.words)) + 2


def smallest_failing(
    results: Sequence[CellResult], name: str
) -> tuple[CellResult, CellVerdict] | None:
    """The cell with the fewest states in which a property is violated; of these the least steps."""
    failing = [
        (done, row)
        for done in results
        for row in done.rows
        if row.property == name and mark_of(row) is Mark.VIOLATED
    ]

    def size(each: tuple[CellResult, CellVerdict]) -> tuple[int, int, float]:
        return each[1].states, each[1].steps or 0, each[0].seconds

    return min(failing, key=size) if failing else None


def names_of(results: Sequence[CellResult]) -> tuple[str, ...]:
    """All properties that some cell has an answer for, in the order in which they come."""
    return tuple(dict.fromkeys(row.property for done in results for row in done.rows))
