"""Translates expressions into terms of z3, with integers as bit-vectors.

A bit-vector stores the integer minus the lowest value that the node can have, in as many bits as
the range of the node needs. Packed states store cells in the same way. No sum can overflow, since
each node has room for every value in its range.
"""

from __future__ import annotations

# z3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Mapping, Sequence

import z3

from finale.model.expressions import (
    Add,
    Cell,
    Constant,
    Equal,
    Expression,
    IfThenElse,
    Less,
    Subtract,
)

from .translation import Term, Translation, all_of, any_of


def bits_of(node: Expression) -> int:
    """Return how many bits an integer takes: at least one, since z3 has no empty bit-vector."""
    return max(1, (node.high - node.low).bit_length())


def variable_of(cell: Expression, name: str, context: z3.Context) -> Term:
    """A free variable for a cell's value."""
    if cell.boolean:
        return z3.Bool(name, context)
    return z3.BitVec(name, bits_of(cell), context)


def value_term(cell: Expression, value: int, context: z3.Context) -> Term:
    """A value of a cell, as a term."""
    assert cell.low <= value <= cell.high, "a cell is outside its bounds"
    if cell.boolean:
        return z3.BoolVal(bool(value), context)
    return z3.BitVecVal(value - cell.low, bits_of(cell), context)


class BitVectorTerms(Translation):
    """The terms of expressions over given variables, one for each cell.

    The term of an integer is its value minus its lowest value.
    """

    def __init__(self, variables: Mapping[int, Term], context: z3.Context) -> None:
        super().__init__(self._variable_before, context)
        self._variables = variables

    def _variable_before(self, cell: Cell) -> Term:
        assert not cell.after, "steps are asked of the state before them"
        return self._variables[cell.index]

    def new_value(self, value: Expression, cell: Expression) -> Term:
        """Return an expression as the new value of a cell, in the bits of the cell."""
        term = self.of(value)
        return term if cell.boolean else self._moved(value, cell.low, bits_of(cell))

    def _constant(self, node: Constant) -> Term:
        return value_term(node, node.value, self._context)

    def _computed(self, node: Add | Subtract) -> Term:
        bits, right = bits_of(node), node.right
        left = self._moved(node.left, node.left.low, bits)
        if isinstance(node, Add):
            return left + self._moved(right, right.low, bits)
        span = z3.BitVecVal(right.high - right.low, bits, self._context)
        return left + (span - self._moved(right, right.low, bits))

    def _compared(self, node: Equal | Less) -> Term:
        left, right = node.left, node.right
        low = min(left.low, right.low)
        bits = max(1, (max(left.high, right.high) - low).bit_length())
        one, other = self._moved(left, low, bits), self._moved(right, low, bits)
        return one == other if isinstance(node, Equal) else z3.ULT(one, other)

    def _as_one(self, node: IfThenElse) -> tuple[Term, Term]:
        bits = bits_of(node)
        return self._moved(node.yes, node.low, bits), self._moved(node.no, node.low, bits)

    def _moved(self, node: Expression, low: int, bits: int) -> Term:
        """An integer minus another lowest value, in so many bits: its value must have room."""
        term, own = self._made[node], bits_of(node)
        if isinstance(node, Constant):
            return z3.BitVecVal(node.value - low, bits, self._context)
        if own < bits:
            term = z3.ZeroExt(bits - own, term)
        elif own > bits:  # the value fits by what its path knows: what is cut off would be zero
            term = z3.Extract(bits - 1, 0, term)
        return term if node.low == low else term + z3.BitVecVal(node.low - low, bits, self._context)


class Substitution:
    """Replaces some variables by others, in many terms; the lists are prepared once."""

    def __init__(self, old: Sequence[Term], new: Sequence[Term]) -> None:
        self._kept = old, new
        self._old = (z3.Ast * len(old))(*(each.as_ast() for each in old))
        self._new = (z3.Ast * len(new))(*(each.as_ast() for each in new))

    def of(self, term: Term) -> Term:
        """Return the term, renamed."""
        context = term.ctx
        count = len(self._old)
        found = z3.Z3_substitute(context.ref(), term.as_ast(), count, self._old, self._new)
        return z3.BoolRef(found, context)


__all__ = [
    "BitVectorTerms",
    "Substitution",
    "Term",
    "all_of",
    "any_of",
    "bits_of",
    "value_term",
    "variable_of",
]
