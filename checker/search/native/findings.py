"""The first answer to each question, told as the readable search tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.search.state_graph.questions import FAULTS, Finding, Question, Topic
from model.semantics import evaluate, outcome, updated
from model.system import State, Update

from .kernel import places as at
from .kernel.places import RULES_MAX

if TYPE_CHECKING:
    from .walk import Search

Binding = tuple[tuple[str, str], ...]


def findings_of(search: Search) -> dict[Topic, Finding]:
    """What a search has found; of two findings of a topic, what comes first in its order."""
    findings: dict[Topic, Finding] = {}
    topics = search.machine.topics
    found = [
        (topic, _in_state(search, topic, questions, int(number)))
        for (topic, questions), number in zip(
            topics.in_states.items(), search.state_found, strict=True
        )
        if number >= 0
    ]
    found += [
        (
            topic,
            _on_step(search, topic, int(search.step_base[place]), int(search.step_found[place])),
        )
        for topic, place in topics.on_steps.items()
        if search.step_found[place] >= 0
    ]
    position, leaf = int(search.block[at.FAULT_STATE]), int(search.block[at.FAULT_LEAF])
    if position >= 0:
        length = search.tables.level_of(position) + 1
        faulty = Finding((length, position, search.leaves[leaf].rule), position, leaf)
        found.append((FAULTS, faulty))
    for topic, finding in found:
        known = findings.get(topic)
        if known is None or finding.place < known.place:
            findings[topic] = finding
    return findings


def _in_state(search: Search, topic: Topic, questions: list[Question], number: int) -> Finding:
    # Where a state was found from decides only between a state and a step, both at fault.
    before = search.parent(number) if topic == FAULTS else None
    position, leaf = before if before is not None else (number, -1)
    rule = search.leaves[leaf].rule if leaf >= 0 else -1
    place = (search.tables.level_of(number), position, rule)
    return Finding(place, number, binding=_binding(questions, search.state(number), None))


def _on_step(search: Search, topic: Topic, base: int, key: int) -> Finding:
    position, rule = base + key // RULES_MAX, key % RULES_MAX
    state = search.state(position)
    end = outcome(search.system.rules[rule].tree, state)
    assert isinstance(end, Update)
    after = updated(end, state)
    place = (search.tables.level_of(position) + 1, position, rule)
    binding = _binding(search.machine.topics.of_rule[rule][topic], state, after)
    leaf = search.machine.numbers[rule, id(end)]
    return Finding(place, position, leaf, after, binding)


def _binding(questions: list[Question], state: State, after: State | None) -> Binding:
    first = next(each for each in questions if evaluate(each.condition, state, after))
    return first.predicate.binding


__all__ = ["findings_of"]
