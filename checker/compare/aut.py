"""Writes a labelled transition system in the Aldebaran format, which CADP and mCRL2 read."""

from __future__ import annotations

from .lts import SILENT, Alphabet, Lts

#: How the format writes silence. Both tools read it.
TAU = "tau"


def aut_of(lts: Lts, alphabet: Alphabet) -> str:
    """Return the text of a system, transitions in their order."""
    labels = [TAU if number == SILENT else _quoted(text) for number, text in _numbered(alphabet)]
    lines = [f"des ({lts.root},{lts.transitions},{lts.states})"]
    rows = zip(lts.source.tolist(), lts.label.tolist(), lts.target.tolist(), strict=True)
    lines += [f'({source},"{labels[label]}",{target})' for source, label, target in rows]
    return "\n".join([*lines, ""])


def _numbered(alphabet: Alphabet) -> list[tuple[int, str]]:
    return list(enumerate(alphabet.texts))


def _quoted(text: str) -> str:
    """A label between quotation marks: it must have none of its own, and no line end."""
    shown = text.replace("\\", "\\\\").replace('"', "'")
    return "".join(each if each.isprintable() else " " for each in shown)


__all__ = ["aut_of"]
