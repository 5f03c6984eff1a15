"""Checks that an invariant is one: asked anew, with integers, of each way that a rule can take.

Nothing of the search for it is used: not its encoding of steps, nor bit-vectors, nor its solver.
What a step writes is put in the place of what it reads, so nothing is said of cells that stay.
"""

from __future__ import annotations

# z3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import z3

from checker.explicit.folding import Known, cells_read, folded
from checker.reductions.terms import Term, Translation, Variables
from model.expressions import Cell, Expression, conjunction, disjunction, negation
from model.semantics import evaluate
from model.system import System

from .encoding import Way, ways_of
from .solver import Solver


@dataclass(frozen=True)
class Certificate:
    """What was shown: so many questions had the answer that an invariant gives."""

    clauses: tuple[Expression, ...]
    questions: int


@dataclass
class Certifier:
    """Checks invariants of a system. `look` may raise to stop it."""

    system: System
    look: Callable[[], None]
    questions: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._context = z3.Context()
        self._solver = Solver(self._context, self.look, "QF_LIA")
        self._terms = Translation(Variables("cell", self._context, self._solver.add), self._context)
        self._ways = tuple(way for way in ways_of(self.system) if way.writes)

    def certify(self, clauses: Sequence[Expression], bad: Expression) -> Certificate | str:
        """The certificate that the clauses hold at the start, are kept by each step, and leave no
        state bad; else a word on what is not so."""
        began = self.questions
        for state in dict.fromkeys(self.system.initial):
            if not all(evaluate(clause, state) for clause in clauses):
                return "a clause does not hold at the start"
        together = self._given(clauses)
        if self._can_be(together, bad):
            return "the clauses do not rule out what is bad"
        for way in self._ways:
            if self._can_be(together, self._breaks(way, clauses)):
                rule = self.system.rules[way.rule]
                return f"a clause is not kept by {rule}"
        return Certificate(tuple(clauses), self.questions - began)

    def needed(self, clauses: Sequence[Expression], bad: Expression) -> tuple[Expression, ...]:
        """Of clauses that are an invariant, few that are one by themselves, in the same order."""
        names = [self._given([clause]) for clause in clauses]
        taken: set[int] = set()
        asked: list[Expression] = [bad]
        while asked:
            for number in self._reasons(asked.pop(), names, taken):
                taken.add(number)
                breaks = (self._breaks(way, [clauses[number]]) for way in self._ways)
                asked.append(disjunction(breaks))
        return tuple(clauses[number] for number in sorted(taken))

    def _reasons(self, wanted: Expression, names: Sequence[Term], taken: set[int]) -> list[int]:
        """Clauses that rule something out together with those that are taken: none is left over."""
        literal = self._solver.literal(self._terms.of(wanted))
        known = [names[number] for number in sorted(taken)]
        reasons = self._core(literal, known, names) if self._together(literal, known) else []
        for number in [*reasons]:
            fewer = [each for each in reasons if each != number]
            if not self._together(literal, [*known, *(names[each] for each in fewer)]):
                reasons = fewer
        self._solver.drop(literal)
        return reasons

    def _core(self, literal: Term, known: Sequence[Term], names: Sequence[Term]) -> list[int]:
        assert not self._together(literal, names), "they are an invariant"
        core = self._solver.core() - {each.get_id() for each in known}
        return [number for number, name in enumerate(names) if name.get_id() in core]

    def _together(self, literal: Term, names: Sequence[Term]) -> bool:
        self.questions += 1
        return self._solver.can_be(literal, *names)

    def _given(self, clauses: Sequence[Expression]) -> Term:
        return self._solver.literal(self._terms.of(conjunction(clauses)))

    def _can_be(self, given: Term, wanted: Expression) -> bool:
        self.questions += 1
        literal = self._solver.literal(self._terms.of(wanted))
        found = self._solver.can_be(given, literal)
        self._solver.drop(literal)
        return found

    def _breaks(self, way: Way, clauses: Sequence[Expression]) -> Expression:
        """That a way is taken, and some clause does not hold after it."""
        after: Known = {
            cell: way.writes[index]
            for index, cell in enumerate(self.system.cells)
            if isinstance(cell, Cell) and index in way.writes
        }
        memo: Known = {}
        touched = [
            folded(clause, after, memo)
            for clause in clauses
            if any(cell.index in way.writes for cell in cells_read([clause]))
        ]
        return conjunction([way.condition, negation(conjunction(touched))])


__all__ = ["Certificate", "Certifier"]
