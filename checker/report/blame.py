"""Finds the cells that determine the value of an expression in a state.

Of a conjunction that is false only the false operands matter, of a disjunction that is true only
the true ones, of a choice the condition and the side that was chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

from finale.checker.search.state_graph.folding import parts
from finale.model.expressions import And, Cell, Expression, IfThenElse, Or
from finale.model.semantics import evaluate
from finale.model.system import State


def cells_that_matter(
    expression: Expression, state: State, after: State | None = None
) -> dict[int, None]:
    """The indices of the cells on which the value of the expression rests, in order of reading."""
    read: Sequence[Expression]
    match expression:
        case Cell():
            return {expression.index: None}
        case And() | Or():
            value = evaluate(expression, state, after)
            # Where no operand alone decides, all of them do: then all have that value.
            read = [each for each in expression.operands if evaluate(each, state, after) == value]
        case IfThenElse():
            condition = evaluate(expression.condition, state, after)
            chosen = expression.yes if condition else expression.no
            read = [expression.condition, chosen]
        case _:
            read = parts(expression)
    found: dict[int, None] = {}
    for part in read:
        found |= cells_that_matter(part, state, after)
    return found
