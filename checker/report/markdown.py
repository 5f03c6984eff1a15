"""Writes Markdown for a comment on a pull request: what such a comment can hold, and signs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

#: A comment on a pull request is shorter than 65,536 characters.
COMMENT_MAX = 60_000


def comment(head: Sequence[str], parts: Iterable[str], tail: Sequence[str], rest: str) -> str:
    """Return a comment of as many parts as fit; `rest` says where a reader finds the others."""
    body: list[str] = []
    room = COMMENT_MAX - sum(len(line) + 1 for line in (*head, *tail, rest))
    for part in parts:
        if len(part) + 1 > room:
            body.append(rest)
            break
        body.append(part)
        room -= len(part) + 1
    return "\n".join([*head, *body, *tail]) + "\n"


def inline(text: str) -> str:
    """Return a text in which no sign means anything to Markdown or HTML."""
    signs = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
    plain = "".join(signs.get(sign, sign) for sign in text.replace("\n", " "))
    return re.sub(r"([\\`*_\[\]|#@])", r"\\\1", plain)


def folded(summary: str, code: Iterable[str], kind: str, about: Sequence[str] = ()) -> str:
    """Return code that a reader opens, below sentences about it; the summary is HTML."""
    return "\n".join(
        [
            f"<details><summary>{summary}</summary>",
            "",
            *(f"- {inline(each)}" for each in about),
            *([""] if about else []),
            f"````{kind}",
            *code,
            "````",
            "",
            "</details>",
            "",
        ]
    )


__all__ = ["COMMENT_MAX", "comment", "folded", "inline"]
