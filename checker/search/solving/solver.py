"""Runs z3 in a thread, so that the caller can watch and stop it.

Meanwhile the calling thread watches the clock, reports progress and takes the user's interrupt. z3
alone would return an interrupt as an answer.
"""

from __future__ import annotations

# z3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Callable, Sequence
from threading import Thread

import z3

from finale.checker.search.limits import LimitHit
from finale.model.garbage import uncollected

from .bit_vectors import Term

#: Between two looks, in seconds.
BETWEEN_LOOKS = 0.05
#: Most questions are answered after so many conflicts: no thread is begun for them.
FEW, ALL = 100, 2**32 - 1


class Solver:
    """Assertions, and questions about them. `look` may raise to stop a question."""

    def __init__(self, context: z3.Context, look: Callable[[], None], logic: str = "QF_FD") -> None:
        self._context = context
        self._solver = z3.SolverFor(logic, context)
        self._solver.set("ctrl_c", False)
        self._look = look
        self.literals = 0
        self._model: Term = None

    def add(self, term: Term) -> None:
        """Assert terms permanently."""
        self._solver.add(term)

    def literal(self, term: Term) -> Term:
        """Return a truth value that implies a term. If it is not assumed, the term is free."""
        self.literals += 1
        name = z3.Bool(f"if{self.literals}", self._context)
        self._solver.add(z3.Implies(name, term))
        return name

    def drop(self, literal: Term) -> None:
        """Never assume a literal again."""
        self._solver.add(z3.Not(literal))

    def can_be(self, *literals: Term) -> bool:
        """Return whether the assertions and these literals are satisfiable. Raises LimitHit."""
        self._look()
        answer = self._answer(literals, FEW)
        if answer == z3.unknown:
            answer = self._watched(literals)
        if answer == z3.unknown:
            raise LimitHit(f"the solver gave up: {self._solver.reason_unknown()}")
        if answer == z3.unsat:
            return False
        self._model = None
        return True

    def _answer(self, literals: Sequence[Term], conflicts: int) -> Term:
        self._solver.set("max_conflicts", conflicts)
        return self._solver.check(*literals)

    def _watched(self, literals: Sequence[Term]) -> Term:
        """The answer to what is not answered soon. What was learned so far is kept."""
        return watched(lambda: self._answer(literals, ALL), self._context, self._look)

    def core(self) -> frozenset[int]:
        """Return the ids of literals that were unsatisfiable together in the last question."""
        core: Term = self._solver.unsat_core()
        return frozenset(each.get_id() for each in core)

    @property
    def model(self) -> Term:
        """The model of the last question, if it was satisfiable; made on first access."""
        if self._model is None:
            self._model = self._solver.model()
        return self._model


def watched(ask: Callable[[], Term], context: z3.Context, look: Callable[[], None]) -> Term:
    """Return what z3 answers in a thread of its own, while this thread calls `look`.

    If `look` raises, z3 is interrupted. Meanwhile the garbage collector is off: it might free terms
    in this thread, and z3 does not expect that while it works in another.
    """
    answers: list[Term] = []
    thread = Thread(target=lambda: answers.append(ask()), daemon=True)
    with uncollected():
        try:
            thread.start()
            while thread.is_alive():
                thread.join(BETWEEN_LOOKS)
                look()
        except BaseException:
            while thread.is_alive():  # before it has begun it would not hear
                context.interrupt()
                thread.join(BETWEEN_LOOKS)
            raise
    return answers[0]
