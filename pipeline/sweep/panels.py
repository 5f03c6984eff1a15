"""Makes the panels of a picture of a sweep: grids of cells with colours, signs and texts.

One for all properties together, one for each that is violated or unknown somewhere, both without
the axes that change nothing; one for states and one for seconds, of all axes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from finale.checker.spec.grid import text_of

from .grid import (
    CellSetting,
    Grid,
    Mark,
    laid_out,
    marks_of,
    names_of,
    restricted,
    smallest_failing,
    that_matter,
)
from .run import Swept
from .work import CellResult

#: As wide the page is taken to be, in characters, for a panel of verdicts, and for one of numbers.
PAGE_OF_VERDICTS, PAGE_OF_NUMBERS = 130, 260
COLOURS = {
    Mark.HOLDS: "#8fc7a1",
    Mark.VIOLATED: "#d4553e",
    Mark.VACUOUS: "#e6dca3",
    Mark.UNREACHED: "#cdd6e0",
    Mark.UNKNOWN: "#b7a6cc",
    Mark.NOT_ASKED: "#dddddd",
    Mark.NOT_ITS_OWN: "#eeeeee",
    Mark.ERROR: "#333333",
    Mark.MISSING: "#ffffff",
}
#: What has a colour of its own needs no sign where it is the rule.
_PLAIN = (Mark.HOLDS, Mark.NOT_ASKED, Mark.NOT_ITS_OWN)


@dataclass(frozen=True)
class DrawnCell:
    """The colour of a cell, a sign in it, and what it tells."""

    colour: str
    sign: str
    told: str


@dataclass(frozen=True)
class Panel:
    """A title, lines below it, and cells laid out."""

    title: str
    lines: tuple[str, ...]
    grid: Grid
    cells: Mapping[CellSetting, DrawnCell]


def panels_of(swept: Swept, columns: Sequence[str] = ()) -> Iterator[Panel]:
    """The panels of a sweep, with these axes in columns, where they are named."""
    results = swept.cells
    names = names_of(results)
    title = names[0] if len(names) == 1 else f"all {len(names)} properties"
    yield _verdicts(swept, "", title, columns)
    for name in names if len(names) > 1 else ():
        if {Mark.VIOLATED, Mark.UNKNOWN} & set(marks_of(results, name).values()):
            yield _verdicts(swept, name, name, columns)
    states = {done.setting: float(_states(done)) for done in results}
    yield _numbers(swept, "states", states, columns)
    yield _numbers(swept, "seconds", {each.setting: each.seconds for each in results}, columns)


def shown_as(mark: Mark) -> DrawnCell:
    """Return the colour and sign of a mark."""
    return DrawnCell(COLOURS[mark], "" if mark in _PLAIN else mark.sign, mark.words)


def _verdicts(swept: Swept, name: str, title: str, columns: Sequence[str]) -> Panel:
    axes = swept.plan.matrix.axes
    marks = {cell.setting: Mark.MISSING for cell in swept.plan.cells}
    marks |= marks_of(swept.cells, name)
    counts = [(mark.words, list(marks.values()).count(mark)) for mark in COLOURS]
    title = f"{title}: " + ", ".join(f"{words} in {count}" for words, count in counts if count)
    telling = that_matter(axes, marks)
    found = restricted(marks, telling)
    assert found is not None, "these axes tell the marks apart"
    lines: list[str] = []
    if len(telling) < len(axes):
        others = ", ".join(axis.key for axis in axes if axis not in telling)
        lines.append(f"the same for any {others}")
    smallest = smallest_failing(swept.cells, name)
    if smallest is not None:
        done, row = smallest
        size = f"{row.states} states, {row.steps} steps"
        lines.append(f"the smallest: {size}: {text_of(done.setting)}")
    keys = {axis.key for axis in telling}
    groups: dict[CellSetting, list[CellResult]] = {}
    for done in swept.cells:
        groups.setdefault(tuple(p for p in done.setting if p[0] in keys), []).append(done)
    cells: dict[CellSetting, DrawnCell] = {}
    for setting, mark in found.items():
        look = shown_as(mark)
        told = "\n".join([text_of(setting), mark.words, *_sizes(groups.get(setting, []))])
        cells[setting] = DrawnCell(look.colour, look.sign, told)
    return Panel(title, tuple(lines), laid_out(telling, found, PAGE_OF_VERDICTS, columns), cells)


def _numbers(
    swept: Swept, name: str, values: Mapping[CellSetting, float], columns: Sequence[str]
) -> Panel:
    """Light for the least, dark for the most, by orders of magnitude."""
    settings = [cell.setting for cell in swept.plan.cells]
    scaled = {setting: log(max(value, 1e-3)) for setting, value in values.items()}
    low, high = min(scaled.values(), default=0.0), max(scaled.values(), default=0.0)
    cells: dict[CellSetting, DrawnCell] = {}
    for setting in settings:
        if setting not in scaled:
            look = shown_as(Mark.MISSING)
            cells[setting] = DrawnCell(look.colour, look.sign, f"{text_of(setting)}\n{look.told}")
            continue
        share = (scaled[setting] - low) / (high - low) if high > low else 0.0
        red, green, blue = (round(240 - share * part) for part in (205, 150, 80))
        told = f"{text_of(setting)}\n{values[setting]:,.6g} {name}"
        cells[setting] = DrawnCell(f"#{red:02x}{green:02x}{blue:02x}", "", told)
    title = name
    if values:
        ends = (f"{each:,.6g}" for each in (min(values.values()), max(values.values())))
        title = f"{name}: {' to '.join(ends)}, on a logarithmic scale"
    grid = laid_out(swept.plan.matrix.axes, settings, PAGE_OF_NUMBERS, columns)
    return Panel(title, (), grid, cells)


def _states(done: CellResult) -> int:
    return max((row.states for row in done.rows), default=0)


def _sizes(results: Sequence[CellResult]) -> Iterator[str]:
    """Describe the states and seconds of the cells that one cell stands for."""
    if results:
        states, seconds = [_states(done) for done in results], [done.seconds for done in results]
        cells = f"{len(results)} cells: " if len(results) > 1 else ""
        yield f"{cells}{_range(states, ',.0f')} states, {_range(seconds, '.2f')} s"


def _range(values: Sequence[float], form: str) -> str:
    low, high = (format(each, form) for each in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
