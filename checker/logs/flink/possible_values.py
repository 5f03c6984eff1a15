"""Tells which values expressions and cells may have, where only some of the cells are known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

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
from finale.model.system import System, Test, Tree, Update

from .projected_updates import CellValues, Conditions

#: More values than these are not told apart: such a number may be any value between its bounds.
_SET_MAX = 12
_BOTH = frozenset((0, 1))


class PossibleValues:
    """The values that expressions may have, where some cells are known."""

    def __init__(self, known: CellValues) -> None:
        self.known = known
        self._memo: dict[Expression, frozenset[int] | None] = {}

    def of(self, node: Expression) -> frozenset[int] | None:
        """The possible values; None where there are many."""
        if isinstance(node, Constant):
            return frozenset((node.value,))
        if isinstance(node, Cell):
            return self._cell(node)
        if node not in self._memo:
            self._memo[node] = self._of(node)
        return self._memo[node]

    def _cell(self, node: Cell) -> frozenset[int] | None:
        if node.index in self.known:
            return self.known[node.index]
        return _BOTH if node.boolean else _range(node)

    def _of(self, node: Expression) -> frozenset[int] | None:
        match node:
            case Constant():
                return self.of(node)
            case Cell():
                return self._cell(node)
            case Add() | Subtract():
                sign = 1 if isinstance(node, Add) else -1
                left, right = self.of(node.left), self.of(node.right)
                if left is None or right is None:
                    return _range(node)
                return _few({a + sign * b for a in left for b in right})
            case Equal():
                return self._compared(node.left, node.right, equal=True)
            case Less():
                return self._compared(node.left, node.right, equal=False)
            case Not():
                return frozenset(1 - each for each in self.of(node.operand) or _BOTH)
            case And():
                return self._joined(node.operands, decisive=0)
            case Or():
                return self._joined(node.operands, decisive=1)
            case IfThenElse():
                found: frozenset[int] = frozenset()
                for truth in self.of(node.condition) or _BOTH:
                    side = self.of(node.yes if truth else node.no)
                    if side is None:
                        return _range(node)
                    found |= side
                return _few(found)
            case _:
                assert_never(node)

    def _compared(self, left: Expression, right: Expression, *, equal: bool) -> frozenset[int]:
        ours, theirs = self.of(left), self.of(right)
        if ours is None or theirs is None:
            return _BOTH
        if equal:
            return frozenset(int(a == b) for a in ours for b in theirs)
        return frozenset(int(a < b) for a in ours for b in theirs)

    def _joined(self, operands: tuple[Expression, ...], *, decisive: int) -> frozenset[int]:
        open_ = False
        for operand in operands:
            each = self.of(operand)
            if each == frozenset((decisive,)):
                return frozenset((decisive,))
            open_ = open_ or each is None or decisive in each
        return _BOTH if open_ else frozenset((1 - decisive,))

    def updates(self, tree: Tree, on: Conditions = ()) -> Iterator[tuple[Conditions, Update]]:
        """Yield the updates that a tree can reach, each with the conditions that are still open."""
        if isinstance(tree, Update):
            yield on, tree
        elif isinstance(tree, Test):
            truths = sorted(self.of(tree.condition) or _BOTH, reverse=True)
            for truth in truths:
                open_ = ((tree.condition, truth),) if len(truths) > 1 else ()
                yield from self.updates(tree.yes if truth else tree.no, (*on, *open_))


def _few(values: frozenset[int] | set[int]) -> frozenset[int] | None:
    return frozenset(values) if len(values) <= _SET_MAX else None


def _range(node: Expression) -> frozenset[int] | None:
    size = node.high - node.low + 1
    return frozenset(range(node.low, node.high + 1)) if size <= _SET_MAX else None


def reachable_values(system: System) -> CellValues:
    """By cell, the values that it may have in a run of a system; without cells of many values.

    Each cell is looked at alone: it has its values at the start, and those that a rule may write
    while all cells have any of their values so far. So nothing is CANCELED if nobody may cancel.
    """
    few = {n for n, cell in enumerate(system.cells) if cell.high - cell.low < _SET_MAX}
    values = {n: frozenset(state[n] for state in system.initial) for n in few}
    while True:
        possible, found = PossibleValues(values), dict(values)
        for rule in system.rules:
            for _, update in possible.updates(rule.tree):
                for n, new in update.writes:
                    if n in few:
                        cell = system.cells[n]
                        inside = frozenset(range(cell.low, cell.high + 1))
                        written = possible.of(new)
                        found[n] |= inside if written is None else inside & written
        if found == values:
            return values
        values = found
