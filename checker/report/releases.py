"""Shows a spec under releases: one line for each property, one column for each release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich.text import Text

from finale.checker.search.rows import ResultRow
from finale.checker.search.verdict import Word
from finale.checker.spec.releases import DEFAULT
from finale.checker.studies.across_releases import Column, Comparison

from .check_json import RowJson, json_rows, unanswered_row
from .layout import columns, flow, paragraph
from .places import shown_file

#: The sign of a verdict, its colour, and what the sign says.
SIGNS = {
    Word.HOLDS: ("✓", "green", "holds"),
    Word.VIOLATED: ("✗", "bold red", "violated"),
    Word.VACUOUS: ("∅", "yellow", "vacuous"),
    Word.UNKNOWN: ("?", "yellow", "unknown"),
    Word.NOT_ASKED: ("/", "dim", "not asked: ids are given again"),
    Word.DOES_NOT_APPLY: ("–", "dim", "does not apply"),  # noqa: RUF001 - a dash, as on the sheet
}


def comparison_lines(found: Comparison, width: int) -> Iterator[Text]:
    """The table of a spec, what its signs mean, and why some releases have no answer."""
    yield Text(shown_file(found.spec.file), "bold")
    yield from paragraph(Text(found.spec.title), width, indent=2)
    for part in _parts(found, width):
        yield from _table(found, part)
    yield from flow(_legend(found), width, indent=4, separator=" · ")
    yield from _reasons(found, width)


def _table(found: Comparison, part: Sequence[Column]) -> Iterator[Text]:
    cells = [[_cell(column.row(name)) for column in part] for name in found.properties]
    widths = [
        max(len(column.under.label), *(row[i].cell_len for row in cells))
        for i, column in enumerate(part)
    ]
    wide = max(len(name) for name in found.properties)
    heads = [Text(column.under.label, "bold") for column in part]
    yield _line(Text(), heads, wide, widths)
    for name, row in zip(found.properties, cells, strict=True):
        yield _line(Text(name), row, wide, widths)


def _line(head: Text, cells: Sequence[Text], wide: int, widths: Sequence[int]) -> Text:
    line = Text("    ").append_text(head).append(" " * (wide - head.cell_len))
    for cell, room in zip(cells, widths, strict=True):
        line.append("  ").append_text(cell).append(" " * (room - cell.cell_len))
    line.rstrip()
    return line


def _parts(found: Comparison, width: int) -> Iterator[Sequence[Column]]:
    """The columns, as many at a time as the page has room for."""
    room = width - 4 - max(len(name) for name in found.properties)
    part: list[Column] = []
    for column in found.columns:
        if part and sum(_room(found, each) for each in (*part, column)) > room:
            yield part
            part = []
        part.append(column)
    yield part


def _room(found: Comparison, column: Column) -> int:
    cells = (_cell(column.row(name)).cell_len for name in found.properties)
    return 2 + max(len(column.under.label), *cells)


def _cell(row: ResultRow | None) -> Text:
    sign, style, _ = SIGNS[row.word if row else Word.DOES_NOT_APPLY]
    return Text(f"{sign} {row.steps}" if row and row.steps is not None else sign, style)


def _legend(found: Comparison) -> Iterator[Text]:
    shown = {
        row.word if (row := column.row(name)) else Word.DOES_NOT_APPLY
        for column in found.columns
        for name in found.properties
    }
    for word, (sign, style, meaning) in SIGNS.items():
        if word in shown:
            steps = ", with the steps of its trace" if word is Word.VIOLATED else ""
            yield Text(sign, style) + Text(f" {meaning}{steps}", "dim")
    others = {column.under.scheduler for column in found.columns} - {None, DEFAULT}
    for scheduler in sorted(filter(None, others)):
        yield Text(f"{scheduler[0]}: under the {scheduler} scheduler", "dim")


def _reasons(found: Comparison, width: int) -> Iterator[Text]:
    rows: list[list[Text]] = []
    for protocol, own in groupby(found.columns, key=lambda column: column.protocol):
        if protocol is not None:
            rows.append([_labels(own), Text(protocol, "dim")])
    for why, own in groupby(found.columns, key=lambda column: column.why):
        if why:
            rows.append([_labels(own), Text(f"does not apply: {why}", "dim")])
    yield from columns(rows, width, indent=4)


def _labels(own: Iterable[Column]) -> Text:
    labels = [column.under.label for column in own]
    first, last = labels[0], labels[-1]
    if len(labels) > 2:
        return Text(f"{first} … {last}", "dim")
    return Text(", ".join(labels), "dim")


def comparison_rows(found: Comparison) -> Iterator[RowJson]:
    """The rows as JSON: one for each property and release."""
    for column in found.columns:
        if column.result is not None:
            yield from json_rows(column.result, {})
        for name in found.properties:
            if column.row(name) is None:
                why = column.why or "it does not have the view that is read"
                yield unanswered_row(found.spec, column.under, name, why)
