"""Shows a matrix of specs in a terminal: one row for each protocol, one column for each property.

The specs of a matrix are `matrix/ROW/COLUMN.toml`. A cell that depends on a condition has two,
`COLUMN-if.toml` and `COLUMN-if-not.toml`, and two signs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from rich.text import Text

from finale.checker.search.rows import ResultRow, SpecResult

from .layout import flow
from .places import shown_file
from .releases import SIGNS

MATRIX = "matrix"
_COLUMN = re.compile(r"([a-z]+)0*(\d+)(-if-not|-if)?")
#: What the names beside and above the picture are.
AXES = (
    "rows: protocols, a folder of specs each",
    "columns: properties, by their ids in docs/rule-reference.md",
)
_CONDITIONS = (None, "-if", "-if-not")


def is_cell(file: Path) -> bool:
    """Whether a spec is a cell of a matrix."""
    return file.parent.parent.name == MATRIX and _COLUMN.fullmatch(file.stem) is not None


def matrix_lines(results: Sequence[SpecResult], width: int) -> Iterator[Text]:
    """The picture of each matrix that some of the results are cells of."""
    for folder in sorted({result.spec.file.parent.parent for result in results}):
        own = [result for result in results if result.spec.file.parent.parent == folder]
        yield Text(shown_file(folder), "bold")
        yield from _picture(own, width)


def _picture(results: Sequence[SpecResult], width: int) -> Iterator[Text]:
    rows = list(dict.fromkeys(result.spec.file.parent.name for result in results))
    columns = sorted({_place(result)[:2] for result in results}, key=lambda each: each)
    columns.sort(key=lambda each: each[0] != "s")  # S before L, as on the sheet
    cells = {
        (row, column): _cell([each for each in results if _belongs(each, row, column)])
        for row in rows
        for column in columns
    }
    wide = max(map(len, rows))
    room = [max(3, *(cells[row, column].cell_len for row in rows)) for column in columns]
    heads = [Text(f"{letter.upper()}{number}", "bold") for letter, number in columns]
    yield _line("", heads, wide, room)
    for row in rows:
        yield _line(row, [cells[row, column] for column in columns], wide, room)
    shown = {claim.word for result in results if (claim := _claim(result)) is not None}
    legend = [Text(sign, style) + Text(f" {word}", "dim") for sign, style, word in _signs(shown)]
    if any(_place(result)[2] for result in results):
        legend.append(Text("two signs: under a condition, and without it", "dim"))
    if not all(result.ok for result in results):
        legend.append(Text("!", "bold red") + Text(" not as expected", "dim"))
    yield from flow(legend, width, indent=2)
    yield from flow([Text(each, "dim") for each in AXES], width, indent=2)


def _signs(shown: Collection[str]) -> Iterator[tuple[str, str, str]]:
    for word, (sign, style, meaning) in SIGNS.items():
        if word in shown:
            yield sign, style, meaning + (", with the number of steps" if sign == "✗" else "")


def _line(head: str, cells: Sequence[Text], wide: int, room: Sequence[int]) -> Text:
    line = Text(f"  {head:{wide}}")
    for cell, space in zip(cells, room, strict=True):
        line.append(" ").append_text(cell).append(" " * (space - cell.cell_len))
    line.rstrip()
    return line


def _place(result: SpecResult) -> tuple[str, int, str | None]:
    found = _COLUMN.fullmatch(result.spec.file.stem)
    assert found is not None
    return found[1], int(found[2]), found[3]


def _belongs(result: SpecResult, row: str, column: tuple[str, int]) -> bool:
    return result.spec.file.parent.name == row and _place(result)[:2] == column


def _cell(own: Sequence[SpecResult]) -> Text:
    cell = Text()
    for result in sorted(own, key=lambda each: _CONDITIONS.index(_place(each)[2])):
        row = _claim(result)
        if row is None:
            continue
        sign, style, _ = SIGNS[row.word]
        steps = row.steps if row.steps is not None and row.word == "violated" else ""
        cell.append(f"{sign}{steps}", style)
        if not result.ok:
            cell.append("!", "bold red")
    return cell


def _claim(result: SpecResult) -> ResultRow | None:
    """Return the row of the cell: the first property with an expectation."""
    name = next(iter(result.spec.expectations), None)
    return next((row for row in result.rows if row.property == name), None)
