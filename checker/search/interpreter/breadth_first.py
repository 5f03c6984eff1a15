"""A breadth-first search over plain values, which uses no decision trees.

The search counts what other searches count and chooses the same traces: it takes states in the
order found and rules in their order. It is slow, and leaves liveness to the other searches.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from finale.checker.search.limits import (
    INTERRUPTED,
    LimitHit,
    Limits,
    ProgressListener,
    SearchClock,
    SearchProgress,
)
from finale.checker.search.verdict import Statistics
from finale.model.language.properties import Family
from finale.model.system import Blocked, Fault

from .execution import Judgement, PlainSystem, TakenStep, Values

STATES_BETWEEN_LOOKS = 64


@dataclass(frozen=True)
class PlainOccurrence:
    """The first occurrence of something: in a state or, with `rule`, on a step from there.

    A step into a fault has no state `after`. `place` orders occurrences: length of the trace, the
    expanded state, the rule.
    """

    place: tuple[int, int, int]
    state: int
    rule: int | None = None
    after: Values | None = None
    binding: tuple[tuple[str, str], ...] = ()


@dataclass
class InterpreterSearch:
    """The states in the order found, their parents, and the first occurrence of each kind.

    The keys of `findings` are a property and how it was found: its antecedent held, and its claim
    was "true" or "false" there. The key of faults is ("fault", "").
    """

    plain: PlainSystem
    limits: Limits
    progress: ProgressListener | None
    states: list[Values] = field(default_factory=list[Values])
    index: dict[Values, int] = field(default_factory=dict[Values, int])
    parents: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    findings: dict[tuple[str, str], PlainOccurrence] = field(
        default_factory=dict[tuple[str, str], PlainOccurrence]
    )
    exercised: set[str] = field(default_factory=set[str])
    deadlock: int | None = None
    transitions: int = 0
    expanded: int = 0
    depth: int = 0
    stopped: str = ""

    def run(self) -> None:
        """Search until all states are seen, a limit is hit, or the user interrupts."""
        self._clock = SearchClock(self.limits, self.progress)
        try:
            self._run()
        except LimitHit as limit:
            self.stopped = str(limit)
        except KeyboardInterrupt:
            self.stopped = INTERRUPTED
        self.seconds = self._clock.seconds

    def _run(self) -> None:
        for position, values in enumerate(self.plain.initial()):
            self._add(values, (-1, -1), (0, position, -1))
        level_end = len(self.states)
        while self.expanded < level_end:
            for position in range(self.expanded, level_end):
                if position % STATES_BETWEEN_LOOKS == 0:
                    self._look()
                self._expand(position)
                self.expanded = position + 1
            if len(self.states) > level_end:
                self.depth += 1
            level_end = len(self.states)

    def _look(self) -> None:
        self._clock.look(self._progress)

    def _progress(self, seconds: float) -> SearchProgress:
        states = len(self.states)
        frontier = states - self.expanded
        return SearchProgress(states, self.transitions, self.depth, frontier, seconds)

    def _add(self, values: Values, parent: tuple[int, int], place: tuple[int, int, int]) -> None:
        number = len(self.states)
        if number == self.limits.states_max:
            raise LimitHit(self.limits.states_word)
        # Every value must be in its domain, and what is stored must be what was meant.
        assert self.plain.world.decode(self.plain.world.encode(values)) == values
        self.index[values] = number
        self.parents.append(parent)
        self.states.append(values)
        for predicate in self.plain.predicates:
            if not predicate.on_steps:
                says = self.plain.judge_state(predicate, values)
                found = PlainOccurrence(place, number, binding=predicate.binding)
                self._note(predicate.family, says, found)

    def _expand(self, position: int) -> None:
        values, plain = self.states[position], self.plain
        is_going_on = False
        for index, rule in enumerate(plain.rules):
            place = (self.depth + 1, position, index)
            progress = rule.rule.makes_progress
            match plain.take(rule, values):
                case TakenStep(values=after, earlier=earlier):
                    self.transitions += 1
                    self.exercised.add(rule.rule.name)
                    is_going_on |= progress and after != values
                    if after not in self.index:
                        self._add(after, (position, index), place)
                    before = values if earlier is None else earlier
                    for predicate in plain.predicates:
                        if predicate.on_steps:
                            says = plain.judge_step(predicate, before, rule, after)
                            found = PlainOccurrence(
                                place, position, index, after, predicate.binding
                            )
                            self._note(predicate.family, says, found)
                case Fault():
                    is_going_on |= progress
                    self._keep(("fault", ""), PlainOccurrence(place, position, index))
                case Blocked(bound=name):
                    is_going_on |= progress and name is not None
        if not is_going_on and self.deadlock is None and not plain.is_terminal(values):
            self.deadlock = position

    def _note(self, family: Family, says: Judgement, found: PlainOccurrence) -> None:
        if says == "fault":
            self._keep(("fault", ""), found)
        elif says != "silent":
            self._keep(("true" if says else "false", family.name), found)

    def _keep(self, topic: tuple[str, str], found: PlainOccurrence) -> None:
        known = self.findings.get(topic)
        if known is None or found.place < known.place:
            self.findings[topic] = found

    @property
    def statistics(self) -> Statistics:
        """The counts so far."""
        states, depth = len(self.states), self.depth
        if self.stopped and states:
            depth = len(self.path(states - 1)) - 1
        frontier = states - self.expanded
        return Statistics(states, self.transitions, depth, self.seconds, not self.stopped, frontier)

    def path(self, position: int) -> list[tuple[int, int]]:
        """Return a shortest run to a state: each state with the rule that led there, or -1."""
        found: list[tuple[int, int]] = []
        while position >= 0:
            parent, rule = self.parents[position]
            found.append((position, rule))
            position = parent
        return found[::-1]
