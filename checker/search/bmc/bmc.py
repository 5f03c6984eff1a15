"""Bounded model checking: asks a solver for counterexamples of length 0, 1, 2 and so on.

The first counterexample found is a shortest one, since all smaller lengths were refuted before. It
is also the least of the shortest, so it is the one that the other searches show. If no longer run
reaches a new state, the answers are complete, as those of the other searches. Otherwise a property
without a counterexample is `unknown`. This search does not judge liveness.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from finale.checker.search.limits import (
    INTERRUPTED,
    LimitHit,
    Limits,
    ProgressListener,
    SearchClock,
    SearchProgress,
)
from finale.checker.search.solving.encoding import TransitionRelation
from finale.checker.search.state_graph.questions import FAULTS, Asked, Topic, of_states, of_steps
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED
from finale.model.expressions import disjunction
from finale.model.semantics import evaluate, is_deadlock, steps
from finale.model.system import Fault, System
from finale.model.trace import Trace, replay

from .asked import DEADLOCK, Sought, sought
from .runs import BoundedRun, BoundedRuns

#: Where nothing else is said, longer counterexamples than this are not looked for.
STEPS_MAX = 25
Binding = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ShortestRun:
    """A run from an initial state that shows what was sought, and the binding of the predicate."""

    initial: int
    trace: Trace
    binding: Binding = ()

    @property
    def order(self) -> tuple[int, ...]:
        """The key by which the least run is chosen."""
        return self.trace.length, self.initial, *self.trace.rules


class BoundedSearch:
    """What a bounded search has found, and up to which length.

    Up to the length `refuted` there is no counterexample beside those found. `stopped` says why no
    longer runs were asked for. If `is_complete`, no longer run reaches a new state.
    """

    def __init__(
        self,
        system: System,
        limits: Limits,
        progress: ProgressListener | None,
        only: Collection[str],
    ) -> None:
        self.system = system
        self.limits = limits
        self.found: dict[Topic, ShortestRun] = {}
        self.refuted = -1
        self.is_complete = False
        self.stopped = ""
        self._steps_max = limits.steps_max or STEPS_MAX
        self._only = frozenset(only)
        self._open: list[Sought] = []
        self._possible: set[Topic] = set()
        self._clock = SearchClock(limits, progress)

    def run(self) -> None:
        """Ask until all is found or refuted, a limit is hit, or the user interrupts."""
        try:
            self._run()
        except LimitHit as limit:
            self.stopped = str(limit)
        except KeyboardInterrupt:
            self.stopped = INTERRUPTED

    @property
    def seconds(self) -> float:
        """The time since the search began."""
        return self._clock.seconds

    # --- asking ----------------------------------------------------------------------------------

    def _run(self) -> None:
        encoding = TransitionRelation(self.system)
        wanted = list(sought(self.system, encoding.ways))
        self._possible = {each.subject for each in wanted}
        if self._deepen(encoding, [each for each in wanted if self._is_asked(each.subject)]):
            # What holds may never have been put to the test.
            tests = [each for each in wanted if self._is_antecedent(each.subject)]
            self._deepen(encoding, tests, self.refuted)
            self.is_complete = True

    def _deepen(
        self, encoding: TransitionRelation, wanted: list[Sought], last: int | None = None
    ) -> bool:
        """Ask for what is wanted, one length after the other, until all is settled.

        The answer is whether no longer run reaches anything new; that is not asked if the `last`
        length is known.
        """
        self._open, runs = wanted, BoundedRuns(encoding, self._look)
        while self._open:
            self._ask(runs)
            if last is None:
                self.refuted = runs.length
            self._open = [each for each in self._open if self._is_open(each, runs.length + 1)]
            if not self._open or runs.length == last:
                return False
            if runs.length >= self._steps_max:
                steps = "step" if self._steps_max == 1 else "steps"
                raise LimitHit(f"the limit of {self._steps_max} {steps}")
            runs.extend()
            if last is None and not runs.are_there():
                return True
        return False

    def is_impossible(self, subject: Topic) -> bool:
        """Return whether the expressions alone exclude such a state and such a step."""
        return subject not in self._possible

    def _is_asked(self, subject: Topic) -> bool:
        if self._only and self._only.isdisjoint(self._rows(subject)):
            return False
        asked, index = subject
        return asked is not Asked.WHEN or self.is_impossible((Asked.FAILS, index))

    def _is_antecedent(self, subject: Topic) -> bool:
        """Whether it is the antecedent of a property that was not found to fail."""
        asked, index = subject
        return asked is Asked.WHEN and (Asked.FAILS, index) not in self.found

    def _rows(self, subject: Topic) -> set[str]:
        """The rows of a report that depend on a subject: its own, and those it is a witness of."""
        if subject == DEADLOCK:
            return {NO_DEADLOCK}
        if subject == FAULTS:
            return {WELL_FORMED}
        own = self.system.properties[subject[1]].name
        return {own} | {each.name for each in self.system.properties if each.witness == own}

    def _is_open(self, wanted: Sought, length: int) -> bool:
        """Whether a run of this length may show it as soon as the one that is known."""
        found = self.found.get(wanted.subject)
        return found is None or found.trace.length >= length + wanted.further

    def _ask(self, runs: BoundedRuns) -> None:
        """Settle all that a run of this length shows, or a step from it that is not too long."""
        length = runs.length
        asked = [
            each
            for each in self._open
            if self._is_open(each, length) and length + each.further <= self._steps_max
        ]
        while asked:
            state = runs.last_state(disjunction(each.condition for each in asked))
            if state is None:
                return
            for each in [each for each in asked if evaluate(each.condition, state)]:
                asked.remove(each)
                self._open.remove(each)
                self._settle(each, runs.least(each.condition))

    def _settle(self, wanted: Sought, run: BoundedRun | None) -> None:
        """Keep the least counterexample; what a state shows comes before what a step shows."""
        assert run is not None, "there is a run, for some state was found"
        found = found_by(self.system, wanted, run)
        known = self.found.get(wanted.subject)
        if known is None or found.order <= known.order:
            self.found[wanted.subject] = found

    def _look(self) -> None:
        """Tell how far it is. Raises LimitHit when the time is over."""
        self._clock.look(self._progress)

    def _progress(self, seconds: float) -> SearchProgress:
        doing = f"no more counterexamples up to depth {max(self.refuted, 0)}"
        return SearchProgress(0, 0, self.refuted, 0, seconds, before=doing)


def found_by(system: System, wanted: Sought, run: BoundedRun) -> ShortestRun:
    """Return a run extended by the step that shows what was sought, if a step shows it."""
    found = _by_step(system, wanted, run) if wanted.further else _by_state(system, wanted, run)
    replay(system, found.trace)
    return found


def _by_state(system: System, wanted: Sought, run: BoundedRun) -> ShortestRun:
    state = run.trace.states[-1]
    for question in of_states(system):
        if question.topic == wanted.subject and evaluate(question.condition, state):
            return ShortestRun(run.initial, run.trace, question.predicate.binding)
    assert wanted.subject == DEADLOCK
    assert is_deadlock(system, state)
    return ShortestRun(run.initial, run.trace)


def _by_step(system: System, wanted: Sought, run: BoundedRun) -> ShortestRun:
    """The first step, in rule order, that shows it."""
    trace = run.trace
    numbers = {id(rule): number for number, rule in enumerate(system.rules)}
    for step in steps(system, trace.states[-1]):
        number = numbers[id(step.rule)]
        rules = (*trace.rules, number)
        if isinstance(step.result, Fault):
            if wanted.subject == FAULTS:
                return ShortestRun(run.initial, Trace(trace.states, rules, fault=step.result))
            continue
        for question in of_steps(system, number):
            if question.topic == wanted.subject and evaluate(
                question.condition, trace.states[-1], step.result
            ):
                longer = Trace((*trace.states, step.result), rules)
                return ShortestRun(run.initial, longer, question.predicate.binding)
    raise AssertionError("some step shows it")
