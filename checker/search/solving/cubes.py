"""Cubes: sets of states, given by some cells with their values.

A cube that contains no reachable state is a clause of an invariant: these values never occur
together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, assert_never

from finale.checker.search.state_graph.folding import OPERATIONS
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
    conjunction,
    constant,
    equal,
)
from finale.model.system import State, System

Cube: TypeAlias = frozenset[tuple[int, int]]
"""Cells by number, each with its value: all states that have these."""


def has(cell: Expression, value: int) -> Expression:
    """Return the condition: a cell has a value."""
    return equal(cell, constant(value, cell.boolean))


def within(system: System, cube: Cube) -> Expression:
    """Return the condition: a state is in a cube."""
    return conjunction(has(system.cells[index], value) for index, value in sorted(cube))


def is_in(state: State, cube: Cube) -> bool:
    """Return whether a state is in a cube."""
    return all(state[index] == value for index, value in cube)


def resting(expression: Expression, state: State) -> tuple[int, Cube]:
    """Return the value of an expression in a state, and a cube in which it has this value.

    If several operands decide alone, the cube is that of the operand that reads least.
    """
    return _resting(expression, state, {})


_Known = dict[Expression, tuple[int, Cube]]


def _resting(node: Expression, state: State, known: _Known) -> tuple[int, Cube]:
    found = known.get(node)
    if found is None:
        found = known[node] = _found(node, state, known)
    return found


def _found(node: Expression, state: State, known: _Known) -> tuple[int, Cube]:
    match node:
        case Constant():
            return node.value, frozenset()
        case Cell():
            value = state[node.index]
            return value, frozenset([(node.index, value)])
        case Add() | Subtract() | Equal() | Less():
            left, one = _resting(node.left, state, known)
            right, other = _resting(node.right, state, known)
            return int(OPERATIONS[type(node)](left, right)), one | other
        case Not():
            value, cube = _resting(node.operand, state, known)
            return 1 - value, cube
        case And() | Or():
            decisive = int(isinstance(node, Or))
            return _of_operands(decisive, [_resting(each, state, known) for each in node.operands])
        case IfThenElse():
            condition, one = _resting(node.condition, state, known)
            value, other = _resting(node.yes if condition else node.no, state, known)
            return value, one | other
        case _:
            assert_never(node)


def _of_operands(decisive: int, operands: Sequence[tuple[int, Cube]]) -> tuple[int, Cube]:
    deciding = [cube for value, cube in operands if value == decisive]
    if deciding:
        return decisive, min(deciding, key=len)
    return 1 - decisive, frozenset[tuple[int, int]]().union(*(cube for _, cube in operands))
