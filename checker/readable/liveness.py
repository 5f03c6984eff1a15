"""Liveness: whether on every fair run what is promised comes about.

A run violates `leads-to` if its cause holds somewhere and its goal neither there nor later, and
`eventually` if its goal never holds (where its antecedent, if it has one, holds initially). Such a
run ends in a fair component of the states that keep it waiting (`fairness.py`), and there is one
if there is such a component.

What a bound has a part in is not decided. If a component is fair in the strict reading, where what
a bound blocks counts as enabled, the property is violated. If only others are fair, a run waits for
ever only because a bound blocks a fair rule: `unknown`, naming the bound. That a bound blocks a
rule that is never fair does not matter: such a rule need not be taken without the bound either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from checker.answer import Holds, Unknown, Vacuous, Verdict, Violated
from model.expressions import conjunction, negation
from model.system import Kind, Predicate, Property
from model.trace import replay

from .fairness import Fair
from .lasso import Path, lasso, loop, stem


@dataclass(frozen=True)
class Waiting:
    """A run that waits for ever, for one binding of a property; `bounds` have a part in it."""

    stem: Path
    rules: tuple[int, ...]
    component: tuple[int, ...]
    binding: tuple[tuple[str, str], ...]
    strict: bool
    bounds: tuple[str, ...]

    @property
    def order(self) -> tuple[int, int, tuple[int, ...]]:
        """Shortest first, then the least by initial state and rules."""
        return len(self.rules), self.stem[0][0], self.rules


def judge(fair: Fair, prop: Property, look: Callable[[], None]) -> Verdict:
    """The verdict on a liveness property, on the complete graph. `look` may raise to stop it."""
    tests = [_Obligation(fair, prop, predicate) for predicate in prop.predicates]
    if not any(test.is_ever_due for test in tests):
        return Vacuous("its antecedent was never true")
    for strict in (True, False):
        found: list[Waiting] = []
        for test in tests:
            look()
            waiting = test.waiting(strict)
            found += [waiting] if waiting is not None else []
        if found:
            return _verdict(fair, min(found, key=lambda each: each.order))
    return Holds()


def _verdict(fair: Fair, waiting: Waiting) -> Verdict:
    component, strict = waiting.component, waiting.strict
    turns = loop(fair, component, waiting.stem[-1][0], strict)
    trace = lasso(fair.graph, waiting.stem, turns)
    replay(fair.machine.system, trace)
    if strict:
        return Violated(trace, waiting.binding)
    names = ", ".join(waiting.bounds)
    return Unknown(f"it waits for ever only because of the bound {names}", trace)


class _Obligation:
    """One binding of a property: where it is due, and where it is not yet discharged."""

    def __init__(self, fair: Fair, prop: Property, predicate: Predicate) -> None:
        graph = fair.graph
        self.fair, self.graph = fair, graph
        self.binding = predicate.binding
        self.at_once = prop.kind is Kind.EVENTUALLY
        waits = negation(predicate.claim)
        due = conjunction([predicate.when, waits])
        test = fair.machine.state_test([waits, due, predicate.when])
        self.pending = bytearray(len(graph.states))
        self.causes = bytearray(len(graph.states))
        self.is_ever_due = False
        for state, values in enumerate(graph.states):
            for question in test(values):
                if question == 0:
                    self.pending[state] = 1
                elif not self.at_once or state < graph.initial:
                    if question == 1:
                        self.causes[state] = 1
                    self.is_ever_due = True

    def waiting(self, strict: bool) -> Waiting | None:
        """The least run that waits for ever, if there is one."""
        region = self._due()
        ends = bytearray(len(self.graph.states))
        component_of: dict[int, list[int]] = {}
        for component in self.fair.components(region, strict):
            for state in component:
                ends[state] = 1
                component_of[state] = component
        if not component_of:
            return None
        path = stem(self.graph, self.causes, self.pending, ends, self.at_once)
        rules = tuple(self.graph.leaves[leaf].rule for _, leaf in path[1:])
        component = component_of[path[-1][0]]
        bounds = {bound for state in component for _, bound in self.fair.bounds(state)}
        return Waiting(path, rules, tuple(component), self.binding, strict, tuple(sorted(bounds)))

    def _due(self) -> Sequence[int]:
        """The states that a run can wait in: reached from a cause without meeting the goal."""
        marked = bytearray(self.causes)
        found = [state for state, is_cause in enumerate(self.causes) if is_cause]
        for state in found:  # it grows while it is read
            for after in self.fair.successors(state):
                if self.pending[after] and not marked[after]:
                    marked[after] = 1
                    found.append(after)
        return sorted(found)


__all__ = ["judge"]
