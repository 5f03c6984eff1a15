"""Lifts what a search over representatives found to runs of the system itself.

Under a canonical form, the search visits one representative of each class of states. A run over
representatives is no run of the system: the names in its states are permuted. The lifted run
begins in a true initial state. At each step, it takes the first rule that leads into the class of
the next representative. There is such a rule: states of one class have the same steps, up to names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from finale.checker.search.reductions.canonical import Canonical
from finale.checker.search.state_graph.fairness import Fair
from finale.checker.search.state_graph.questions import Asked, Occurrence, Topic, first_true
from finale.model.semantics import outcome, updated
from finale.model.system import State, Update
from finale.model.trace import Trace

from .breadth_first import NativeSearch
from .finished import FinishedSearch, first_step

ALIKE = "states of one class have the same steps, up to names"


class LiftedSearch(FinishedSearch):
    """What verdicts read of a search under a canonical form that has ended."""

    def __init__(self, search: NativeSearch, canonical: Canonical) -> None:
        super().__init__(search)
        self.canonical = canonical
        self._traces: dict[int, Trace] = {}

    @property
    def fair(self) -> Fair:
        raise AssertionError("fair runs are not asked for under a canonical form")

    @cached_property
    def _findings(self) -> Mapping[Topic, Occurrence]:
        found = super()._findings
        return {topic: self._lifted(topic, each) for topic, each in found.items()}

    def _lifted(self, topic: Topic, finding: Occurrence) -> Occurrence:
        if topic[0] is Asked.WHEN:
            return finding  # only that there is one is told
        state = self.trace_to(finding.state).states[-1]
        if finding.leaf is None:
            asked = first_true(self.machine.topics.in_states[topic], state)
            assert asked is not None, "a question has one answer in all states of a class"
            return replace(finding, binding=asked.predicate.binding)
        step = first_step(self.machine, state, topic, is_fault=finding.after is None)
        assert step is not None, ALIKE
        return replace(finding, leaf=step.leaf, after=step.after, binding=step.binding)

    def trace_to(self, position: int) -> Trace:
        """A shortest run to a state of the class."""
        if position not in self._traces:
            self._traces[position] = self._run_along(super().trace_to(position))
        return self._traces[position]

    def _run_along(self, classes: Trace) -> Trace:
        first, are_alike = classes.states[0], self.canonical.are_alike
        states = [next(each for each in self.system.initial if are_alike(each, first))]
        rules: list[int] = []
        for wanted in classes.states[1:]:
            rule, after = self._step_into(states[-1], wanted)
            rules.append(rule)
            states.append(after)
        return Trace(tuple(states), tuple(rules))

    def _step_into(self, state: State, wanted: State) -> tuple[int, State]:
        for number, rule in enumerate(self.system.rules):
            end = outcome(rule.tree, state)
            if isinstance(end, Update):
                after = updated(end, state)
                if self.canonical.are_alike(after, wanted):
                    return number, after
        raise AssertionError(ALIKE)
