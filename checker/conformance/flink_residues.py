"""What a rule does to a part, whatever the other cells are: updates that read the part alone.

A cell outside of the part may have any value. So an update is taken once for each of their values,
and constants are folded: what is left reads cells of the part only. Values that leave the same are
one *residue*. Most rules leave few, and different rules leave the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from model.expressions import (
    FALSE,
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
    integer,
    less,
    minus,
    negation,
    plus,
    truth,
)

Conditions = tuple[tuple[Expression, int], ...]
"""Conditions, and what they are."""

#: An update whose status comes about in more ways is not split.
WAYS_MAX = 128
#: A way that has so many residues on the way to them is left as it is.
FEW = 60
#: A cell with more values than these is not taken value by value.
VALUES_MAX = 12
#: More residues than these are not worth their time; nor is an update that has so many on the way.
RESIDUES_MAX, WAY_MAX = 40, 400


@dataclass(frozen=True)
class Residue:
    """An update of a part: where it is taken, and the new values of cells."""

    condition: Expression
    writes: tuple[tuple[int, Expression], ...]


def whole_of(on: Conditions, writes: Mapping[int, Expression]) -> Residue:
    """Return an update as it is. `on`: its conditions, and what they are."""
    where = conjunction([node if value else negation(node) for node, value in on])
    return Residue(where, tuple(writes.items()))


def ways(whole: Residue, cell: int) -> list[Residue]:
    """Return an update split by the conditions that decide the new value of a cell.

    In each of the ways these conditions are constants, in all other writes, too. So the writes of
    a way go together: an update that fails a task and clears what the task has taken, or does
    neither, has two ways.
    """
    todo, found = [whole], list[Residue]()
    while todo:
        way = todo.pop()
        new = dict(way.writes).get(cell)
        if not isinstance(new, IfThenElse):
            found.append(way)
            continue
        node = new.condition
        while isinstance(node, IfThenElse):
            node = node.condition
        for value in (False, True):
            where = conjunction([way.condition, node if value else negation(node)])
            if where is not FALSE:
                memo: dict[Expression, Expression] = {}
                _assume(node, memo, value=value)
                todo.append(Residue(where, tuple((n, _replaced(w, memo)) for n, w in way.writes)))
        if len(todo) + len(found) > WAYS_MAX:
            return [whole]
    return found


def _assume(node: Expression, memo: dict[Expression, Expression], *, value: bool) -> None:
    """Note the value of a condition, and of its operands if it decides them."""
    memo[node] = truth(value)
    decided = isinstance(node, (Not, And if value else Or))
    for each in operands(node) if decided else ():
        _assume(each, memo, value=value is not isinstance(node, Not))


def _replaced(node: Expression, memo: dict[Expression, Expression]) -> Expression:
    """The expression where others have the values that `memo` has for them."""
    if node not in memo:
        memo[node] = _folded(node, [_replaced(each, memo) for each in operands(node)])
    return memo[node]


def residues(whole: Residue, own: frozenset[int], most: int = WAY_MAX) -> list[Residue] | None:
    """Return the residues of an update for the cells `own`; None if they are too many."""
    cells = [cell for cell, _ in whole.writes]
    todo: list[tuple[Expression, ...]] = [(whole.condition, *(new for _, new in whole.writes))]
    known, found = set(todo), dict[Residue, None]()
    while todo:
        nodes = todo.pop()
        if nodes[0] is FALSE:
            continue
        cell = _first_free(nodes[1:], own) or _first_free(nodes[:1], own)
        if cell is None:
            found[Residue(nodes[0], tuple(zip(cells, nodes[1:], strict=True)))] = None
            continue
        for value in range(cell.low, cell.high + 1):
            memo: dict[Expression, Expression] = {cell: constant(cell, value)}
            after = tuple(_with(node, cell, memo) for node in nodes)
            if after not in known:
                known.add(after)
                todo.append(after)
        if len(known) > most or len(found) > RESIDUES_MAX:
            return None
    return [*found]


def constant(cell: Cell, value: int) -> Expression:
    """Return the value of a cell as an expression."""
    return truth(bool(value)) if cell.boolean else integer(value)


def operands(node: Expression) -> tuple[Expression, ...]:
    """Return what an expression is made of."""
    match node:
        case Constant() | Cell():
            return ()
        case And() | Or():
            return node.operands
        case Not():
            return (node.operand,)
        case IfThenElse():
            return node.condition, node.yes, node.no
        case _:
            return node.left, node.right


@lru_cache(maxsize=100_000)
def cells_of(node: Expression) -> frozenset[int]:
    """Return the cells that an expression reads."""
    if isinstance(node, Cell):
        return frozenset((node.index,))
    return frozenset[int]().union(*map(cells_of, operands(node)))


def _first_free(nodes: Sequence[Expression], own: frozenset[int]) -> Cell | None:
    """The first cell outside of the part, of few values, that expressions read."""
    seen, todo = set[Expression](), [*reversed(nodes)]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Cell):
            if node.index not in own and node.high - node.low < VALUES_MAX:
                return node
        else:
            todo += reversed(operands(node))
    return None


def _with(node: Expression, cell: Cell, memo: dict[Expression, Expression]) -> Expression:
    """The expression where a cell has the value that `memo` has for it."""
    if node not in memo:
        is_read = cell.index in cells_of(node)
        if is_read:
            memo[node] = _folded(node, [_with(each, cell, memo) for each in operands(node)])
        else:
            memo[node] = node
    return memo[node]


def _folded(node: Expression, parts: Sequence[Expression]) -> Expression:
    """The expression with other operands."""
    match node:
        case Constant() | Cell():
            return node
        case Not():
            return negation(parts[0])
        case And():
            return conjunction(parts)
        case Or():
            return disjunction(parts)
        case IfThenElse():
            return choose(*parts)
        case Equal():
            return equal(*parts)
        case Less():
            return less(*parts)
        case Add():
            return plus(*parts)
        case Subtract():
            return minus(*parts)


__all__ = ["Conditions", "Residue", "cells_of", "operands", "residues", "ways", "whole_of"]
