"""Random edits of a Python file: one token, or one line, is changed."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable

from hypothesis import strategies as st

_SWAPS = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "+": "-", "-": "+",
    "and": "or", "or": "and", "True": "False", "False": "True", "not": "", "all": "any",
    "any": "all", "is": "is not", "in": "not in", "if": "while", "for": "if",
}  # fmt: skip


#: Ways to keep a number where a rule reads `_KEPT.y`; an edit may change the number alone.
_KEEPING = (
    "class _Kept(tuple):\n    pass\n\n_KEPT = _Kept()\n_KEPT.y = {}\n",
    "def _KEPT():\n    pass\n\n_KEPT.y = {}\n",
    "import collections\nclass _KEPT(collections.namedtuple('_K', 'x')):\n    y = {}\n",
    "class _Meta(type):\n    y = property(lambda kind: {})\n"
    "class _KEPT(metaclass=_Meta):\n    pass\n",
    "import enum\nclass _E(enum.Enum):\n    A = 0\n_KEPT = _E.A\n_KEPT.y = {}\n",
    "from finale.rules import Entity as _KEPT\n_KEPT.y = {}\n",
    "import math as _KEPT\n_KEPT.y = {}\n",
)


def _kept(draw: st.DrawFn, text: str, token: tokenize.TokenInfo) -> str:
    """A file in which a number is kept in one of these ways."""
    number = int(token.string) + draw(st.sampled_from((0, 1)))
    changed = _with_token(text, token, "_KEPT.y")
    first = re.search(r"^(?:from|import) ", changed, re.MULTILINE)
    place = 0 if first is None else first.start()
    return changed[:place] + draw(st.sampled_from(_KEEPING)).format(number) + changed[place:]


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    wanted = (tokenize.NAME, tokenize.NUMBER, tokenize.OP, tokenize.STRING)
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token for token in found if token.type in wanted]


def _with_token(text: str, token: tokenize.TokenInfo, new: str) -> str:
    lines = text.splitlines(keepends=True)
    row, first, last = token.start[0] - 1, token.start[1], token.end[1]
    if token.end[0] != token.start[0]:  # a docstring over several lines: its end is changed
        row, first, last = token.end[0] - 1, token.end[1], token.end[1]
        new = ""
    lines[row] = lines[row][:first] + new + lines[row][last:]
    return "".join(lines)


@st.composite
def edited(draw: st.DrawFn, text: str) -> str:
    """A file with one thing changed: what it says may be nonsense."""
    tokens = _tokens(text)
    lines = text.splitlines(keepends=True)
    kind = draw(
        st.sampled_from(("swap", "number", "name", "kept", "line", "blank", "twice", "move"))
    )
    if kind in ("line", "blank", "twice", "move"):
        number = draw(st.integers(0, len(lines) - 2))
        if kind == "line":
            del lines[number]
        elif kind == "blank":
            lines.insert(number, draw(st.sampled_from(("\n", "# a comment\n"))))
        elif kind == "twice":
            lines.insert(number, lines[number])
        else:
            lines[number], lines[number + 1] = lines[number + 1], lines[number]
        return "".join(lines)
    choices: dict[str, Callable[[tokenize.TokenInfo], bool]] = {
        "swap": lambda token: token.string in _SWAPS,
        "number": lambda token: token.type == tokenize.NUMBER,
        "kept": lambda token: token.string.isdigit(),
        "name": lambda token: token.type == tokenize.NAME and token.string not in _SWAPS,
    }
    token = draw(st.sampled_from([each for each in tokens if choices[kind](each)] or tokens))
    if kind == "kept" and token.string.isdigit():
        return _kept(draw, text, token)
    if kind == "number" and token.string.isdigit():
        new = str(max(int(token.string) + draw(st.sampled_from((-1, 1, 2))), 0))
    elif kind == "name":
        new = draw(st.sampled_from(tokens)).string
    else:
        new = _SWAPS.get(token.string, token.string)
    return _with_token(text, token, new)
