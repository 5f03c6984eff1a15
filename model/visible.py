"""Makes foreign text safe to print: invisible characters are escaped."""

from __future__ import annotations

import json
import unicodedata


def visible(text: str, keep: str = "") -> str:
    r"""Write what is no visible character as Python does: `\x1b`, `\u202e`, `\udcff`, `\n`.

    That is every control character (C0, DEL, C1), every format character (bidi overrides, what has
    no width), line and paragraph separators, lone surrogates, and what has no meaning at all.
    Characters of `keep` stay as they are: the line ends of a text that has several lines.
    """
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or each in keep or _is_blank(each) else _escaped(each)
        for each in text
    )


def visible_json(value: object, indent: int) -> str:
    """Write a value as JSON that can be read: only what is no visible character is escaped."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return "".join(
        each if each.isprintable() or each == "\n" or _is_blank(each) else json.dumps(each)[1:-1]
        for each in text
    )


def _is_blank(character: str) -> bool:
    """Whether it is a space of some width: those are seen."""
    return unicodedata.category(character) == "Zs"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
