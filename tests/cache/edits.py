"""Random edits of a Python file: one token, or one line, is changed."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Callable

from hypothesis import strategies as st

_SWAPS = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "+": "-", "-": "+",
    "and": "or", "or": "and", "True": "False", "False": "True", "not": "", "all": "any",
    "any": "all", "is": "is not", "in": "not in", "if": "while", "for": "if",
}  # fmt: skip


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
    kind = draw(st.sampled_from(("swap", "number", "name", "line", "blank", "twice", "move")))
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
        "name": lambda token: token.type == tokenize.NAME and token.string not in _SWAPS,
    }
    token = draw(st.sampled_from([each for each in tokens if choices[kind](each)] or tokens))
    if kind == "number" and token.string.isdigit():
        new = str(max(int(token.string) + draw(st.sampled_from((-1, 1, 2))), 0))
    elif kind == "name":
        new = draw(st.sampled_from(tokens)).string
    else:
        new = _SWAPS.get(token.string, token.string)
    return _with_token(text, token, new)
