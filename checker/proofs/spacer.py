"""Asks Spacer, z3's engine for Horn clauses, for an invariant.

One relation over all cells, truth values and integers, holds the reachable states: the initial
states are in it, and so are the successors of its states. Is a bad state in it? If not, z3 answers
with a condition for the relation, which is translated back to an expression over cells.
"""

from __future__ import annotations

# z3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportUnknownLambdaType=false
from collections.abc import Callable, Sequence
from functools import reduce

import z3

from finale.checker.search.solving.encoding import ways_of
from finale.checker.search.solving.solver import watched
from finale.checker.search.solving.translation import Term, Translation, Variables, all_of
from finale.model.expressions import (
    Cell,
    Expression,
    choose,
    conjunction,
    constant,
    disjunction,
    equal,
    integer,
    less,
    minus,
    negation,
    plus,
    truth,
)
from finale.model.system import State, System


class NotSpoken(Exception):
    """z3 has answered with a term that is no expression of the model."""


class Spacer:
    """The reachable states of a system, for Spacer. `look` may raise to stop it."""

    def __init__(self, system: System, look: Callable[[], None]) -> None:
        self.system, self._look = system, look
        self._context = z3.Context()
        self._cells = [cell for cell in system.cells if isinstance(cell, Cell)]
        bounds: list[Term] = []
        variables = Variables("cell", self._context, bounds.append)
        terms = Translation(variables, self._context)
        self._here = [terms.of(cell) for cell in self._cells]
        self._within = all_of(bounds, self._context)
        self._terms = terms
        sorts = [each.sort() for each in self._here]
        self._reached = z3.Function("reached", *sorts, z3.BoolSort(self._context))

    def prove(self, bad: Expression) -> tuple[Expression, ...] | None:
        """Return clauses of an invariant that excludes all bad states; None if a bad state is
        reached.

        Raises NotSpoken, and what `look` raises.
        """
        solver = z3.SolverFor("HORN", self._context)
        solver.set("ctrl_c", False)
        for state in dict.fromkeys(self.system.initial):
            solver.add(self._reached(*map(self._value, self._cells, self._of(state))))
        here = self._reached(*self._here)
        for way in ways_of(self.system):
            if way.writes:
                after = [self._terms.of(way.writes.get(cell.index, cell)) for cell in self._cells]
                body = z3.And(here, self._within, self._terms.of(way.condition))
                solver.add(self._for_all(z3.Implies(body, self._reached(*after))))
        body = z3.And(here, self._within, self._terms.of(bad))
        solver.add(self._for_all(z3.Implies(body, z3.BoolVal(False, self._context))))
        answer = watched(solver.check, self._context, self._look)
        if answer == z3.unsat:
            return None
        if answer == z3.unknown:
            raise NotSpoken(solver.reason_unknown())
        return self._clauses(solver.model())

    def _of(self, state: State) -> Sequence[int]:
        return [state[cell.index] for cell in self._cells]

    def _value(self, cell: Cell, value: int) -> Term:
        return self._terms.of(constant(value, cell.boolean))

    def _for_all(self, body: Term) -> Term:
        return z3.ForAll(self._here, body)

    def _clauses(self, model: Term) -> tuple[Expression, ...]:
        found = model[self._reached].else_value()
        # The variables of a function are numbered, the first one first.
        found = z3.substitute_vars(found, *self._here)
        known = {each.get_id(): cell for each, cell in zip(self._here, self._cells, strict=True)}
        flat = z3.Then("simplify", "propagate-values", "simplify", ctx=self._context)(found)[0]
        return tuple(_expression(each, known) for each in flat)


def _expression(term: Term, cells: dict[int, Cell]) -> Expression:
    """A term as an expression of the model. Raises NotSpoken."""
    known = cells.get(term.get_id())
    if known is not None:
        return known
    parts = [_expression(each, cells) for each in term.children()]
    if z3.is_int_value(term):
        return integer(term.as_long())
    if z3.is_true(term) or z3.is_false(term):
        return truth(z3.is_true(term))
    joining = _JOINING.get(term.decl().kind())
    if joining is None:
        raise NotSpoken(f"the invariant has {term.decl()} in it")
    return joining(parts)


def _times(parts: Sequence[Expression]) -> Expression:
    """A number times something: as often added, or subtracted."""
    factor, other = parts
    if not isinstance(other, Cell) or factor.low != factor.high:
        raise NotSpoken("the invariant multiplies")
    sum_of: Expression = integer(0)
    for _ in range(abs(factor.low)):
        sum_of = plus(sum_of, other)
    return sum_of if factor.low >= 0 else minus(integer(0), sum_of)


_JOINING: dict[int, Callable[[Sequence[Expression]], Expression]] = {
    z3.Z3_OP_AND: conjunction,
    z3.Z3_OP_OR: disjunction,
    z3.Z3_OP_NOT: lambda parts: negation(parts[0]),
    z3.Z3_OP_IMPLIES: lambda parts: disjunction([negation(parts[0]), parts[1]]),
    z3.Z3_OP_EQ: lambda parts: equal(parts[0], parts[1]),
    z3.Z3_OP_LT: lambda parts: less(parts[0], parts[1]),
    z3.Z3_OP_GT: lambda parts: less(parts[1], parts[0]),
    z3.Z3_OP_LE: lambda parts: negation(less(parts[1], parts[0])),
    z3.Z3_OP_GE: lambda parts: negation(less(parts[0], parts[1])),
    z3.Z3_OP_ADD: lambda parts: reduce(plus, parts),
    z3.Z3_OP_SUB: lambda parts: reduce(minus, parts),
    z3.Z3_OP_UMINUS: lambda parts: minus(integer(0), parts[0]),
    z3.Z3_OP_MUL: _times,
    z3.Z3_OP_ITE: lambda parts: choose(parts[0], parts[1], parts[2]),
}
