"""Finds the cells that determine the value of an expression in a state.

Of a conjunction that is false only the false operands matter, of a disjunction that is true only
the true ones, of a choice the condition and the side that was chosen.
"""

from __future__ import annotations

from typing import assert_never

from model.expressions import (
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
from model.semantics import evaluate
from model.system import State


def cells_that_matter(
    expression: Expression, state: State, after: State | None = None
) -> dict[int, None]:
    """The indices of the cells on which the value of the expression rests, in order of reading."""
    match expression:
        case Constant():
            return {}
        case Cell():
            return {expression.index: None}
        case Add() | Subtract() | Equal() | Less():
            left = cells_that_matter(expression.left, state, after)
            return left | cells_that_matter(expression.right, state, after)
        case Not():
            return cells_that_matter(expression.operand, state, after)
        case And() | Or():
            value = evaluate(expression, state, after)
            # Where no operand alone decides, all of them do: then all have that value.
            found: dict[int, None] = {}
            for operand in expression.operands:
                if evaluate(operand, state, after) == value:
                    found |= cells_that_matter(operand, state, after)
            return found
        case IfThenElse():
            condition = evaluate(expression.condition, state, after)
            chosen = expression.yes if condition else expression.no
            found = cells_that_matter(expression.condition, state, after)
            return found | cells_that_matter(chosen, state, after)
        case _:
            assert_never(expression)
