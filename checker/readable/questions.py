"""What a search asks in every state and on every step, and where each answer was first given."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from model.expressions import FALSE, Expression, conjunction, negation
from model.system import Kind, Predicate, State, System

from .machine import Machine, StateTest, StepTest


class Asked(enum.Enum):
    """What a question asks of a predicate. Its first `yes` is what counts."""

    FAULT = "reads what is not there"
    WHEN = "the antecedent holds"
    FAILS = "the antecedent holds and the claim does not"
    REACHED = "it holds: the witness"


Topic = tuple[Asked, int]
"""What is asked, of which property: questions of one topic are settled by the first `yes` to any.

Faults, of rules and of all properties, are one topic: they have one row.
"""

FAULTS: Topic = (Asked.FAULT, -1)


#: With fewer states than this, it takes longer to make tests anew than to ask too much.
STATES_MIN = 500


@dataclass(frozen=True)
class Question:
    """One question about one predicate of the property with the number `subject`."""

    asked: Asked
    subject: int
    predicate: Predicate
    condition: Expression

    @property
    def topic(self) -> Topic:
        return FAULTS if self.asked is Asked.FAULT else (self.asked, self.subject)


@dataclass(frozen=True)
class Finding:
    """The first `yes` to a topic: in a state or, with `leaf`, on the step that it takes from there.

    `place` orders findings: the length of the trace, the state that was expanded, the rule. A step
    into a fault has no state `after`.
    """

    place: tuple[int, int, int]
    state: int
    leaf: int | None = None
    after: State | None = None
    binding: tuple[tuple[str, str], ...] = ()


class Questions:
    """All questions about a system, the tests for those that are still open, and the findings."""

    def __init__(self, machine: Machine) -> None:
        system = machine.system
        self.machine = machine
        self.findings: dict[Topic, Finding] = {}
        self._of_states = _asked(_questions_of_states(system))
        steps = range(len(system.rules))
        self._of_steps = [_asked(_questions_of_steps(system, rule)) for rule in steps]
        self.reopen()

    def reopen(self, states: int = STATES_MIN) -> None:
        """Make tests for what is still open. A search does it now and then, between levels."""
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
        """Whether topics were settled, and states doubled, since the tests were made."""
        return len(self.findings) > self._settled and states >= self._states_wanted

    def in_state(self, positions: Sequence[int], place: tuple[int, int, int], state: int) -> None:
        """The questions at these positions of `state_test` are true in a state."""
        for position in positions:
            question = self._of_states[position]
            self.note(question.topic, Finding(place, state, binding=question.predicate.binding))

    def on_step(
        self, positions: Sequence[int], place: tuple[int, int, int], leaf: int, after: State
    ) -> None:
        """The questions at these positions of the rule's step test are true of a step."""
        _, state, rule = place
        for position in positions:
            question = self._of_steps[rule][position]
            binding = question.predicate.binding
            self.note(question.topic, Finding(place, state, leaf, after, binding))

    def note(self, topic: Topic, finding: Finding) -> None:
        """Keep a finding if it comes before what was found."""
        known = self.findings.get(topic)
        if known is None or finding.place < known.place:
            self.findings[topic] = finding


def _asked(questions: Iterator[Question]) -> list[Question]:
    return [question for question in questions if question.condition is not FALSE]


def _fails(predicate: Predicate) -> Expression:
    return conjunction([predicate.when, negation(predicate.claim)])


def _questions_of_states(system: System) -> Iterator[Question]:
    for index, prop in enumerate(system.properties):
        for predicate in prop.predicates:
            yield Question(Asked.FAULT, index, predicate, predicate.fault)
            match prop.kind:
                case Kind.ALWAYS:
                    yield Question(Asked.WHEN, index, predicate, predicate.when)
                    yield Question(Asked.FAILS, index, predicate, _fails(predicate))
                case Kind.REACHABLE:
                    reached = conjunction([predicate.when, predicate.claim])
                    yield Question(Asked.REACHED, index, predicate, reached)
                case Kind.LEADS_TO | Kind.EVENTUALLY | Kind.ON_STEP:
                    pass


def _questions_of_steps(system: System, rule: int) -> Iterator[Question]:
    for index, prop in enumerate(system.properties):
        for predicate in prop.on_rules[rule] if prop.on_rules else ():
            yield Question(Asked.FAULT, index, predicate, predicate.fault)
            yield Question(Asked.WHEN, index, predicate, predicate.when)
            yield Question(Asked.FAILS, index, predicate, _fails(predicate))


__all__ = ["FAULTS", "Asked", "Finding", "Question", "Questions", "Topic"]
