"""Proves with z3 that conditions exclude each other in all states.

A state here is any assignment of values to cells within their bounds, reachable or not. So what is
proven impossible is impossible; what is not proven may still be impossible.
"""

from __future__ import annotations

# z3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Callable, Sequence

import z3

from finale.model.expressions import Expression

from .translation import Translation, Variables, any_of

#: What one question may cost, in z3's own unit, so that the answer does not depend on the machine:
#: of a hundred thousand questions about protocols none took a tenth of it.
RESOURCES_MAX = 1_000_000
#: What all questions may cost together, in the same unit: what is left then counts as possible;
#: nearly four times what partial order takes on `final-checkpoint/pair-three-checkpoints-restarts`.
RESOURCES_IN_ALL = 100_000_000


class Prover:
    """Answers whether conditions may hold together, and remembers the answers.

    `undecided` counts the undecided questions.
    `look` is called before each question to z3, and may raise. The prover has a context of its own,
    so that its answers and their cost do not depend on earlier questions to z3.
    """

    def __init__(
        self, resources_max: int = RESOURCES_IN_ALL, look: Callable[[], None] = lambda: None
    ) -> None:
        self._context = z3.Context()
        self._solver = z3.SolverFor("QF_LIA", self._context)
        self._solver.set("rlimit", RESOURCES_MAX)
        self._solver.set("ctrl_c", False)  # z3 would take an interrupt for an answer, and keep it
        # The bounds of a cell are added for good: nothing is pushed when its term is made.
        variables = Variables("cell", self._context, self._solver.add)
        self._terms = Translation(variables, self._context)
        self._known: dict[tuple[frozenset[Expression], frozenset[Expression]], bool] = {}
        self._resources_max, self._look = resources_max, look
        #: What was asked has cost so much: z3 counts it for the context.
        self.spent = 0
        self.asked = 0
        self.undecided: int = 0

    def may_hold(self, facts: Sequence[Expression], ways: Sequence[Expression]) -> bool:
        """Return whether some state may satisfy all facts and one of the ways."""
        question = frozenset(facts), frozenset(ways)
        known = self._known.get(question)
        if known is None:
            known = self._known[question] = self._ask(facts, ways)
        return known

    def _ask(self, facts: Sequence[Expression], ways: Sequence[Expression]) -> bool:
        if self.spent >= self._resources_max:
            self.undecided += 1
            return True
        self._look()
        self.asked += 1
        solver = self._solver
        wanted = [self._terms.of(each) for each in facts]
        wanted.append(any_of([self._terms.of(each) for each in ways], self._context))
        solver.push()
        solver.add(*wanted)
        answer = solver.check()
        self.spent = int(solver.statistics().get_key_value("rlimit count"))
        solver.pop()
        if answer == z3.unknown:
            self.undecided += 1
        return bool(answer != z3.unsat)


__all__ = ["Prover"]
