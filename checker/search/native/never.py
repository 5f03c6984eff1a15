"""Finds conditions that no state makes true, so that the search need not evaluate them.

What a property asks of every step is mostly settled by what a rule does not write. For a rule that
leaves `status` alone, "status was PENDING before and is ABORTED after" becomes "status is PENDING
and status is ABORTED". The few cells that such a condition reads are tried with all their values.
"""

from __future__ import annotations

# As in `tables.py`.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from collections.abc import Iterable
from functools import reduce
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from finale.checker.search.state_graph.folding import OPERATIONS, cells_read, fold
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

#: So many combinations of values are tried. Cells whose values are too many are not looked at.
COMBINATIONS_MAX = 1 << 10

Values = NDArray[np.int64]
"""The value of an expression for each combination, with an axis for each cell."""


def is_never(condition: Expression, found: dict[Expression, bool]) -> bool:
    """Return whether no values of the cells make a condition true; False if that is not known.

    `found` keeps what was found of conditions before.
    """
    if condition not in found:
        match condition:
            case Or():
                found[condition] = all(is_never(each, found) for each in condition.operands)
            case And():
                found[condition] = _exclude_each_other(condition.operands)
            case _:
                found[condition] = _exclude_each_other([condition])
    return found[condition]


def _exclude_each_other(conjuncts: Iterable[Expression]) -> bool:
    """Whether no combination of values makes true all conjuncts that read few values."""
    cells: set[Cell] = set()
    looked_at: list[Expression] = []
    for conjunct in conjuncts:
        more = cells | cells_read([conjunct])
        if np.prod([cell.high - cell.low + 1 for cell in more], dtype=float) <= COMBINATIONS_MAX:
            cells = more
            looked_at.append(conjunct)
    made: dict[Expression, Values] = {}
    for axis, cell in enumerate(cells):
        shape = [-1 if axis == other else 1 for other in range(len(cells))]
        made[cell] = np.arange(cell.low, cell.high + 1).reshape(shape)
    holds: Values = np.array(1, np.int64)
    for conjunct in looked_at:
        holds = holds & fold(conjunct, lambda node: _value(node, made), made)
    return not bool(holds.any())


def _value(node: Expression, made: dict[Expression, Values]) -> Values:
    """The value of a node for each combination, from the values of its parts."""
    match node:
        case Constant():
            value: object = node.value
        case Add() | Subtract() | Equal() | Less():
            value = OPERATIONS[type(node)](made[node.left], made[node.right])
        case Not():
            value = made[node.operand] == 0
        case And():
            value = reduce(np.minimum, [made[each] for each in node.operands])
        case Or():
            value = reduce(np.maximum, [made[each] for each in node.operands])
        case IfThenElse():
            value = np.where(made[node.condition], made[node.yes], made[node.no])
        case Cell():
            raise AssertionError("each cell has an axis")
        case _:
            assert_never(node)
    return np.asarray(value, np.int64)
