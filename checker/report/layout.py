"""Lays out text: a console for a terminal or a pipe, aligned columns, grouped numbers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import rich.text
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from finale.model.visible import visible

#: The width of a page that is not a terminal, unless COLUMNS says otherwise.
PIPE_WIDTH = 100
#: Text is never squeezed into less than this, however narrow the page.
COLUMN_MIN = 24
#: Where the last column has less room than this, what does not fit beside the others goes below.
LAST_MIN = 40
#: So far what goes below stands to the right of what it belongs to.
BELOW = 4
LINE_END = "\n"

Cell = str | Text


def _shown(text: str) -> str:
    return visible(text, LINE_END)


# Every text that rich makes goes through this function of its own, which leaves out five control
# characters and hands on all others, so that a name in a log could clear the screen.
setattr(rich.text, "strip_control_codes", _shown)  # noqa: B010 - it is no name of ours


class _Page(Console):
    def on_broken_pipe(self) -> None:
        """Rich calls this when the reader went away, and would exit with 1: the caller decides."""
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """Return a console: with colours on a terminal that supports them."""
    page = _Page(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not page.is_terminal and "COLUMNS" not in os.environ:
        page.width = PIPE_WIDTH
    return page


def write(page: Console, lines: Iterable[Cell]) -> None:
    """Write lines as they are: what is wider than the page was meant to be."""
    for line in lines:
        # A name that has line ends forges no line of ours.
        parts = text_of(line).split(LINE_END, allow_blank=True)
        page.print(Text(visible(LINE_END)).join(parts), soft_wrap=True)
    page.file.flush()  # who reads a pipe sees each result when it is known


def text_of(cell: Cell) -> Text:
    """The cell as styled text."""
    return cell if isinstance(cell, Text) else Text(cell)


def columns(
    rows: Sequence[Sequence[Cell]], width: int, *, indent: int = 0, gap: int = 2
) -> list[Text]:
    """Rows with their cells below each other; the last cell of a row is wrapped under itself.

    Where too little room is left for the last cells, those that do not fit go below their rows.
    """
    texts = [[text_of(cell) for cell in row] for row in rows]
    count = max((len(row) for row in texts), default=0)
    widths = [
        max((row[i].cell_len for row in texts if len(row) > i + 1), default=0) for i in range(count)
    ]
    start = indent + sum(wide + gap for wide in widths[:-1])
    is_narrow = width - start < LAST_MIN and any(start + r[-1].cell_len > width for r in texts)
    lines: list[Text] = []
    for row in texts:
        head = _aligned(row, widths, indent, gap)
        if not is_narrow:
            lines += _hanging(head, row[-1], width)
        elif start <= width and len(row) == count:
            lines += _last_below(head, row[-1], width, indent)
        else:
            lines += _folded(row, width, indent, gap)
    return lines


def _aligned(row: Sequence[Text], widths: Sequence[int], indent: int, gap: int) -> Text:
    """The cells of a row but the last one, each as wide as its column."""
    head = Text(" " * indent)
    for cell, wide in zip(row[:-1], widths, strict=False):
        head.append_text(cell).append(" " * (wide - cell.cell_len + gap))
    return head


def _last_below(head: Text, last: Text, width: int, indent: int) -> list[Text]:
    """A row whose last cell goes below the others if it does not fit beside them."""
    if head.cell_len + last.cell_len <= width:
        return _hanging(head, last, width)
    head.rstrip()
    return [head, *paragraph(last, width, indent=indent + BELOW)]


def _folded(row: Sequence[Text], width: int, indent: int, gap: int) -> list[Text]:
    """A row on a narrow page: on one line if it fits, else its last cell below the others."""
    *head, last = row
    lines = flow([*head, last], width, indent=indent, separator=" " * gap)
    if len(lines) > 1 and head:
        heads = flow(head, width, indent=indent, separator=" " * gap)
        lines = [part for line in heads for part in _within(line, width, indent)]
        lines += paragraph(last, width, indent=indent + BELOW)
    return lines


def _within(line: Text, width: int, indent: int) -> list[Text]:
    """An indented line, broken where it is wider than the page."""
    return [line] if line.cell_len <= width else paragraph(line[indent:], width, indent=indent)


def _hanging(head: Text, body: Text, width: int) -> list[Text]:
    start = head.cell_len
    first, *rest = wrapped(body, width - start) or [Text()]
    lines = [head.append_text(first), *(Text(" " * start).append_text(line) for line in rest)]
    for line in lines:
        line.rstrip()
    return lines


def wrapped(text: Cell, width: int) -> list[Text]:
    """A text in lines of a width, broken between words."""
    body = text_of(text)
    if body.cell_len <= width:
        return [body]
    page = Console(width=10_000, color_system=None)
    lines = [line for part in body.split() for line in part.wrap(page, max(width, COLUMN_MIN))]
    for line in lines:
        line.rstrip()
    return lines


def paragraph(text: Cell, width: int, *, indent: int = 0) -> list[Text]:
    """A text in lines of a width, all indented."""
    return [Text(" " * indent).append_text(line) for line in wrapped(text, width - indent)]


def joined(parts: Iterable[Cell], separator: str = " · ") -> Text:
    """Texts on one line, the empty ones left out."""
    return Text(separator).join(each for part in parts if (each := text_of(part)).plain)


def flow(
    parts: Iterable[Cell], width: int, *, indent: int = 0, separator: str = " · "
) -> list[Text]:
    """Texts one after the other, in as many lines as it takes; the empty ones left out."""
    lines: list[list[Text]] = []
    for part in map(text_of, parts):
        if lines and joined([*lines[-1], part], separator).cell_len <= width - indent:
            lines[-1].append(part)
        elif part.plain:
            lines.append([part])
    return [Text(" " * indent).append_text(joined(line, separator)) for line in lines]


def shortened(text: str, width: int) -> str:
    """A text that fits, with an ellipsis where something was cut off."""
    if cell_len(text) <= width:
        return text
    return text[: max(width - 1, 1)].rstrip() + "…"


def grouped(number: int) -> str:
    """A number with its digits in groups of three."""
    return f"{number:,}".replace(",", " ")


def times(number: int) -> str:
    """Return a count as a factor."""
    return f"×{grouped(number)}"  # noqa: RUF001 - the sign is meant


def counted(number: int, noun: str) -> str:
    """`1 step`, `2 steps`."""
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{grouped(number)} {noun if number == 1 else plural}"


def duration(seconds: float) -> str:
    """A time that one can read: `0.42 s`, `12 s`, `3 min 20 s`."""
    if seconds < 10:
        return f"{seconds:.2g} s" if seconds >= 0.1 else f"{seconds * 1000:.0f} ms"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
