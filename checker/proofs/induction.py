"""k-induction: after k consecutive states that are not bad, no bad state follows.

The states are any states, reachable or not, but no two are equal: a run that repeats a state has a
shorter run to the same end. `runs.py` is asked whether a run of at most that length from an initial
state is bad.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from finale.checker.search.bmc.runs import REPETITIONS_MAX, BoundedRuns
from finale.checker.search.solving.encoding import TransitionRelation
from finale.checker.search.solving.solver import Solver
from finale.model.expressions import Expression
from finale.model.system import State, System


@dataclass(frozen=True)
class Inductive:
    """A condition is k-inductive: k steps keep it, and k steps from the start do not break it."""

    steps: int
    questions: int


class Induction:
    """Asks whether a condition never holds, by induction over one step, two steps, and so on."""

    def __init__(self, system: System, bad: Expression, look: Callable[[], None]) -> None:
        self.system, self.bad = system, bad
        self.encoding = TransitionRelation(system)
        self.questions = 0
        #: It is not inductive over so many steps.
        self.tried = 0
        self._runs = BoundedRuns(self.encoding, look)
        self._solver = Solver(self.encoding.context, look)
        self._solver.add(self.encoding.bounds(0))

    def prove(self, steps_max: int) -> Inductive | None:
        """Return the number of steps of the induction; None if it fails, or a state is bad."""
        encoding, solver = self.encoding, self._solver
        for steps in range(1, steps_max + 1):
            self.questions += 1
            if self._runs.last_state(self.bad) is not None:
                return None
            here = encoding.holds(self.bad, steps - 1)
            solver.add(encoding.negated(here))
            # Of a run from any state no order may be left out: another one may be bad earlier.
            solver.add(encoding.step(steps - 1, in_order=False))
            bad = solver.literal(encoding.holds(self.bad, steps))
            if self._is_impossible(bad, steps):
                return Inductive(steps, self.questions)
            solver.drop(bad)
            self._runs.extend()
            self.tried = steps
        return None

    def _is_impossible(self, bad: object, steps: int) -> bool:
        for _ in range(REPETITIONS_MAX):
            self.questions += 1
            if not self._solver.can_be(bad):
                return True
            if not self._repeated(steps):
                return False
        return False

    def _repeated(self, steps: int) -> bool:
        """Whether the run that was found repeats a state; such runs are ruled out."""
        model, seen, found = self._solver.model, dict[State, int](), False
        for number in range(steps + 1):
            state = self.encoding.state(model, number)
            if state in seen:
                self._solver.add(self.encoding.differ(seen[state], number))
                found = True
            seen[state] = number
        return found
