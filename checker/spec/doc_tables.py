"""Reads the tables of a page in `docs`: what stands there is written nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from finale import model

DOCS = Path(model.__file__).resolve().parent.parent / "docs"
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"(?<![\w`*[])\*{1,2}(\w[^*`]*)\*{1,2}")
#: A bar that no backtick and no backslash protects ends a cell.
_BAR = re.compile(r"(?<!\\)\|(?=(?:[^`]*`[^`]*`)*[^`]*$)")


def tables_in(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield each table with the heading above it: rows of cells, the first row is its header."""
    section, rows = "", list[list[str]]()
    for line in (*text.splitlines(), ""):
        if line.startswith("|"):
            if set(line) - set("|-: "):
                rows.append([plain_cell(cell) for cell in _BAR.split(line.strip())[1:-1]])
            continue
        if rows:
            yield section, rows
            rows = []
        if line.startswith("## "):
            section = plain_cell(line.removeprefix("## "))


def plain_cell(cell: str) -> str:
    """Return a cell without the marks of Markdown."""
    return _EMPHASIS.sub(r"\1", _LINK.sub(r"\1", cell)).replace("\\|", "|").strip()


def page_text(name: str) -> str:
    """Return the text of a page of `docs`, by its name without the ending."""
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


__all__ = ["DOCS", "page_text", "plain_cell", "tables_in"]
