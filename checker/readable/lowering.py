"""Expressions as Python text: what a path knows is folded, what is used twice is computed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import assert_never

from model.expressions import (
    FALSE,
    TRUE,
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
    choose,
    conjunction,
    disjunction,
    equal,
    less,
    minus,
    negation,
    plus,
)

Known = dict[Expression, Expression]
"""What each decided test, and each term that a test has pinned down, is on this path."""

#: Python's parser takes 200 nested parentheses: an expression deeper than this gets a name first.
DEPTH_MAX = 60


def learn(known: Known, test: Expression, outcome: bool) -> Known:
    """What is known after a test: the test, and what follows from it at once."""
    known = dict(known)
    pending = [(test, outcome)]
    while pending:
        node, holds = pending.pop()
        known[node] = TRUE if holds else FALSE
        match node:
            case Not():
                pending.append((node.operand, not holds))
            case And() if holds:
                pending += [(operand, True) for operand in node.operands]
            case Or() if not holds:
                pending += [(operand, False) for operand in node.operands]
            case Equal(right=Constant()) if holds:
                known[node.left] = node.right
            case _:
                pass
    return known


def folded(expression: Expression, known: Known, memo: Known) -> Expression:
    """The expression where `known` holds. `memo` is kept by the caller for one `known`."""
    if isinstance(expression, Constant):
        return expression
    found = known.get(expression) or memo.get(expression)
    if found is None:
        found = memo[expression] = _rebuilt(expression, known, memo)
    return found


def _rebuilt(expression: Expression, known: Known, memo: Known) -> Expression:
    def of(part: Expression) -> Expression:
        return folded(part, known, memo)

    match expression:
        case Constant() | Cell():
            return expression
        case Add():
            return plus(of(expression.left), of(expression.right))
        case Subtract():
            return minus(of(expression.left), of(expression.right))
        case Equal():
            return equal(of(expression.left), of(expression.right))
        case Less():
            return less(of(expression.left), of(expression.right))
        case Not():
            return negation(of(expression.operand))
        case And():
            return conjunction(of(operand) for operand in expression.operands)
        case Or():
            return disjunction(of(operand) for operand in expression.operands)
        case IfThenElse():
            return choose(of(expression.condition), of(expression.yes), of(expression.no))
        case _:
            assert_never(expression)


def parts(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is made of."""
    match expression:
        case Constant() | Cell():
            return ()
        case Add() | Subtract() | Equal() | Less():
            return expression.left, expression.right
        case Not():
            return (expression.operand,)
        case And() | Or():
            return expression.operands
        case IfThenElse():
            return expression.condition, expression.yes, expression.no
        case _:
            assert_never(expression)


def cells_read(expressions: Iterable[Expression]) -> set[Cell]:
    """All cells that the expressions read."""
    found: set[Cell] = set()
    seen: set[Expression] = set()
    pending = list(expressions)
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending += parts(node)
            if isinstance(node, Cell):
                found.add(node)
    return found


class Text:
    """Writes expressions as Python text. Cells are the locals `c0`, `c1`, …; after a step `d0`, …

    Expressions cannot fail, so one that is used twice may be computed ahead, whatever its place in
    a choice. `names` are the locals that hold an expression already.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names_made = 0

    def line(self, depth: int, text: str) -> None:
        """One line of the function, `depth` levels deep."""
        self.lines.append(" " * depth + text)

    def texts(
        self, expressions: Sequence[Expression], depth: int, names: dict[Expression, str]
    ) -> list[str]:
        """The expressions as text; those parts that they share are given names before."""
        uses: Counter[Expression] = Counter()
        order: list[Expression] = []
        for expression in expressions:
            self._count(expression, uses, order, names)
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

    def _count(
        self,
        root: Expression,
        uses: Counter[Expression],
        order: list[Expression],
        names: dict[Expression, str],
    ) -> None:
        pending = [(root, False)]
        while pending:
            node, complete = pending.pop()
            if complete:
                order.append(node)
                continue
            uses[node] += 1
            if uses[node] == 1 and node not in names and not isinstance(node, Cell | Constant):
                pending.append((node, True))
                pending += [(part, False) for part in parts(node)]


def _text(node: Expression, names: dict[Expression, str]) -> str:
    name = names.get(node)
    if name is not None:
        return name
    match node:
        case Constant():
            return str(node.value)
        case Cell():
            return f"{'d' if node.after else 'c'}{node.index}"
        case Add():
            return f"({_text(node.left, names)} + {_text(node.right, names)})"
        case Subtract():
            return f"({_text(node.left, names)} - {_text(node.right, names)})"
        case Equal():
            return f"({_text(node.left, names)} == {_text(node.right, names)})"
        case Less():
            return f"({_text(node.left, names)} < {_text(node.right, names)})"
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
    """Whether its text gives an int and never Python's True: what a cell of a state may hold."""
    match node:
        case Constant() | Cell():
            return True
        case And() | Or():
            return all(is_plain_integer(operand) for operand in node.operands)
        case IfThenElse():
            return is_plain_integer(node.yes) and is_plain_integer(node.no)
        case _:
            return not node.boolean


__all__ = ["Known", "Text", "cells_read", "folded", "is_plain_integer", "learn", "parts"]
