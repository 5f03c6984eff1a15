"""Expressions over many packed states at once: an array of values, one a state.

Truth values are arrays of bool, integers of signed 64-bit words; numpy adds truth values as truth
values, so they become integers wherever they are counted with. An expression cannot fail, so each
is computed for all states, once, where it is asked first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from checker.search.native.layout import Layout
from checker.search.native.values import check_bounds
from checker.search.state_graph.folding import parts
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

Rows = NDArray[np.uint64]
"""Packed states: a row each, a column a word."""

Values = NDArray[Any]
"""Truth values or integers, one a state."""

Numbers = NDArray[np.int64]


class Columns:
    """The values of expressions in the states of some rows; those of cells are unpacked on demand.

    `written` has what cells hold after the step that is asked about, as expressions over those
    before it.
    """

    def __init__(self, layout: Layout, cells: tuple[Expression, ...], rows: Rows) -> None:
        self.layout = layout
        self.cells = cells
        self.rows = rows
        self.written: Mapping[int, Expression] = {}
        self._values: dict[Expression, Values] = {}
        self._above: tuple[Columns, Numbers] | None = None

    def at(self, states: Numbers, written: Mapping[int, Expression]) -> Columns:
        """The same for some of the states, with what a step from them writes."""
        below = Columns(self.layout, self.cells, self.rows[states])
        below.written = written
        below._above = (self, states)
        return below

    def truth(self, expression: Expression) -> NDArray[np.bool_]:
        """The truth values of an expression."""
        assert expression.boolean
        return self._filled(expression)

    def number(self, expression: Expression) -> Numbers:
        """The integers that an expression is; of truth values, 0 and 1."""
        return self._filled(expression).astype(np.int64, copy=False)

    def _filled(self, expression: Expression) -> Values:
        if isinstance(expression, Constant):
            kind = np.bool_ if expression.boolean else np.int64
            return np.full(len(self.rows), expression.value, kind)
        return self._of(expression)

    def _of(self, root: Expression) -> Values:
        pending = [root]
        while pending:
            node = pending.pop()
            if node in self._values:
                continue
            known = self._known_above(node)
            if known is not None:
                self._values[node] = known
                continue
            missing = [
                part
                for part in self._operands(node)
                if part not in self._values and not isinstance(part, Constant)
            ]
            if missing:
                pending += [node, *missing]
            else:
                check_bounds(node)
                self._values[node] = self._made(node)
        return self._values[root]

    def _known_above(self, node: Expression) -> Values | None:
        if self._above is None:
            return None
        above, states = self._above
        found = above._values.get(node)
        return None if found is None else found[states]

    def _operands(self, node: Expression) -> tuple[Expression, ...]:
        if isinstance(node, Cell) and node.after:
            return (self._after(node),)
        return parts(node)

    def _after(self, cell: Cell) -> Expression:
        return self.written.get(cell.index, self.cells[cell.index])

    # --- one node, its parts known ---------------------------------------------------------------

    def _truth(self, node: Expression) -> Any:
        return bool(node.value) if isinstance(node, Constant) else self._values[node]

    def _number(self, node: Expression) -> Any:
        if isinstance(node, Constant):
            return node.value
        return self._values[node].astype(np.int64, copy=False)

    def _made(self, node: Expression) -> Values:
        found: Any
        match node:
            case Constant():
                raise AssertionError("constants are not computed")
            case Cell():
                return self._after_step(node) if node.after else self._unpacked(node)
            case Add():
                found = self._number(node.left) + self._number(node.right)
            case Subtract():
                found = self._number(node.left) - self._number(node.right)
            case Equal():
                found = self._number(node.left) == self._number(node.right)
            case Less():
                found = self._number(node.left) < self._number(node.right)
            case Not():
                found = np.logical_not(self._truth(node.operand))
            case And():
                found = self._truth(node.operands[0])
                for operand in node.operands[1:]:
                    found = np.logical_and(found, self._truth(operand))
            case Or():
                found = self._truth(node.operands[0])
                for operand in node.operands[1:]:
                    found = np.logical_or(found, self._truth(operand))
            case IfThenElse():
                found = self._choice(node)
            case _:
                assert_never(node)
        values: Values = found
        return values

    def _choice(self, node: IfThenElse) -> Values:
        side = self._truth if node.boolean else self._number
        yes: Values = side(node.yes)
        no: Values = side(node.no)
        return np.where(self._truth(node.condition), yes, no)

    def _after_step(self, cell: Cell) -> Values:
        written = self._after(cell)
        if cell.boolean == written.boolean:
            return self._filled(written)
        return self.truth(written) if cell.boolean else self.number(written)

    def _unpacked(self, cell: Cell) -> Values:
        slot = self.layout.slots[cell.index]
        bits = self.rows[:, slot.word] >> np.uint64(slot.shift) & np.uint64(slot.ones)
        if cell.boolean:
            return bits.astype(np.bool_)
        return bits.astype(np.int64) + slot.low


def packed(columns: Columns, writes: Mapping[int, Expression]) -> Rows:
    """The states after a step that writes so much, as rows."""
    rows = columns.rows.copy()
    for index, value in writes.items():
        slot = columns.layout.slots[index]
        if not slot.bits or value is columns.cells[index]:
            continue
        bits = (columns.number(value) - slot.low).astype(np.uint64) << np.uint64(slot.shift)
        kept = np.uint64(slot.mask ^ ((1 << 64) - 1))
        rows[:, slot.word] = rows[:, slot.word] & kept | bits
    return rows


__all__ = ["Columns", "Numbers", "Rows", "packed"]
