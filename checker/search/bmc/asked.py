"""Turns every question about a system into a condition on a single state.

A question about a step becomes a condition on the state before the step: the new values replace the
cells after it. So the solver only looks for a run to a state; the step that follows is looked up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from finale.checker.search.solving.encoding import RulePath
from finale.checker.search.state_graph.folding import Known, folded
from finale.checker.search.state_graph.questions import FAULTS, Asked, Topic, of_states, of_steps
from finale.model.expressions import (
    FALSE,
    Cell,
    Expression,
    cell,
    conjunction,
    disjunction,
    equal,
    negation,
)
from finale.model.system import Blocked, Fault, System, Update

#: That a state is a deadlock: of no property.
DEADLOCK: Topic = (Asked.REACHED, -1)


@dataclass(frozen=True)
class Sought:
    """States to find: they show a subject or, if `further` is 1, a step from them does."""

    subject: Topic
    condition: Expression
    further: int


def sought(system: System, ways: Sequence[RulePath]) -> Iterator[Sought]:
    """Yield the conditions for all questions, except those that are impossible at sight."""
    found: dict[tuple[Topic, int], list[Expression]] = {(DEADLOCK, 0): [_deadlock(system, ways)]}
    for question in of_states(system):
        found.setdefault((question.topic, 0), []).append(question.condition)
    for way in ways:
        for topic, condition in _on_step(system, way):
            found.setdefault((topic, 1), []).append(conjunction([way.condition, condition]))
    for (subject, further), conditions in found.items():
        condition = disjunction(conditions)
        if condition is not FALSE:
            yield Sought(subject, condition, further)


def _on_step(system: System, way: RulePath) -> Iterator[tuple[Topic, Expression]]:
    """What is asked of a step that takes a way, as conditions on the state before it."""
    if isinstance(way.end, Fault):
        yield FAULTS, conjunction(())
    if not isinstance(way.end, Update):
        return
    after: Known = {
        cell(each.index, each.low, each.high, each.boolean, after=True): way.writes.get(index, each)
        for index, each in enumerate(system.cells)
        if isinstance(each, Cell)
    }
    memo: Known = {}
    for question in of_steps(system, way.rule):
        yield question.topic, folded(question.condition, after, memo)


def _deadlock(system: System, ways: Sequence[RulePath]) -> Expression:
    """Whether a state is a deadlock: `semantics.is_deadlock` as an expression."""
    goes_on: list[Expression] = [system.terminal]
    for way in ways:
        if not system.rules[way.rule].rule.makes_progress:
            continue
        match way.end:
            case Update():
                changes = [
                    negation(equal(value, system.cells[index]))
                    for index, value in way.writes.items()
                ]
                goes_on.append(conjunction([way.condition, disjunction(changes)]))
            case Fault():
                goes_on.append(way.condition)
            case Blocked(bound=None):
                pass
            case Blocked():
                goes_on.append(way.condition)
    return negation(disjunction(goes_on))
