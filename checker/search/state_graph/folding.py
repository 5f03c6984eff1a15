"""What a path of a decision tree knows, and expressions folded by it; the parts of expressions."""

from __future__ import annotations

from collections.abc import Iterable
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


__all__ = ["Known", "cells_read", "folded", "learn", "parts"]
