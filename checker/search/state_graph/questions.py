"""The questions about every state and every step, and the first occurrence of a `yes`."""

from __future__ import annotations

import enum
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from finale.model.expressions import FALSE, Expression, conjunction, negation
from finale.model.semantics import Known, evaluate
from finale.model.system import Kind, Predicate, State, System


class Asked(enum.Enum):
    """What a question asks about a predicate. Only the first `yes` counts."""

    FAULT = "reads what is not there"
    WHEN = "the antecedent holds"
    FAILS = "the antecedent holds and the claim does not"
    REACHED = "it holds: the witness"


Topic = tuple[Asked, int]
"""What is asked, of which property: questions of one topic are settled by the first `yes` to any.

Faults, of rules and of all properties, are one topic: they have one row.
"""

FAULTS: Topic = (Asked.FAULT, -1)


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
class Occurrence:
    """The first `yes` to a topic: in a state or, with `leaf`, on the step that takes the leaf.

    `place` orders occurrences: length of the trace, the expanded state, the rule. A step into a
    fault has no state `after`.
    """

    place: tuple[int, int, int]
    state: int
    leaf: int | None = None
    after: State | None = None
    binding: tuple[tuple[str, str], ...] = ()


def why_vacuous(answered: Container[Topic], system: System, index: int) -> str:
    """Return why a property that is not violated says nothing, if it does not.

    `answered` are the topics of which some question is true in a state or on a step that was seen.
    """
    if (Asked.WHEN, index) not in answered:
        return "its antecedent was never true"
    names = [prop.name for prop in system.properties]
    witness = system.properties[index].witness
    if witness is not None and (Asked.REACHED, names.index(witness)) not in answered:
        return f'its witness "{witness}" is never reached'
    return ""


def of_states(system: System) -> list[Question]:
    """Return the questions about every state."""
    return [each for each in _of_states(system) if each.condition is not FALSE]


def of_steps(system: System, rule: int) -> list[Question]:
    """Return the questions about every step of a ground rule."""
    return [each for each in _of_steps(system, rule) if each.condition is not FALSE]


def first_true(
    questions: Iterable[Question], state: State, after: State | None = None
) -> Question | None:
    """Return the first question that is true in a state, or on the step to `after`."""
    known: Known = {}
    holds = (each for each in questions if evaluate(each.condition, state, after, known=known))
    return next(holds, None)


def _fails(predicate: Predicate) -> Expression:
    return conjunction([predicate.when, negation(predicate.claim)])


def _of_states(system: System) -> Iterator[Question]:
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


def _of_steps(system: System, rule: int) -> Iterator[Question]:
    for index, prop in enumerate(system.properties):
        for predicate in prop.on_rules[rule] if prop.on_rules else ():
            yield Question(Asked.FAULT, index, predicate, predicate.fault)
            yield Question(Asked.WHEN, index, predicate, predicate.when)
            yield Question(Asked.FAILS, index, predicate, _fails(predicate))
