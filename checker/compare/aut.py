"""Writes a labelled transition system in the Aldebaran format, which CADP and mCRL2 read."""

from __future__ import annotations

from .lts import SILENT, Alphabet, Lts, apart

#: How the format writes silence. Both tools read it; CADP also reads the other one.
TAU, INTERNAL = "tau", "i"


def aut_of(lts: Lts, alphabet: Alphabet) -> str:
    """Return the text of a system, transitions in their order.

    A silent step from a state to itself is left out: here it is no step, other tools take it for an
    endless run. Other tools know a label by its text, so no two labels have one text.
    """
    taken = {TAU, INTERNAL}
    labels = [TAU, *(apart(_quoted(text), taken) for text in alphabet.texts[SILENT + 1 :])]
    rows = zip(lts.source.tolist(), lts.label.tolist(), lts.target.tolist(), strict=True)
    lines = [
        f'({source},"{labels[label]}",{target})'
        for source, label, target in rows
        if label != SILENT or source != target
    ]
    return "\n".join([f"des ({lts.root},{len(lines)},{lts.states})", *lines, ""])


def _quoted(text: str) -> str:
    """A label between quotation marks: it must have none of its own, and no line end."""
    shown = text.replace("\\", "\\\\").replace('"', "'")
    return "".join(each if each.isprintable() else " " for each in shown)
