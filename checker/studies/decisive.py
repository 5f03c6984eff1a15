"""Finds the decisive steps of a counterexample: those without which the property could still hold.

A violation is *inevitable* in a state if every fair run from there violates the property. In the
last state of a counterexample it is inevitable: it has happened. Some step before made it so; that
one is the *point of no return*. The steps after it only let it happen.

Of the steps up to that point not all are needed. This file leaves out one step after the other,
together with the steps that are not enabled without it, as long as the violation stays inevitable.
The steps that remain are decisive: they are a run, they make the violation inevitable, and if any
one of them is left out, some run that goes on from there keeps the property.

Inevitable is claimed only after all states that could keep the property were seen:

- Of a safety property: no run without a violation reaches a state where it may stay. A run may stay
  where no step is enabled that is promised to happen, and on every cycle.
- Of a liveness property: the goal is owed and cannot be reached.

A run that stays on a cycle may be unfair. Then a state counts as not inevitable although it is, and
more steps are marked than needed; never fewer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from finale.checker.search.bfs.machine import CompiledSuccessors
from finale.checker.search.limits import LimitHit
from finale.checker.search.state_graph.questions import Asked, of_states, of_steps
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Verdict
from finale.model.expressions import FALSE, TRUE
from finale.model.semantics import is_deadlock, outcome, updated
from finale.model.system import Fairness, Predicate, State, System, Update
from finale.model.trace import Trace

#: So many states are looked at for one counterexample. Beyond this nothing is claimed.
STATES_MAX = 100_000

Run = tuple[int, ...]
"""Steps of a trace by their numbers; the first step is 1."""


@dataclass(frozen=True)
class Decisive:
    """The decisive steps of a trace by their numbers, or `why` none can be named.

    The last one is the point of no return of the run of these steps; in the whole trace it is the
    step `no_return`.
    """

    steps: Run = ()
    no_return: int | None = None
    why: str = ""


def decisive_steps(system: System, verdict: Verdict, states_max: int = STATES_MAX) -> Decisive:
    """The decisive steps of the counterexample of a verdict."""
    trace = verdict.counterexample
    if trace is None:
        return Decisive(why="it is no counterexample")
    try:
        future = future_of(system, verdict, trace, states_max)
        if future is None:
            return Decisive(why="ids are given again while the goal is owed")
        return _decisive(trace, future)
    except LimitHit as limit:
        return Decisive(why=f"more than {limit}")


def _decisive(trace: Trace, future: Future) -> Decisive:
    length = len(trace.rules)
    all_steps = tuple(range(1, length + 1))
    low, high = 0, length  # once inevitable, always inevitable
    while low < high:
        middle = (low + high) // 2
        if future.dooms(trace, all_steps[:middle]) is not None:
            high = middle
        else:
            low = middle + 1
    kept, position = all_steps[:low], low - 1
    while position >= 0:
        # The later steps first: what a step makes possible goes before the step itself.
        shorter = future.dooms(trace, (*kept[:position], *kept[position + 1 :]))
        if shorter is None:
            position -= 1
        else:
            kept, position = shorter, len(shorter) - 1
    return Decisive(kept, low)


@lru_cache(maxsize=2)  # for all traces of a page about two specs
def _machine(system: System) -> CompiledSuccessors:
    return CompiledSuccessors(system)


class Future(ABC):
    """What can still happen: successors are computed when they are asked for, and once."""

    def __init__(self, system: System, states_max: int) -> None:
        self.system, self.states_max = system, states_max
        self._successors: dict[State, tuple[tuple[int, State], ...]] = {}
        self._faulty: set[State] = set()
        self._known: dict[State, bool] = {}
        self._fair = [each.rule.fairness is not Fairness.NONE for each in self.system.rules]

    @property
    def machine(self) -> CompiledSuccessors:
        return _machine(self.system)

    def dooms(self, trace: Trace, run: Run) -> Run | None:
        """The steps of `run` that are enabled one after the other, if they doom the property."""
        state = trace.states[0]
        taken: list[int] = []
        states = [state]
        for number in run:
            leaf = outcome(self.system.rules[trace.rules[number - 1]].tree, state)
            if isinstance(leaf, Update):
                after = updated(leaf, state)
                if self.violates_on(trace.rules[number - 1], state, after):
                    return (*taken, number)
                state = after
                taken.append(number)
                states.append(state)
                if self.violates_in(state):
                    return tuple(taken)
            elif leaf == trace.fault:
                return (*taken, number)
        return tuple(taken) if self.is_doomed(states) else None

    def violates_in(self, state: State) -> bool:
        """Whether the violation has happened in a state."""
        return False

    def violates_on(self, rule: int, state: State, after: State) -> bool:
        """Whether the violation happens on a step."""
        return False

    @abstractmethod
    def is_doomed(self, states: list[State]) -> bool:
        """Whether the violation is inevitable after a run through these states."""

    def successors(self, state: State) -> tuple[tuple[int, State], ...]:
        """The rules that change a state, with the states that they lead to. Raises LimitHit."""
        known = self._successors.get(state)
        if known is None:
            if len(self._successors) == self.states_max:
                raise LimitHit(f"{self.states_max} states follow from it")
            faults: list[int] = []
            leaves = self.machine.leaves
            taken = self.machine.expand(state, faults)
            known = tuple((leaves[leaf].rule, after) for leaf, after in taken if after != state)
            if faults:
                self._faulty.add(state)
            self._successors[state] = known
        return known

    def may_end_in(self, state: State) -> bool:
        """Whether a run may end in a state: no rule is enabled that is promised to happen."""
        return not any(self._fair[rule] for rule, _ in self.successors(state))

    def has_fault(self, state: State) -> bool:
        """Whether a fault is one of the steps of a state."""
        self.successors(state)
        return state in self._faulty

    def explore(
        self,
        start: State,
        follow: Callable[[State], Iterator[State]],
        ends: Callable[[State], bool],
    ) -> bool:
        """Whether a run along `follow` comes to one of the ends, or round a cycle."""
        known = self._known
        if start in known:
            return known[start]
        path: dict[State, Iterator[State]] = {}

        def enter(state: State) -> bool:
            """Take a state on the path; whether the search is over."""
            if state in path or known.get(state):
                return True
            if state in known:
                return False
            path[state] = iter(())
            if ends(state):
                return True
            path[state] = follow(state)
            return False

        over = enter(start)
        while path and not over:
            state, left = next(reversed(path.items()))
            after = next(left, None)
            if after is None:
                known[state] = False
                del path[state]
            else:
                over = enter(after)
        known.update(dict.fromkeys(path, True))
        return over


class SafetyFuture(Future):
    """Whether runs can go on forever, or come to rest, without a violation."""

    def __init__(self, system: System, states_max: int, verdict: Verdict) -> None:
        super().__init__(system, states_max)
        self._name = verdict.property
        names = [each.name for each in system.properties]
        topic = (Asked.FAILS, names.index(verdict.property) if verdict.property in names else -1)
        in_states = [q.condition for q in of_states(system) if q.topic == topic]
        self._in_state = self.machine.state_test(in_states)
        self._on_step = [
            self.machine.step_test(conditions) if conditions else None
            for rule in range(len(system.rules))
            for conditions in [[q.condition for q in of_steps(system, rule) if q.topic == topic]]
        ]

    def violates_in(self, state: State) -> bool:
        if self._name == NO_DEADLOCK:
            return self._is_deadlock(state)
        return bool(self._in_state(state))

    def _is_deadlock(self, state: State) -> bool:
        rules = self.system.rules
        is_going_on = any(rules[number].rule.makes_progress for number, _ in self.successors(state))
        return not is_going_on and is_deadlock(self.system, state)

    def violates_on(self, rule: int, state: State, after: State) -> bool:
        test = self._on_step[rule]
        return test is not None and bool(test(state, after))

    def is_doomed(self, states: list[State]) -> bool:
        return not self.explore(states[-1], self._without_violation, self._keeps)

    def _keeps(self, state: State) -> bool:
        if self.violates_in(state):
            return False
        is_stuck = self._name == WELL_FORMED and self.has_fault(state)
        return self.may_end_in(state) and not is_stuck

    def _without_violation(self, state: State) -> Iterator[State]:
        if self.violates_in(state):
            return
        for rule, after in self.successors(state):
            if not self.violates_on(rule, state, after):
                yield after


class GoalFuture(Future):
    """Whether the goal that a run owes can be reached."""

    def __init__(self, system: System, states_max: int, when: bool, predicate: Predicate) -> None:
        super().__init__(system, states_max)
        cause = predicate.when if when else TRUE
        self._test = self.machine.state_test([cause, predicate.claim])

    def is_doomed(self, states: list[State]) -> bool:
        owed = False
        for state in states:
            true = self._test(state)
            owed = (owed or 0 in true) and 1 not in true
        return owed and not self._reaches(states[-1])

    def _reaches(self, start: State) -> bool:
        """Whether the goal holds in some state that can follow. All states are looked at."""
        seen, open_states = {start}, [start]
        while open_states:
            state = open_states.pop()
            if 1 in self._test(state):
                return True
            for _, after in self.successors(state):
                if after not in seen:
                    seen.add(after)
                    open_states.append(after)
        return False


def future_of(system: System, verdict: Verdict, trace: Trace, states_max: int) -> Future | None:
    """Return what can still happen on a counterexample; None if ids are given again meanwhile."""
    prop = next((each for each in system.properties if each.name == verdict.property), None)
    if prop is None or prop.kind.is_safety:
        return SafetyFuture(system, states_max, verdict)
    predicate = next(each for each in prop.predicates if each.binding == verdict.binding)
    if predicate.moved is not FALSE:
        return None
    return GoalFuture(system, states_max, not prop.kind.is_due_at_start, predicate)
