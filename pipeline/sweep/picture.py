"""Writes a sweep as SVG, with the verdict, the states and the seconds of each cell, and as Parquet.

Each cell tells its own numbers where the pointer rests on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

from finale.model.errors import FinaleError, Place
from finale.model.visible import visible
from finale.model.written import write_whole
from finale.pipeline.sweep.grid import Grid
from finale.pipeline.sweep.panels import COLOURS, DrawnCell, Panel, panels_of, shown_as
from finale.pipeline.sweep.run import Swept
from finale.pipeline.sweep.work import CellResult

TABLE = "table.parquet"


def write_table(folder: Path, results: Iterable[CellResult]) -> Path:
    """The table of some cells, in their order; it is there as a whole or not at all."""
    pa: Any = import_module("pyarrow")  # it comes without types
    parquet: Any = import_module("pyarrow.parquet")

    schema = pa.schema(
        [
            ("cell", pa.string()),
            ("setting", pa.map_(pa.string(), pa.string())),
            ("property", pa.string()),
            ("verdict", pa.string()),
            ("how", pa.string()),
            ("states", pa.int64()),
            ("steps", pa.int64()),
            ("seconds", pa.float64()),
            ("why", pa.string()),
        ]
    )
    rows = [(done, row) for done in results for row in done.rows]
    columns = [
        [done.key for done, _ in rows],
        [list(done.setting) for done, _ in rows],
        *([getattr(row, name) for _, row in rows] for name in schema.names[2:]),
    ]
    arrays = [pa.array(each, kind) for each, kind in zip(columns, schema.types, strict=True)]
    file, stream = folder / TABLE, BytesIO()
    try:
        parquet.write_table(pa.table(arrays, schema=schema), stream)
        write_whole(file, stream.getvalue(), f"{TABLE}.half")
    except OSError as error:
        raise FinaleError(
            "unwritable",
            f"the table cannot be written: {error.strerror or error}",
            place=Place(str(file)),
            advice="check the permission to write there, and the free space",
        ) from None
    return file


PICTURE = "grid.svg"
LINE_END = "\n"
#: Of a cell; of a letter; of the room between panels.
SIDE, LETTER, LINE, GAP = 14, 6.7, 15, 30
_STYLE = (
    "text{font:11px ui-monospace,Menlo,Consolas,monospace;fill:#222}"
    ".t{font-weight:bold;font-size:13px}.k{fill:#666}.s{font-size:10px;text-anchor:middle}"
    "rect{stroke:#fff;stroke-width:1}"
)


def write_picture(folder: Path, swept: Swept, columns: Sequence[str] = ()) -> Path:
    """The picture of a sweep in its folder. Raises `unwritable`."""
    file = folder / PICTURE
    try:
        write_whole(file, picture(swept, columns), f"{PICTURE}.half")
    except OSError as error:
        raise FinaleError(
            "unwritable",
            f"the picture cannot be written: {error.strerror or error}",
            place=Place(str(file)),
            advice="check the permission to write there, and the free space",
        ) from None
    return file


def picture(swept: Swept, columns: Sequence[str] = ()) -> str:
    """The text of the picture."""
    drawing = _Drawing()
    drawing.title(swept.plan.matrix.title or swept.plan.matrix.file.name)
    drawing.legend()
    for panel in panels_of(swept, columns):
        drawing.panel(panel)
    return drawing.text()


class _Frame:
    """The positions of the words and cells of a grid, from left to right."""

    def __init__(self, grid: Grid) -> None:
        words = grid.row_words
        self.labels = [
            LETTER * (max(len(axis.key), *(len(row[number]) for row in words)) + 2)
            for number, axis in enumerate(grid.rows)
        ]
        above = max((len(axis.key) for axis in grid.columns), default=0)
        self.left = 10 + max(sum(self.labels), LETTER * (above + 2))
        self.side = float(SIDE)
        for number in range(len(grid.columns)):
            for span in grid.spans(number):
                self.side = max(self.side, (len(span.word) + 1) * LETTER / span.count)


class _Drawing:
    """The drawing so far, downwards."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.down = 10.0
        self.wide = 0.0

    def title(self, text: str) -> None:
        self._line(text, "t")

    def legend(self) -> None:
        across = 10.0
        for mark in COLOURS:
            self._cell(across, SIDE, shown_as(mark))
            self._text(across + SIDE + 4, mark.words)
            across += SIDE + 10 + LETTER * (len(mark.words) + 2)
        self.wide = max(self.wide, across)
        self.down += SIDE + GAP / 2

    def panel(self, panel: Panel) -> None:
        self.down += GAP / 2
        self._line(panel.title, "t")
        for line in panel.lines:
            self._line(line, "k")
        frame = _Frame(panel.grid)
        self._header(panel.grid, frame)
        for words, row in zip(panel.grid.row_words, panel.grid.cells, strict=True):
            across = 10.0
            for word, width in zip(words, frame.labels, strict=True):
                self._text(across, word)
                across += width
            for number, setting in enumerate(row):
                if setting is not None:
                    across = frame.left + number * frame.side
                    self._cell(across, frame.side, panel.cells[setting])
            self.down += SIDE
        count = len(panel.grid.cells[0])
        self.wide = max(self.wide, frame.left + count * frame.side + 10)

    def _header(self, grid: Grid, frame: _Frame) -> None:
        """The words over the columns, and the names of the axes before the rows."""
        for number, axis in enumerate(grid.columns):
            self._text(frame.left - LETTER * (len(axis.key) + 1), axis.key, "k")
            for span in grid.spans(number):
                self._text(frame.left + (span.start + span.count / 2) * frame.side, span.word, "s")
            self.down += LINE
        across = 10.0
        for axis, width in zip(grid.rows, frame.labels, strict=True):
            self._text(across, axis.key, "k")
            across += width
        self.down += LINE + 2 if grid.rows else 2

    def _line(self, text: str, kind: str) -> None:
        self._text(10, text, kind)
        self.wide = max(self.wide, 20 + LETTER * (1.2 if kind == "t" else 1.0) * len(text))
        self.down += LINE + 3

    def _cell(self, across: float, side: float, cell: DrawnCell) -> None:
        told = f"<title>{escape(visible(cell.told, LINE_END))}</title>"
        shape = f'x="{across:g}" y="{self.down:g}" width="{side:g}" height="{SIDE}"'
        self.parts.append(f'<rect {shape} fill="{cell.colour}">{told}</rect>')
        if cell.sign:
            self._text(across + side / 2, cell.sign, "s")

    def _text(self, across: float, text: str, kind: str = "") -> None:
        if text:
            style = f' class="{kind}"' if kind else ""
            place = f'x="{across:g}" y="{self.down + 11:g}"'
            self.parts.append(f"<text {place}{style}>{escape(visible(text))}</text>")

    def text(self) -> str:
        """The whole picture."""
        wide, high = round(self.wide), round(self.down + 10)
        size = f'width="{wide}" height="{high}" viewBox="0 0 {wide} {high}"'
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
                f"<style>{_STYLE}</style>",
                f'<rect width="{wide}" height="{high}" fill="#ffffff"/>',
                *self.parts,
                "</svg>\n",
            ]
        )
