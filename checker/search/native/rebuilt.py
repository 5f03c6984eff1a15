"""A search that saw representatives only, told as runs of the system.

A run over representatives is none of the system: its states have others' names. The run that it
stands for begins in a true initial state and takes, at each step, the first rule that leads into
the class of the next one; there is one, for states of one class have the same steps up to names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from checker.search.answer import Statistics
from checker.search.reductions.canonical import Canonical
from checker.search.state_graph.fairness import Fair
from checker.search.state_graph.leaves import Leaf
from checker.search.state_graph.questions import Asked, Finding, Question, Topic
from model.semantics import evaluate, outcome, updated
from model.system import Fault, State, System, Update
from model.trace import Trace

from .topics import Topics
from .walk import Search


class Rebuilt:
    """A search under a canonical form that has ended, as verdicts are drawn from it."""

    def __init__(self, search: Search, canonical: Canonical) -> None:
        self.search = search
        self.canonical = canonical
        self.stopped = search.stopped
        self.stopped_after = search.stopped_after
        self._traces: dict[int, Trace] = {}
        self._findings: Mapping[Topic, Finding] | None = None

    @property
    def system(self) -> System:
        return self.search.system

    @property
    def leaves(self) -> Sequence[Leaf]:
        return self.search.leaves

    @property
    def deadlock(self) -> int | None:
        return self.search.deadlock

    @property
    def statistics(self) -> Statistics:
        return self.search.statistics

    @property
    def fair(self) -> Fair:
        raise AssertionError("fair runs are not asked for under a canonical form")

    def look(self) -> None:
        self.search.look()

    @property
    def findings(self) -> Mapping[Topic, Finding]:
        """The first `yes` to each topic, as it is at the end of the rebuilt run."""
        if self._findings is None:
            found = self.search.findings
            self._findings = {topic: self._rebuilt(topic, found[topic]) for topic in found}
        return self._findings

    def _rebuilt(self, topic: Topic, finding: Finding) -> Finding:
        if topic[0] is Asked.WHEN:
            return finding  # only that there is one is told
        state = self.trace_to(finding.state).states[-1]
        topics = self.search.machine.topics
        if finding.leaf is None:
            asked = _first_true(topics.in_states[topic], state, None)
            assert asked is not None, "a question has one answer in all states of a class"
            return replace(finding, binding=asked.predicate.binding)
        return self._rebuilt_step(topic, finding, state, topics)

    def _rebuilt_step(
        self, topic: Topic, finding: Finding, state: State, topics: Topics
    ) -> Finding:
        """The first step of the state that settles the topic as the step found does."""
        numbers = self.search.machine.numbers
        for number, rule in enumerate(self.system.rules):
            end = outcome(rule.tree, state)
            if finding.after is None:
                if isinstance(end, Fault):
                    return replace(finding, leaf=numbers[number, id(end)])
            elif isinstance(end, Update):
                after = updated(end, state)
                asked = _first_true(topics.of_rule[number].get(topic, []), state, after)
                if asked is not None:
                    leaf, binding = numbers[number, id(end)], asked.predicate.binding
                    return replace(finding, leaf=leaf, after=after, binding=binding)
        raise AssertionError("states of one class have the same steps, up to names")

    # --- runs ------------------------------------------------------------------------------------

    def trace_to(self, position: int) -> Trace:
        """A shortest run to a state of the class."""
        trace = self._traces.get(position)
        if trace is None:
            trace = self._traces[position] = self._run_along(self.search.trace_to(position))
        return trace

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
        raise AssertionError("states of one class have the same steps, up to names")


def _first_true(
    questions: Sequence[Question], state: State, after: State | None
) -> Question | None:
    return next((each for each in questions if evaluate(each.condition, state, after)), None)


__all__ = ["Rebuilt"]
