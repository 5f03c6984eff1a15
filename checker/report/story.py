"""Describes a trace: the changes of each step, and the values that cause the violation.

It is what the table of a trace draws and what its JSON says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from finale.checker.report.alternatives import Alternative, taken_by
from finale.checker.report.places import shown_file
from finale.checker.search.state_graph.folding import parts
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Verdict, Word
from finale.checker.spec.claim import EarlierRun
from finale.checker.studies.causes import Causes
from finale.model.errors import Place
from finale.model.expressions import And, Cell, Expression, IfThenElse, Or
from finale.model.language.entities import Entity, Variable
from finale.model.semantics import evaluate, steps
from finale.model.system import Fault, GroundRule, Predicate, Property, State, System
from finale.model.trace import Trace, renamed, replay
from finale.model.value_text import ValueChange, changes, label_of, value_text
from finale.model.values import NothingType

#: What the rows claim that every spec has.
BUILT_IN_SENTENCES = {
    WELL_FORMED: "No rule commits a fault: a write outside a domain, a put into a full queue, a "
    "read of a missing value.",
    NO_DEADLOCK: "Until the protocol has ended, a rule that makes progress changes the state.",
}
#: What is said of a deadlock.
NO_PROGRESS = "No rule makes progress in this state, and the protocol has not ended"


Binding = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class StoryStep:
    """One step: the rule, what it was bound to, and what changed.

    `alternatives` says what was true where the rule can do one thing or another.
    If ids are given again, `renamed` are the names of the entities that are others after the step.
    The first one is forgotten; each other one takes the name before its own.
    """

    number: int
    rule: GroundRule
    changes: tuple[ValueChange, ...]
    fault: Fault | None = None
    renamed: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True)
class Story:
    """A whole trace. `loop` is the number of the step after which the run repeats forever.

    `ending` are the values on which the judgement rests, in the last state; of a property of steps
    with the value before the last step. `rest` is the whole state in which a run comes to rest.
    `is_shortest` is true if a search has shown that no shorter run does the same. At a deadlock,
    `unreliable` are the steps that are enabled and make no progress.
    """

    property: str
    verdict: Word
    sentence: str
    binding: tuple[tuple[str, str], ...]
    start: tuple[tuple[str, str], ...]
    groups: tuple[EntityGroup, ...]
    steps: tuple[StoryStep, ...]
    loop: int | None
    ending: tuple[ValueChange, ...]
    rest: tuple[EntityGroup, ...]
    before: tuple[Before, ...] = ()
    is_shortest: bool = True
    unreliable: tuple[str, ...] = ()


@dataclass(frozen=True)
class Before:
    """The run of the earlier system from which a trace is resumed, with the file of its spec."""

    file: Path
    groups: tuple[EntityGroup, ...]
    steps: tuple[StoryStep, ...]


@dataclass(frozen=True)
class EntityGroup:
    """Entities of one class that are alike: their names, and their values by field."""

    kind: str
    names: tuple[str, ...]
    values: tuple[tuple[str, str], ...]


def story_of(system: System, verdict: Verdict, runs: Iterable[EarlierRun] = ()) -> Story:
    """The story of the trace of a verdict. The trace is run through the semantics first.

    `runs` came before it.
    """
    trace = verdict.trace
    assert trace is not None
    replay(system, trace)
    prop = next((each for each in system.properties if each.name == verdict.property), None)
    return Story(
        verdict.property,
        verdict.word,
        prop.sentence if prop is not None else BUILT_IN_SENTENCES.get(verdict.property, ""),
        verdict.binding,
        tuple(values_of(system, trace.states[0])),
        tuple(groups_of(system, trace.states[0])),
        tuple(steps_of(system, trace)),
        trace.loop,
        tuple(_ending(system, verdict, prop, trace)),
        tuple(groups_of(system, trace.states[-1])) if _rests(verdict, trace) else (),
        tuple(_before(run) for run in runs),
        verdict.is_shortest,
        tuple(_unreliable(system, trace.states[-1])) if verdict.property == NO_DEADLOCK else (),
    )


def _unreliable(system: System, state: State) -> Iterator[str]:
    for step in steps(system, state):
        if step.result != state and not step.rule.rule.makes_progress:
            yield str(step.rule)


def _before(run: EarlierRun) -> Before:
    replay(run.system, run.trace)
    groups = tuple(groups_of(run.system, run.trace.states[0]))
    return Before(run.spec.file, groups, tuple(steps_of(run.system, run.trace)))


def _rests(verdict: Verdict, trace: Trace) -> bool:
    """Whether nothing happens after the last state."""
    return verdict.property == NO_DEADLOCK or trace.loop == len(trace.rules)


def values_of(system: System, state: State) -> Iterator[tuple[str, str]]:
    """Every variable of a state as text."""
    for variable, value in _pairs(system, state):
        yield variable.name, value_text(variable.domain, value)


def _pairs(system: System, state: State) -> Iterator[tuple[Variable, object]]:
    yield from zip(system.variables, system.values(state).values(), strict=True)


def entities_of(system: System, state: State) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return the values of each entity by its class and name, as fields with texts.

    Values that say nothing are left out: zero, false, nothing, empty.
    """
    entities: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for variable, value in _pairs(system, state):
        key = (kind_of(variable.entity), variable.entity.name)
        known = entities.setdefault(key, [])
        if not says_nothing(value):
            known.append((variable.field, value_text(variable.domain, value)))
    return entities


def groups_of(system: System, state: State) -> list[EntityGroup]:
    """The entities of a state, those of a class with equal values together."""
    alike: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
    for (kind, name), values in entities_of(system, state).items():
        alike.setdefault((kind, tuple(values)), []).append(name)
    return [
        EntityGroup(kind, tuple(names), values)
        for (kind, values), names in alike.items()
        if values or any(names)
    ]


def kind_of(entity: Entity) -> str:
    """Return the class of an entity as shown to a reader."""
    return type(entity).__name__ if entity.name else "(protocol)"


def says_nothing(value: object) -> bool:
    """Whether a value is zero, false, nothing or empty, or holds only such values."""
    if isinstance(value, tuple):
        return all(map(says_nothing, cast("tuple[object, ...]", value)))
    return value in (False, 0, frozenset()) or isinstance(value, NothingType)


def steps_of(system: System, trace: Trace) -> Iterator[StoryStep]:
    """Return the steps of a trace, each with what it changed."""
    for position, (rule, result) in enumerate(trace.steps(system)):
        before = trace.states[position]
        if isinstance(result, Fault):
            yield StoryStep(position + 1, rule, (), result)
        else:
            changed = tuple(changes_of(system, renamed(rule, before), result))
            moved = tuple(name for name, where in rule.moved if evaluate(where, before))
            taken = taken_by(rule, before)
            yield StoryStep(position + 1, rule, changed, renamed=moved, alternatives=taken)


def changes_of(system: System, old: State, new: State) -> Iterator[ValueChange]:
    """Return the differences between two states."""
    before, after = system.values(old), system.values(new)
    for variable in system.variables:
        yield from changes(variable, before[variable.name], after[variable.name])


# --- the end -------------------------------------------------------------------------------------


def _ending(
    system: System, verdict: Verdict, prop: Property | None, trace: Trace
) -> Iterator[ValueChange]:
    last = trace.states[-1]
    if verdict.property == NO_DEADLOCK:
        yield from _values(system, list(cells_that_matter(system.terminal, last)), last, None)
    if prop is None:
        return
    if prop.kind.is_of_steps:
        if trace.fault is None and trace.rules:
            before, rule = trace.states[-2], system.rules[trace.rules[-1]]
            for predicate in _of_binding(prop.on_rules[trace.rules[-1]], verdict):
                cells = _matter(predicate, before, last)
                yield from _values(system, cells, last, renamed(rule, before))
        return
    for predicate in _of_binding(prop.predicates, verdict):
        yield from _values(system, _matter(predicate, last, None), last, None)


def _of_binding(predicates: Sequence[Predicate], verdict: Verdict) -> list[Predicate]:
    """The predicate that the answer speaks of; all of them where it speaks of none."""
    found = [each for each in predicates if each.binding == verdict.binding]
    return (found or list(predicates))[:1]


def _matter(predicate: Predicate, state: State, after: State | None) -> list[int]:
    found = cells_that_matter(predicate.when, state, after)
    return list(found | cells_that_matter(predicate.claim, state, after))


def _values(
    system: System, cells: Sequence[int], state: State, before: State | None
) -> Iterator[ValueChange]:
    values = system.values(state)
    earlier = system.values(before) if before is not None else values
    for variable in dict.fromkeys(system.variable_of_cell[index] for index in cells):
        old, new = earlier[variable.name], values[variable.name]
        now = value_text(variable.domain, new)
        was = value_text(variable.domain, old) if old != new else ""
        yield ValueChange(label_of(variable), was, now)


# --- as JSON -------------------------------------------------------------------------------------


def story_json(story: Story) -> dict[str, object]:
    """The story as plain data."""
    return {
        "property": story.property,
        "verdict": story.verdict,
        "sentence": story.sentence,
        "binding": dict(story.binding),
        "initial": dict(story.start),
        **({"before": [_before_json(each) for each in story.before]} if story.before else {}),
        "steps": [step_json(told) for told in story.steps],
        "loop": story.loop,
        "ending": [{"variable": each.label, "value": each.new} for each in story.ending],
    }


def _before_json(before: Before) -> dict[str, object]:
    return {
        "spec": shown_file(before.file),
        "steps": [step_json(told) for told in before.steps],
    }


def step_json(told: StoryStep) -> dict[str, object]:
    """Return a step as plain data."""
    return {
        "step": told.number,
        "rule": told.rule.rule.name,
        "binding": dict(told.rule.binding),
        "sentence": told.rule.rule.sentence,
        **({"renamed": list(told.renamed)} if told.renamed else {}),
        "cites": list(told.rule.rule.cites),
        "place": _place_json(told.rule.rule.place),
        "alternatives": [
            {"condition": each.text, **_place_json(each.place)} for each in told.alternatives
        ],
        "changes": [
            {"variable": each.label, "old": each.old, "new": each.new} for each in told.changes
        ],
        "fault": _fault_json(told.fault),
    }


def causes_json(causes: Causes) -> dict[str, object]:
    """What a counterexample needs, as plain data: numbers of steps."""
    return {
        "needed": list(causes.needed),
        "moves": [{"step": late, "before": early} for late, early in causes.moves],
    }


def _place_json(place: Place) -> dict[str, object]:
    return {"file": shown_file(place.file or ""), "line": place.line}


def _fault_json(fault: Fault | None) -> dict[str, object] | None:
    if fault is None:
        return None
    place = fault.place
    return {"code": fault.code, "message": fault.message, "file": place.file, "line": place.line}


def cells_that_matter(
    expression: Expression, state: State, after: State | None = None
) -> dict[int, None]:
    """The indices of the cells on which the value of the expression rests, in order of reading."""
    read: Sequence[Expression]
    match expression:
        case Cell():
            return {expression.index: None}
        case And() | Or():
            value = evaluate(expression, state, after)
            # Where no operand alone decides, all of them do: then all have that value.
            read = [each for each in expression.operands if evaluate(each, state, after) == value]
        case IfThenElse():
            condition = evaluate(expression.condition, state, after)
            chosen = expression.yes if condition else expression.no
            read = [expression.condition, chosen]
        case _:
            read = parts(expression)
    found: dict[int, None] = {}
    for part in read:
        found |= cells_that_matter(part, state, after)
    return found
