"""Translates expressions into terms of z3, with the integers of z3.

Truth values and connectives are always those of z3. A subclass can choose other integers:
`bit_vectors.py` uses bit-vectors.
"""

from __future__ import annotations

# z3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Callable, Sequence
from typing import Any, assert_never

import z3

from finale.checker.search.state_graph.folding import OPERATIONS, fold
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

Term = Any
"""A term of z3."""


def all_of(terms: Sequence[Term], context: z3.Context) -> Term:
    """Return the conjunction of terms, without the checks of z3's `And`, which take most of the
    time.
    """
    array = (z3.Ast * len(terms))(*(each.as_ast() for each in terms))
    return z3.BoolRef(z3.Z3_mk_and(context.ref(), len(terms), array), context)


def any_of(terms: Sequence[Term], context: z3.Context) -> Term:
    """Return the disjunction of terms."""
    array = (z3.Ast * len(terms))(*(each.as_ast() for each in terms))
    return z3.BoolRef(z3.Z3_mk_or(context.ref(), len(terms), array), context)


class Translation:
    """The terms of expressions; `variable` makes those of cells. Each node is translated once."""

    def __init__(self, variable: Callable[[Cell], Term], context: z3.Context) -> None:
        self._variable = variable
        self._context = context
        self._made: dict[Expression, Term] = {}

    def of(self, root: Expression) -> Term:
        """Return the term of an expression."""
        return fold(root, self._make, self._made)

    def _make(self, node: Expression) -> Term:
        of = self._made.__getitem__
        match node:
            case Constant():
                if node.boolean:
                    return z3.BoolVal(bool(node.value), self._context)
                return self._constant(node)
            case Cell():
                return self._variable(node)
            case Add() | Subtract():
                return self._computed(node)
            case Equal() | Less():
                if node.left.boolean:
                    assert isinstance(node, Equal)
                    return of(node.left) == of(node.right)
                return self._compared(node)
            case Not():
                return z3.Not(of(node.operand))
            case And():
                return all_of([*map(of, node.operands)], self._context)
            case Or():
                return any_of([*map(of, node.operands)], self._context)
            case IfThenElse():
                yes, no = of(node.yes), of(node.no)
                if not node.boolean:
                    yes, no = self._as_one(node)
                return z3.If(of(node.condition), yes, no)
            case _:
                assert_never(node)

    # --- integers --------------------------------------------------------------------------------

    def _constant(self, node: Constant) -> Term:
        return z3.IntVal(node.value, self._context)

    def _computed(self, node: Add | Subtract) -> Term:
        return OPERATIONS[type(node)](self._made[node.left], self._made[node.right])

    def _compared(self, node: Equal | Less) -> Term:
        return OPERATIONS[type(node)](self._made[node.left], self._made[node.right])

    def _as_one(self, node: IfThenElse) -> tuple[Term, Term]:
        """Both sides of a choice, as integers of one kind."""
        return self._made[node.yes], self._made[node.no]


class Variables:
    """Free variables for cells, made on first use; `bounded` is given the bounds of each.

    The integers are those of z3.
    """

    def __init__(
        self, name: str, context: z3.Context, bounded: Callable[[Term], None] | None = None
    ) -> None:
        self._name, self._context, self._bounded = name, context, bounded
        self._made: dict[tuple[int, bool], Term] = {}

    def __call__(self, cell: Cell) -> Term:
        """The variable of a cell: before a step, or after it."""
        key = cell.index, cell.after
        term = self._made.get(key)
        if term is None:
            term = self._made[key] = self._new(cell)
        return term

    def _new(self, cell: Cell) -> Term:
        name = f"{self._name}{cell.index}{'after' if cell.after else ''}"
        if cell.boolean:
            return z3.Bool(name, self._context)
        term = z3.Int(name, self._context)
        if self._bounded is not None:
            self._bounded(z3.And(cell.low <= term, term <= cell.high))
        return term


__all__ = ["Term", "Translation", "Variables", "all_of", "any_of"]
