"""Prints a sweep in a terminal: its progress, the verdicts by property, and the grid of cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from rich.text import Text

from finale.checker.report.layout import (
    Cell,
    columns,
    console,
    counted,
    duration,
    grouped,
    joined,
    paragraph,
)
from finale.checker.spec.grid import text_of
from finale.pipeline.sweep.grid import (
    CellSetting,
    Grid,
    Mark,
    laid_out,
    mark_of,
    marks_of,
    names_of,
    restricted,
    smallest_failing,
    that_matter,
    wide,
)
from finale.pipeline.sweep.run import SweepProgress, Swept
from finale.pipeline.sweep.work import CellResult

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_STYLES = {
    Mark.HOLDS: "green",
    Mark.VIOLATED: "bold red",
    Mark.VACUOUS: "yellow",
    Mark.UNKNOWN: "magenta",
    Mark.ERROR: "bold red",
}
#: The columns of the summary, and what each counts.
_COUNTED = (Mark.HOLDS, Mark.VIOLATED, Mark.VACUOUS, Mark.UNREACHED, Mark.UNKNOWN)


class Counter:
    """A bar on stderr while cells are searched; nothing in a pipe."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Counter:
        return self

    def __call__(self, news: SweepProgress) -> None:
        """Tell how far the sweep is."""
        page = console(stderr=True)
        if not page.is_terminal:
            return
        if self._bar is None:
            from rich.progress import BarColumn, Progress, TextColumn

            words = TextColumn("{task.description}", markup=False)
            self._bar = Progress(words, BarColumn(20), console=page, transient=True)
            self._task = self._bar.add_task(self._name, total=news.weight)
            self._bar.start()
        assert self._task is not None
        self._bar.update(self._task, completed=news.weight_done, description=told(self._name, news))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def told(name: str, news: SweepProgress) -> str:
    """The progress of a sweep in one line."""
    parts = [f"{name}: {grouped(news.searched)} of {counted(news.total, 'cell')}"]
    if news.seconds_left is not None:
        parts.append(f"about {duration(news.seconds_left)} left")
    return " · ".join(parts)


def sweep_lines(
    swept: Swept,
    names: Sequence[str],
    across: Sequence[str],
    width: int,
    files: Sequence[Path],
) -> list[Text]:
    """The page: what was searched, verdicts by property, a grid a name, where the rest is."""
    lines = paragraph(_head(swept), width)
    lines += [Text(), *_summary(swept.cells, width)]
    for name in names or ("",):
        lines += [Text(), *grid_lines(swept, name, across, width)]
    if swept.interrupted:
        lines += [Text(), Text("interrupted: the same command goes on from here", "yellow")]
    return [*lines, Text(), Text(f"all of it: {', '.join(map(str, files))}", "dim")]


def _head(swept: Swept) -> Text:
    total, there = len(swept.plan.cells), len(swept.cells)
    work = sum(done.seconds for done in swept.cells)
    return joined(
        [
            counted(total, "cell"),
            f"{grouped(swept.searched)} searched in {duration(swept.seconds)}",
            f"{grouped(there - swept.searched)} known before" if there > swept.searched else "",
            f"{grouped(total - there)} not searched" if there < total else "",
            f"{duration(work)} of work in all" if there else "",
            f"{counted(len(swept.stopped), 'cell')} at a limit" if swept.stopped else "",
            f"{counted(len(swept.errors), 'cell')} with errors" if swept.errors else "",
        ]
    )


def _summary(results: Sequence[CellResult], width: int) -> list[Text]:
    """For each property in how many cells it holds, is violated …; where it fails first."""
    names = names_of(results)
    marks = {
        name: [mark_of(row) for done in results for row in done.rows if row.property == name]
        for name in names
    }
    shown = [mark for mark in _COUNTED if any(mark in each for each in marks.values())]
    heads: list[Cell] = [Text("property", "dim"), *(Text(mark.words, "dim") for mark in shown)]
    rows: list[list[Cell]] = [[*heads, Text("")]]
    for name in names:
        counts = [(mark, marks[name].count(mark)) for mark in shown]
        cells = [
            Text((grouped(count) if count else "").rjust(len(mark.words)), _STYLES.get(mark, ""))
            for mark, count in counts
        ]
        rows.append([Text(name), *cells, Text("")])
    lines = columns(rows, width)
    for name in names:
        lines += _smallest(results, name, width)
    return lines


def _smallest(results: Sequence[CellResult], name: str, width: int) -> Iterator[Text]:
    smallest = smallest_failing(results, name)
    if smallest is not None:
        done, row = smallest
        size = f"{counted(row.states, 'state')}, {counted(row.steps or 0, 'step')}"
        setting = text_of(done.setting)
        yield from paragraph(f"the smallest that breaks {name}: {setting}: {size}", width)


def grid_lines(swept: Swept, name: str, across: Sequence[str], width: int) -> list[Text]:
    """The grid of a property, or without a name of all; only of axes along which it changes."""
    axes = swept.plan.matrix.axes
    marks = {cell.setting: Mark.MISSING for cell in swept.plan.cells}
    marks |= marks_of(swept.cells, name)
    telling = that_matter(axes, marks)
    found = restricted(marks, telling)
    assert found is not None, "these axes tell the marks apart"
    lines = [Text(name or "all properties", "bold")]
    if len(telling) < len(axes):
        others = ", ".join(axis.key for axis in axes if axis not in telling)
        lines += paragraph(Text(f"the same for any {others}", "dim"), width)
    lines += _drawn(laid_out(telling, found, width, across), found)
    keys = [Text(f"{mark.sign} {mark.words}", "dim") for mark in Mark if mark in found.values()]
    return [*lines, joined(keys)]


def _drawn(grid: Grid, marks: Mapping[CellSetting, Mark]) -> list[Text]:
    labels = [
        max(len(axis.key), *(len(words[number]) for words in grid.row_words)) + 2
        for number, axis in enumerate(grid.rows)
    ]
    left = max(sum(labels), *(len(axis.key) + 2 for axis in grid.columns), 0)
    column = wide(grid.columns)
    lines: list[Text] = []
    for number, axis in enumerate(grid.columns):
        line = Text(axis.key.rjust(left - 2) + "  ", "dim")
        for span in grid.spans(number):
            line.append(span.word.ljust(span.count * column))
        lines.append(line)
    if grid.rows:
        pairs = zip(grid.rows, labels, strict=True)
        lines.append(Text("".join(axis.key.ljust(label) for axis, label in pairs), "dim"))
    for words, row in zip(grid.row_words, grid.cells, strict=True):
        before = (word.ljust(label) for word, label in zip(words, labels, strict=True))
        line = Text("".join(before).ljust(left))
        for setting in row:
            mark = Mark.EXCLUDED if setting is None else marks[setting]
            line.append(mark.sign.ljust(column), _STYLES.get(mark, "dim"))
        lines.append(line)
    for line in lines:
        line.rstrip()
    return lines


__all__ = ["Counter", "grid_lines", "sweep_lines", "told"]
