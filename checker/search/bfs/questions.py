"""Keeps the questions that are still open while a search runs, and their first answers."""

from __future__ import annotations

from collections.abc import Sequence

from finale.checker.search.state_graph.questions import (
    Occurrence,
    Question,
    Topic,
    of_states,
    of_steps,
)
from finale.model.expressions import Expression
from finale.model.system import State

from .machine import StateTest, StepTest, SuccessorGenerator

#: With fewer states than this, it takes longer to make tests anew than to ask too much.
STATES_MIN = 500


class Questions:
    """All questions about a system, tests for the open ones, and the first answers."""

    def __init__(self, machine: SuccessorGenerator) -> None:
        system = machine.system
        self.machine = machine
        self.findings: dict[Topic, Occurrence] = {}
        self._of_states = of_states(system)
        steps = range(len(system.rules))
        self._of_steps = [of_steps(system, rule) for rule in steps]
        self.reopen()

    def reopen(self, states: int = STATES_MIN) -> None:
        """Make new tests for the open questions. A search does this now and then."""
        self._settled = len(self.findings)
        self._states_wanted = 2 * states
        self._of_states = self._still_open(self._of_states)
        self._of_steps = [self._still_open(asked) for asked in self._of_steps]
        self.state_test: StateTest | None = None
        if self._of_states:
            self.state_test = self.machine.state_test([q.condition for q in self._of_states])
        made: dict[tuple[Expression, ...], StepTest] = {}
        self.step_tests: list[StepTest | None] = []
        for asked in self._of_steps:
            conditions = tuple(question.condition for question in asked)
            if conditions and conditions not in made:
                made[conditions] = self.machine.step_test(conditions)
            self.step_tests.append(made.get(conditions))

    def _still_open(self, asked: list[Question]) -> list[Question]:
        return [question for question in asked if question.topic not in self.findings]

    def worth_reopening(self, states: int) -> bool:
        """Return whether topics were settled, and states doubled, since the tests were made."""
        return len(self.findings) > self._settled and states >= self._states_wanted

    def in_state(self, positions: Sequence[int], place: tuple[int, int, int], state: int) -> None:
        """Keep that the questions at these positions of `state_test` are true in a state."""
        for position in positions:
            question = self._of_states[position]
            self.note(question.topic, Occurrence(place, state, binding=question.predicate.binding))

    def on_step(
        self, positions: Sequence[int], place: tuple[int, int, int], leaf: int, after: State
    ) -> None:
        """Keep that the questions at these positions of the rule's step test are true of a step."""
        _, state, rule = place
        for position in positions:
            question = self._of_steps[rule][position]
            binding = question.predicate.binding
            self.note(question.topic, Occurrence(place, state, leaf, after, binding))

    def note(self, topic: Topic, finding: Occurrence) -> None:
        """Keep an occurrence if it comes before the known one."""
        known = self.findings.get(topic)
        if known is None or finding.place < known.place:
            self.findings[topic] = finding
