"""Lays out names and conjunctions in TLA+."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .folding import WIDTH


def wrapped(
    names: Sequence[str], indent: str, opening: str = "", closing: str = "", column: int = 0
) -> Iterator[str]:
    """Names with commas, on as many lines as it takes.

    The first line begins with `opening`, which stands at a column; the others are indented.
    """
    line, before = opening or indent, column
    for number, name in enumerate(names):
        text = name + (", " if number + 1 < len(names) else closing)
        if before + len(line) + len(text) > WIDTH and line.strip():
            yield line.rstrip()
            line, before = indent + ("  " if opening else ""), 0
        line += text
    yield line if names else f"{opening}{closing}"


def bulleted(name: str, claims: Sequence[str]) -> Iterator[str]:
    """The definition of a conjunction, a claim a line."""
    yield f"{name} =="
    yield from (f"  /\\ {claim}" for claim in claims or ["TRUE"])
