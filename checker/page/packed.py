"""Packs parts of a page: compressed texts, which a script unpacks when a reader asks for them.

Parts that are alike are compressed together, so that a page about hundreds of specs stays small. A
group is small enough to be unpacked before a reader notices.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Sequence

import htpy as h
from markupsafe import Markup

from finale.model.visible import visible

from .document import data

#: A group ends with the part that makes it longer than this.
CHARACTERS_MAX = 300_000


def packed(name: str, parts: Sequence[str]) -> h.Renderable:
    """Finished markup for the scripts of the page. They find each part by its number."""
    groups = list(_groups([visible(part, "\n") for part in parts]))
    texts = [
        h.script(id=f"{name}-{number}", type="text/plain")[Markup(_text(group))]
        for number, group in enumerate(groups)
    ]
    return h.fragment[texts, data(name, [len(group) for group in groups])]


def _groups(parts: Sequence[str]) -> Iterator[list[str]]:
    group, size = list[str](), 0
    for part in parts:
        group.append(part)
        size += len(part)
        if size > CHARACTERS_MAX:
            yield group
            group, size = [], 0
    if group:
        yield group


def _text(group: Sequence[str]) -> str:
    """Compress parts, joined by a character that no visible text has."""
    whole = "\0".join(group).encode()
    return base64.b64encode(zlib.compress(whole, 9)).decode("ascii")


__all__ = ["packed"]
