"""Asks a solver for runs of a given length, and for the least run to a wanted state.

A run visits no state twice, since leaving out the loop gives a shorter run to the same state. The
solver is told this for a pair of positions only after it has found a run that repeats a state
there, so most pairs cost nothing. If there is no run without repetition of some length, every state
is reached by a shorter run, and all that was refuted so far is refuted forever.
"""

from __future__ import annotations

# z3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from finale.checker.search.solving.bit_vectors import Term
from finale.checker.search.solving.encoding import TransitionRelation
from finale.checker.search.solving.solver import Solver
from finale.model.expressions import Expression
from finale.model.semantics import outcome, updated
from finale.model.system import State, Update
from finale.model.trace import Trace

#: So often it is asked at one length for a run without repetition before that is left open.
REPETITIONS_MAX = 100


@dataclass(frozen=True)
class BoundedRun:
    """A run that was found, with the number of its initial state."""

    initial: int
    trace: Trace

    @property
    def order(self) -> tuple[int, ...]:
        """The key by which runs of one length are compared."""
        return self.initial, *self.trace.rules


class BoundedRuns:
    """All runs of one length: of length 0 at first, then one step longer at a time."""

    def __init__(self, encoding: TransitionRelation, look: Callable[[], None]) -> None:
        self.encoding = encoding
        self.solver = Solver(encoding.context, look)
        self.length = 0
        self._differ: set[tuple[int, int]] = set()
        self.solver.add(encoding.initial())

    def extend(self) -> None:
        """Go on to runs with one step more."""
        self.solver.add(self.encoding.step(self.length))
        self.length += 1

    def leave_out(self, condition: Expression) -> None:
        """From now on, exclude runs that begin in a state where the condition holds."""
        self.solver.add(self.encoding.negated(self.encoding.holds(condition, 0)))

    def are_there(self) -> bool:
        """Return whether there may be a run of this length without repetition; False is proven."""
        for _ in range(REPETITIONS_MAX):
            if not self.solver.can_be():
                return False
            repeated = list(self._repeated())
            if not repeated:
                return True
            for one, other in repeated:
                self._differ.add((one, other))
                self.solver.add(self.encoding.differ(one, other))
        return True

    def _repeated(self) -> Iterator[tuple[int, int]]:
        model, seen = self.solver.model, dict[State, int]()
        for number in range(self.length + 1):
            state = self.encoding.state(model, number)
            if state in seen:
                yield seen[state], number
            seen[state] = number

    def last_state(self, condition: Expression) -> State | None:
        """Return the last state of some run to the condition; if None, there is no such run."""
        term = self.encoding.holds(condition, self.length)
        if self.solver.can_be(self.solver.literal(term)):
            return self.encoding.state(self.solver.model, self.length)
        self.solver.add(self.encoding.negated(term))
        return None

    def least(self, condition: Expression) -> BoundedRun | None:
        """Return the least run of this length to a state where the condition holds."""
        solver, encoding = self.solver, self.encoding
        assumed = [solver.literal(encoding.holds(condition, self.length))]
        if not solver.can_be(*assumed):
            return None
        initial = self._least(assumed, -1, range(len(encoding.initial_states)))
        states, rules = [encoding.initial_states[initial]], list[int]()
        for number in range(self.length):
            after = dict(self._steps(states[-1]))
            rules.append(self._least(assumed, number, after))
            states.append(after[rules[-1]])
        return BoundedRun(initial, Trace(tuple(states), tuple(rules)))

    def _least(self, assumed: list[Term], number: int, possible: range | dict[int, State]) -> int:
        """The least choice of a step; it is assumed from now on."""
        encoding, solver = self.encoding, self.solver
        chosen = encoding.chosen(solver.model, number)
        for choice in possible:
            literal = solver.literal(encoding.choice(number) == choice)
            if choice == chosen or solver.can_be(*assumed, literal):
                assumed.append(literal)
                return choice
        raise AssertionError("what the solver has chosen is possible")

    def _steps(self, state: State) -> Iterator[tuple[int, State]]:
        for index, rule in enumerate(self.encoding.system.rules):
            leaf = outcome(rule.tree, state)
            if isinstance(leaf, Update):
                yield index, updated(leaf, state)
