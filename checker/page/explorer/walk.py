"""Answers about one run of a system: its state, its steps, its properties, and how it can go on.

A run is named by an initial state and the rules taken, so that nobody can ask about a state that is
no state of the system. Successors are computed when they are asked for; nothing is enumerated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

from finale.checker.page.sequence_svg import sequence_svg
from finale.checker.page.told import queues_of, variable_json
from finale.checker.report.places import shown_place
from finale.checker.report.sequence import Diagram, sequence_of
from finale.checker.report.story import (
    BUILT_IN_SENTENCES,
    cells_that_matter,
    changes_of,
    steps_of,
)
from finale.checker.report.task_order import with_few_changes
from finale.checker.search.backends import check_with
from finale.checker.search.bfs.search import check
from finale.checker.search.limits import Limits
from finale.checker.search.rows import result_of
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Word
from finale.checker.spec.claim import Spec
from finale.checker.studies.decisive import Decisive
from finale.model.errors import FinaleError
from finale.model.semantics import (
    Step,
    blocking_bounds,
    evaluate,
    is_deadlock,
    outcome,
    steps,
    updated,
)
from finale.model.system import Blocked, Fault, Kind, Predicate, Property, State, System, Update
from finale.model.trace import Trace, renamed
from finale.model.value_text import ValueChange, label_of, value_text

from .plainly import Plainly, Reason

#: A search from a state of the page looks at so many states, and takes so many seconds, at most.
LIMITS = Limits(states_max=200_000, seconds_max=60)
#: So long a run may be: a browser draws all of it.
STEPS_MAX = 1_000

Json = dict[str, object]


@dataclass(frozen=True)
class Walk:
    """A run from an initial state of a system. It is read by `walk_of`, which checks it."""

    system: System
    trace: Trace

    @property
    def state(self) -> State:
        return self.trace.states[-1]

    # --- where the run is ------------------------------------------------------------------------

    def here(self) -> Json:
        """All that the page draws of the last state, and how the run came there."""
        system, trace, diagram = self.system, self.trace, self._diagram()
        values = zip(system.variables, system.values(self.state).values(), strict=True)
        told = [] if trace.fault is not None else list(self._next())
        return {
            "start": system.initial.index(trace.states[0]),
            "starts": len(system.initial),
            "rules": list(trace.rules),
            "taken": [moment.text for moment in diagram.moments],
            "values": [[n, *variable_json(v, value)] for n, (v, value) in enumerate(values)],
            "changed": sorted(self._changed()),
            "next": told,
            "bounds": [f"{rule} ({bound})" for rule, bound in blocking_bounds(system, self.state)],
            "word": self._word(bool(told)),
            "properties": sorted(map(self._asked, system.properties), key=_telling),
            "diagram": str(sequence_svg(diagram, "sequence diagram of the run so far")),
        }

    def _diagram(self) -> Diagram:
        taken = list(steps_of(self.system, self.trace))
        return sequence_of(self.system, self.trace, taken, Decisive())

    def _changed(self) -> Iterator[int]:
        if len(self.trace.states) > 1:
            before, after = map(self.system.values, self.trace.states[-2:])
            for number, variable in enumerate(self.system.variables):
                if before[variable.name] != after[variable.name]:
                    yield number

    def _word(self, goes_on: bool) -> str:
        if self.trace.fault is not None:
            return f"fault {self.trace.fault.code}: {self.trace.fault.message}"
        if is_deadlock(self.system, self.state):
            return "deadlock: no rule makes progress here, and the protocol has not ended"
        if not goes_on:
            return "no step is enabled"
        return "the protocol may end here" if evaluate(self.system.terminal, self.state) else ""

    def _next(self) -> Iterator[Json]:
        numbers = {id(rule): number for number, rule in enumerate(self.system.rules)}
        for step in steps(self.system, self.state):
            yield {
                "rule": numbers[id(step.rule)],
                "name": step.rule.rule.name,
                "binding": [list(pair) for pair in step.rule.binding],
                "sentence": step.rule.rule.sentence,
                **self._effect(step),
            }

    def _effect(self, step: Step) -> Json:
        if isinstance(step.result, Fault):
            return {"changes": [], "fault": f"{step.result.code}: {step.result.message}"}
        before = renamed(step.rule, self.state)
        queues = queues_of(self.system, step.result)
        told = [_change(c, queues) for c in changes_of(self.system, before, step.result)]
        # A step back to a state of the run closes a cycle.
        seen = [n for n, state in enumerate(self.trace.states) if state == step.result]
        return {"changes": told, "fault": "", "back": seen[-1] if seen else None}

    def blocked(self, plainly: Plainly) -> list[Json]:
        """The steps that are not enabled, each with the condition that is false."""
        if self.trace.fault is not None:
            return []
        return [
            {
                "rule": number,
                "name": rule.rule.name,
                "binding": [list(pair) for pair in rule.binding],
                "why": _reason(plainly.reason(rule, self.state)),
            }
            for number, rule in enumerate(self.system.rules)
            if isinstance(outcome(rule.tree, self.state), Blocked)
        ]

    def source(self, number: object, plainly: Plainly) -> Json:
        """The source of a rule, with the lines that run in this state. Raises `not-a-run`."""
        if not isinstance(number, int) or not 0 <= number < len(self.system.rules):
            raise _not_a_run("it asks for a rule that the system does not have")
        functions, reason = plainly.source(self.system.rules[number], self.state)
        return {"functions": functions, "why": _reason(reason)}

    # --- what holds there ------------------------------------------------------------------------

    def _asked(self, prop: Property) -> Json:
        word, told = _first(list(self._answers(prop)))
        about: list[list[str]] = []
        if told is not None and not prop.kind.is_of_steps:
            about = list(self._matter(told))
        return {
            "name": prop.name,
            "kind": prop.kind.value,
            "sentence": prop.sentence,
            "word": word,
            "binding": [list(pair) for pair in told.binding] if told is not None else [],
            "because": about,
        }

    def _answers(self, prop: Property) -> Iterator[tuple[str, Predicate]]:
        predicates, before, after = prop.predicates, self.state, None
        if prop.kind.is_of_steps:
            if not self.trace.rules or self.trace.fault is not None:
                return
            predicates = prop.on_rules[self.trace.rules[-1]]
            before, after = self.trace.states[-2:]
        for each in predicates:
            when = evaluate(each.when, before, after)
            yield _word_of(prop.kind, bool(when), bool(evaluate(each.claim, before, after))), each

    def _matter(self, predicate: Predicate) -> Iterator[list[str]]:
        cells = cells_that_matter(predicate.when, self.state)
        cells |= cells_that_matter(predicate.claim, self.state)
        values = self.system.values(self.state)
        for variable in dict.fromkeys(self.system.variable_of_cell[index] for index in cells):
            yield [label_of(variable), value_text(variable.domain, values[variable.name])]

    # --- how it can go on ------------------------------------------------------------------------

    def search(self, name: str) -> Json:
        """A shortest run from here that violates a property or reaches a witness."""
        props = self.system.properties
        if name not in (*(each.name for each in props), WELL_FORMED, NO_DEADLOCK):
            raise FinaleError(
                "unknown-property",
                f'the system has no property "{name}"',
                advice="choose one of the page",
            )
        asked = [each for each in props if each.name == name]
        witnesses = {each.witness for each in asked}
        kept = tuple(each for each in props if each in asked or each.name in witnesses)
        system = replace(self.system, initial=(self.state,), properties=kept)
        report = check(system, LIMITS)
        verdict = next(each for each in report.verdicts if each.property == name)
        seen = report.statistics
        if report.stopped and verdict.word is not Word.VIOLATED:
            raise FinaleError(
                "search-too-large",
                f"no run was found in {seen.states} states: {report.stopped}",
                advice="walk on and ask again, or use finale check",
            )
        trace = with_few_changes(system, verdict).trace
        return {
            "verdict": verdict.shown,
            "why": verdict.why,
            "states": seen.states,
            "rules": None if trace is None else list(trace.rules),
            "loop": None if trace is None else trace.loop,
        }


def _reason(reason: Reason | None) -> Json | None:
    if reason is None:
        return None
    return {
        "place": shown_place(reason.place),
        "inside": reason.inside,
        "condition": reason.condition,
        "values": [list(pair) for pair in reason.values],
    }


def violated(spec: Spec, system: System) -> Json:
    """The properties that are violated within the limits of a search, each with its run."""
    # The system is there: to build it again would disturb the rules that run at the same time.
    counts = spec.counts
    report = check_with("auto", system, LIMITS, None, None if counts is None else counts.states)
    found = result_of(spec, system, report)
    shown = [with_few_changes(system, row) for row in found.rows if row.counterexample is not None]
    sentences = {each.name: each.sentence for each in system.properties} | BUILT_IN_SENTENCES
    return {
        "violated": [
            {
                "name": row.property,
                "sentence": sentences.get(row.property, ""),
                "steps": row.counterexample.length,
                "start": system.initial.index(row.counterexample.states[0]),
                "rules": list(row.counterexample.rules),
            }
            for row in shown
            if row.counterexample is not None
        ],
        "unknown": [
            row.property for row in found.rows if row.is_claim and row.word is Word.UNKNOWN
        ],
        "stopped": found.report.stopped,
        "states": found.report.statistics.states,
    }


def walk_of(system: System, start: object, rules: object) -> Walk:
    """The run that takes these rules. Raises `not-a-run`, `page-too-large`."""
    if not isinstance(start, int) or not isinstance(rules, list):
        raise _not_a_run("it is no number and list of numbers")
    if not 0 <= start < len(system.initial):
        raise _not_a_run(f"there are {len(system.initial)} initial states, and it asks for {start}")
    return _walked(system, start, cast("list[object]", rules))


def _walked(system: System, start: int, rules: list[object]) -> Walk:
    if len(rules) > STEPS_MAX:
        raise FinaleError(
            "page-too-large",
            f"the run has {len(rules)} steps, and a page shows {STEPS_MAX} at most",
            advice="go back some steps",
        )
    states, taken = [system.initial[start]], list[int]()
    fault: Fault | None = None
    for number, index in enumerate(rules, 1):
        if fault is not None or not isinstance(index, int) or not 0 <= index < len(system.rules):
            raise _not_a_run(f"step {number} takes no rule of the system")
        leaf = outcome(system.rules[index].tree, states[-1])
        match leaf:
            case Update():
                states.append(updated(leaf, states[-1]))
            case Fault():
                fault = leaf
            case Blocked():
                raise _not_a_run(f"{system.rules[index]} is not enabled at step {number}")
        taken.append(index)
    return Walk(system, Trace(tuple(states), tuple(taken), fault=fault))


def _not_a_run(what: str) -> FinaleError:
    return FinaleError(
        "not-a-run",
        f"this is no run of the system: {what}",
        advice="begin at the start; a path of another version or spec does not fit",
    )


def _change(change: ValueChange, queues: dict[str, list[str]]) -> Json:
    queue = queues.get(change.label)
    return {"label": change.label, "old": change.old, "new": change.new, "queue": queue}


def _word_of(kind: Kind, when: bool, claim: bool) -> str:
    match kind:
        case Kind.ALWAYS | Kind.ON_STEP:
            return "not asked here" if not when else "holds" if claim else "violated"
        case Kind.REACHABLE:
            return "reached" if when and claim else "not here"
        case Kind.LEADS_TO:
            return "goal" if claim else "cause" if when else "not here"
        case Kind.EVENTUALLY:
            return "goal" if claim else "not yet"


#: Of the answers for all bindings the first of these words is shown.
_WORDS = ("violated", "reached", "cause", "not yet", "goal", "holds", "not here", "not asked here")


def _telling(asked: Json) -> int:
    """The order of properties on the page: what says most of this state first."""
    return _WORDS.index(str(asked["word"]))


def _first(answers: list[tuple[str, Predicate]]) -> tuple[str, Predicate | None]:
    if not answers:
        return "not asked here", None
    return min(answers, key=lambda each: _WORDS.index(each[0]))


__all__ = ["Walk", "violated", "walk_of"]
