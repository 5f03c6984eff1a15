"""Draws with characters: texts, boxes, and lines that join."""

from __future__ import annotations

from rich.text import Text

NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8

_GLYPHS = {
    NORTH: "│", SOUTH: "│", NORTH | SOUTH: "│",
    EAST: "─", WEST: "─", EAST | WEST: "─",
    SOUTH | EAST: "┌", SOUTH | WEST: "┐", NORTH | EAST: "└", NORTH | WEST: "┘",
    NORTH | SOUTH | EAST: "├", NORTH | SOUTH | WEST: "┤",
    SOUTH | EAST | WEST: "┬", NORTH | EAST | WEST: "┴",
    NORTH | EAST | SOUTH | WEST: "┼",
}  # fmt: skip


class Canvas:
    """Characters by column and row; a line belongs to a bundle, and only lines of one join."""

    def __init__(self) -> None:
        self._texts: dict[tuple[int, int], tuple[str, str]] = {}
        self._lines: dict[tuple[int, int], dict[object, int]] = {}

    def text(self, x: int, y: int, text: str, style: str = "") -> None:
        """Write a text from a place on."""
        for offset, character in enumerate(text):
            self._texts[x + offset, y] = (character, style)

    def box(self, x: int, y: int, width: int, height: int) -> None:
        """A rectangle; its sides count in its size."""
        self.text(x, y, "┌" + "─" * (width - 2) + "┐")
        self.text(x, y + height - 1, "└" + "─" * (width - 2) + "┘")
        for row in range(y + 1, y + height - 1):
            self.text(x, row, "│")
            self.text(x + width - 1, row, "│")

    def across(self, x1: int, x2: int, y: int, bundle: object) -> None:
        """A horizontal line, both ends included."""
        for x in range(x1, x2 + 1):
            self._add(x, y, (EAST if x < x2 else 0) | (WEST if x > x1 else 0), bundle)

    def down(self, x: int, y1: int, y2: int, bundle: object) -> None:
        """A vertical line, both ends included."""
        for y in range(y1, y2 + 1):
            self._add(x, y, (SOUTH if y < y2 else 0) | (NORTH if y > y1 else 0), bundle)

    def _add(self, x: int, y: int, directions: int, bundle: object) -> None:
        here = self._lines.setdefault((x, y), {})
        here[bundle] = here.get(bundle, 0) | directions

    def lines(self) -> list[Text]:
        """The drawing, top down, without blanks at the ends of lines."""
        places = [*self._texts, *self._lines]
        if not places:
            return []
        rows = range(min(y for _, y in places), max(y for _, y in places) + 1)
        return [self._row(y, max((x for x, each in places if each == y), default=-1)) for y in rows]

    def _row(self, y: int, x_max: int) -> Text:
        line = Text()
        for x in range(x_max + 1):
            if (x, y) in self._texts:
                line.append(*self._texts[x, y])
            elif (x, y) in self._lines:
                line.append(_glyph(self._lines[x, y]), "dim")
            else:
                line.append(" ")
        line.rstrip()
        return line


def _glyph(bundles: dict[object, int]) -> str:
    """The character for the lines of a place: of bundles that only cross, the upright one."""
    directions = 0
    for each in bundles.values():
        if len(bundles) > 1 and each == NORTH | SOUTH:
            return "│"
        directions |= each
    return _GLYPHS.get(directions, "─")
