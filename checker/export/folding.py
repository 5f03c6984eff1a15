"""Folds long lines of an exported text.

A line is broken behind an operator that joins conditions, or before a part of a choice: in TLA+ a
line that began with such an operator would be taken for an item of a list. What goes on stands to
the right of all that the line belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

WIDTH = 100
#: However deep a line stands, so much of it is on it.
TEXT_MIN = 40
#: So far what goes on stands to the right.
FURTHER = 4

#: What a line begins with before the text that is folded: items, and the parts of a choice.
_LEAD = re.compile(r"\s*(?:(?:/\\|\\/|IF|THEN|ELSE|IN|::)\s+)*")
_COMMENT = re.compile(r"\s*(?:\\\*|/\*)\s*")
_JOINS = ("/\\", "\\/", "&&", "||", "->", ":", "{", ";", "=>")
_PART = re.compile(r"[(~!]*(?:IF|THEN|ELSE|::)")


def folded(text: str) -> str:
    """The text with no line much longer than `WIDTH`."""
    lines = (part for line in text.split("\n") for part in _folded(line))
    return "\n".join(lines)


def _folded(line: str) -> Iterator[str]:
    comment = _COMMENT.match(line)
    # A directive is one line, and so is a remark behind something.
    if len(line) <= WIDTH or line.startswith("#") or (" \\* " in line and not comment):
        yield line
        return
    if comment:
        again = comment[0] if "\\*" in comment[0] else " " * len(comment[0])
    else:
        lead = _LEAD.match(line)
        assert lead is not None
        again = " " * (lead.end() + FURTHER)
    begin = comment.end() if comment else len(again) - FURTHER
    width = max(WIDTH, len(again) + TEXT_MIN)
    while len(line) > width:
        place = _place(line, begin, width, is_comment=bool(comment))
        if place is None:
            break
        yield line[:place]
        line, begin = again + line[place + 1 :], len(again)
    yield line


def _place(line: str, begin: int, width: int, *, is_comment: bool) -> int | None:
    """The space to break at: the last good one before the edge, else any, else the next."""
    spaces = [i for i in range(begin + 1, min(width + 1, len(line))) if line[i] == " "]
    later = (i for i in range(width + 1, len(line)) if line[i] == " ")
    if is_comment:
        return spaces[-1] if spaces else next(later, None)
    free = [i for i in spaces if _is_free(line, i)]
    good = [i for i in free if _is_good(line, i)]
    if near := good or free:
        return near[-1]
    return next((i for i in later if _is_free(line, i)), None)


def _is_free(line: str, space: int) -> bool:
    starts_option = line.startswith("::", space + 1)
    is_joined = line.startswith((*_JOINS, "=="), space + 1) or line.endswith("::", 0, space)
    return starts_option or not is_joined


def _is_good(line: str, space: int) -> bool:
    return line.endswith(_JOINS, 0, space) or _PART.match(line, space + 1) is not None
