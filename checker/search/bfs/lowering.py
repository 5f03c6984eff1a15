"""Writes expressions as Python source. A shared part is computed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import assert_never

from finale.checker.search.state_graph.folding import SIGNS, nodes, parts
from finale.model.expressions import (
    Add,
    And,
    Cell,
    Constant,
    Equal,
    Expression,
    IfThenElse,
    Less,
    Not,
    Or,
    Subtract,
)

#: Python's parser takes 200 nested parentheses: an expression deeper than this gets a name first.
DEPTH_MAX = 60


class PythonText:
    """Writes expressions as Python text. Cells are the locals `c0`, `c1`, …; after a step `d0`, …

    Expressions cannot fail, so a shared part may be computed before a condition that guards it.
    `names` are the locals that already hold an expression.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names_made = 0

    def line(self, depth: int, text: str) -> None:
        """Write one line of the function, `depth` levels deep."""
        self.lines.append(" " * depth + text)

    def texts(
        self, expressions: Sequence[Expression], depth: int, names: dict[Expression, str]
    ) -> list[str]:
        """Return the expressions as text; lines before them name the parts that they share."""
        order = [
            node for node in nodes(expressions, names) if not isinstance(node, Cell | Constant)
        ]
        uses = Counter(expressions)
        for node in order:
            uses.update(parts(node))
        heights: dict[Expression, int] = {}
        for node in order:  # parts come before what they are part of
            height = 1 + max((heights.get(part, 0) for part in parts(node)), default=0)
            if height > DEPTH_MAX or (uses[node] > 1 and height > 1):
                name = f"t{self._names_made}"
                self._names_made += 1
                self.line(depth, f"{name} = {_text(node, names)}")
                names[node] = name
                height = 0
            heights[node] = height
        return [_text(expression, names) for expression in expressions]


def _text(node: Expression, names: dict[Expression, str]) -> str:
    name = names.get(node)
    if name is not None:
        return name
    match node:
        case Constant():
            return str(node.value)
        case Cell():
            return f"{'d' if node.after else 'c'}{node.index}"
        case Add() | Subtract() | Equal() | Less():
            sign = SIGNS[type(node)]
            return f"({_text(node.left, names)} {sign} {_text(node.right, names)})"
        case Not():
            return f"(not {_text(node.operand, names)})"
        case And():
            return f"({' and '.join(_text(each, names) for each in node.operands)})"
        case Or():
            return f"({' or '.join(_text(each, names) for each in node.operands)})"
        case IfThenElse():
            yes, no = _text(node.yes, names), _text(node.no, names)
            return f"({yes} if {_text(node.condition, names)} else {no})"
        case _:
            assert_never(node)


def is_plain_integer(node: Expression) -> bool:
    """Return whether the text gives an int and never Python's True, which no cell may hold."""
    match node:
        case Constant() | Cell():
            return True
        case And() | Or():
            return all(is_plain_integer(operand) for operand in node.operands)
        case IfThenElse():
            return is_plain_integer(node.yes) and is_plain_integer(node.no)
        case _:
            return not node.boolean
