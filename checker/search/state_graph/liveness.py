"""Judges liveness: does every fair run reach what a property promises?

A run violates `leads-to` if the cause holds somewhere and the goal holds neither there nor later. A
run violates `eventually` if the goal never holds (and the antecedent, if any, holds initially).
Such a run ends in a fair component of the states that keep it waiting (`fairness.py`). Conversely,
each such component has such a run.

A verdict that depends on a bound is not decided. If a component is fair in the strict reading,
where a rule blocked by a bound counts as enabled, the property is violated. If components are fair
only in the other reading, a run waits forever only because a bound blocks a fair rule: the verdict
is `unknown` and names the bound. It does not matter if a bound blocks a rule without fairness: such
a rule need not be taken without the bound either.

The goal is owed to the entity that the binding named when the obligation began. If ids are reused
while a goal is owed, the name may pass to another entity. Then only runs without such a step are
examined: if one of them waits, it is a counterexample; otherwise the property is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from finale.checker.search.verdict import Verdict, Word
from finale.model.expressions import FALSE, Expression, negation
from finale.model.system import IDS_GIVEN_AGAIN, Predicate, Property, System
from finale.model.trace import replay

from .fairness import Fair
from .graph import Path
from .lasso import lasso, loop


@dataclass(frozen=True)
class Waiting:
    """A run that waits forever, for one binding of a property."""

    stem: Path
    rules: tuple[int, ...]
    component: tuple[int, ...]
    binding: tuple[tuple[str, str], ...]
    strict: bool

    @property
    def order(self) -> tuple[int, int, tuple[int, ...]]:
        """Shortest first, then the least by initial state and rules."""
        return len(self.rules), self.stem[0][0], self.rules


def is_judged(prop: Property) -> bool:
    """Return whether a property is judged on the complete graph."""
    return prop.kind.is_liveness and not prop.not_asked


def judge(fair: Fair, prop: Property, look: Callable[[], None]) -> Verdict:
    """Return the verdict on a liveness property, on the complete graph. `look` may raise."""
    tests = [_Obligation(fair, prop, predicate) for predicate in prop.predicates]
    if not any(test.is_ever_due() for test in tests):
        return Verdict(prop.name, Word.VACUOUS, why="its antecedent was never true")
    open_tests = [test for test in tests if test.may_wait()]
    for strict in (True, False):
        found: list[Waiting] = []
        for test in open_tests:
            look()
            waiting = test.waiting(strict)
            found += [waiting] if waiting is not None else []
        if found:
            return _verdict(fair, prop, min(found, key=lambda each: each.order))
    if any(test.may_move for test in tests):
        return Verdict(prop.name, Word.NOT_ASKED, why=IDS_GIVEN_AGAIN)
    return Verdict(prop.name, Word.HOLDS)


def _verdict(fair: Fair, prop: Property, waiting: Waiting) -> Verdict:
    component, strict = waiting.component, waiting.strict
    turns = loop(fair, component, waiting.stem[-1][0], strict)
    trace = lasso(fair.graph, waiting.stem, turns)
    replay(fair.system, trace)
    if strict:
        return Verdict(prop.name, Word.VIOLATED, trace, waiting.binding)
    found = sorted({bound for state in component for _, bound in fair.bounds(state)})
    bounds = "bound" if len(found) == 1 else "bounds"
    names = ", ".join(f'"{each}"' for each in found)
    why = f"it waits forever only because of the {bounds} {names}"
    return Verdict(prop.name, Word.UNKNOWN, trace, why=why, bounds=tuple(found))


def questions_of(system: System) -> Iterator[Expression]:
    """Return the questions about single states that the liveness properties need."""
    for prop in filter(is_judged, system.properties):
        for predicate in prop.predicates:
            yield from _questions(predicate)


def _questions(predicate: Predicate) -> tuple[Expression, Expression, Expression]:
    """Whether the antecedent holds, whether the goal is missed, and whether a step can make
    another entity of one that the binding names."""
    return predicate.when, negation(predicate.claim), predicate.moved


class _Obligation:
    """One binding of a property: where it is due, and where it is not yet discharged."""

    def __init__(self, fair: Fair, prop: Property, predicate: Predicate) -> None:
        self.fair, self.graph = fair, fair.graph
        self.binding = predicate.binding
        self.at_once = prop.kind.is_due_at_start
        self._when, self._waits, self._moved = _questions(predicate)

    def is_ever_due(self) -> bool:
        """Return whether the antecedent holds anywhere; of `eventually`, in an initial state."""
        count = self.graph.initial if self.at_once else len(self.graph.states)
        return self.fair.holds_among(self._when, range(count))

    def may_wait(self) -> bool:
        """Whether the goal is missed in some state that a run may stay in: else it cannot wait."""
        return self.fair.holds_among(self._waits, self.fair.staying)

    @cached_property
    def may_move(self) -> bool:
        """Whether the binding can name another entity while the goal is still owed to this one."""
        if self._moved is FALSE:
            return False
        region = self.fair.reached(self._all_causes, self._all_pending)
        return 1 in both(region, self.fair.where(self._moved))

    @cached_property
    def pending(self) -> bytearray:
        """Marks the states where the goal does not hold, and cannot be owed to another entity."""
        return self._staying(self._all_pending)

    @cached_property
    def causes(self) -> bytearray:
        """Marks the states where the property becomes due and the goal does not hold."""
        return self._staying(self._all_causes)

    @cached_property
    def region(self) -> bytearray:
        """Marks the states that a run can wait in: reached from a cause without the goal."""
        return self.fair.reached(self.causes, self.pending)

    @cached_property
    def _all_pending(self) -> bytearray:
        return self.fair.where(self._waits)

    @cached_property
    def _all_causes(self) -> bytearray:
        causes = both(self.fair.where(self._when), self._all_pending)
        if self.at_once:
            later = len(causes) - self.graph.initial
            causes[self.graph.initial :] = bytes(later)
        return causes

    def _staying(self, marks: bytearray) -> bytearray:
        """The marked states, without those from which a step renumbers what the binding names."""
        if not self.may_move:
            return marks
        return both(marks, self.fair.where(negation(self._moved)))

    def waiting(self, strict: bool) -> Waiting | None:
        """Return the least run that waits for ever, if there is one."""
        ends, component_of = self.fair.ends(self.region, strict)
        if 1 not in ends:
            return None
        path = self.fair.stem(self.causes, self.pending, ends, self.at_once)
        rules = tuple(self.graph.leaves[leaf].rule for _, leaf in path[1:])
        return Waiting(path, rules, tuple(component_of(path[-1][0])), self.binding, strict)


def both(some: bytearray, others: bytearray) -> bytearray:
    """Mark the states that are marked twice: as large numbers, since that takes one operation."""
    numbers = int.from_bytes(some, "little") & int.from_bytes(others, "little")
    return bytearray(numbers.to_bytes(len(some), "little"))
