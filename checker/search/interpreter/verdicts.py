"""Draws an answer for each property from what the interpreter's search has found.

Each trace is replayed on the decision trees.
"""

from __future__ import annotations

from typing import assert_never

from finale.checker.search.answer import (
    NO_DEADLOCK,
    WELL_FORMED,
    Answer,
    Holds,
    NotAsked,
    Unknown,
    Vacuous,
    Verdict,
    Violated,
)
from finale.checker.search.limits import cut_short
from finale.model.semantics import outcome
from finale.model.system import Fault, Kind, Property, System
from finale.model.trace import Trace, replay

from .breadth_first import InterpreterSearch, PlainOccurrence


def answers_of(search: InterpreterSearch, system: System) -> tuple[Answer, ...]:
    """Return an answer for each property, then for the rows of all systems."""
    verdicts = {prop.name: _verdict(search, system, prop) for prop in system.properties}
    fault = search.findings.get(("fault", ""))
    verdicts[WELL_FORMED] = (
        _unless_cut(search, Holds())
        if fault is None
        else Violated(_trace(search, system, fault), fault.binding)
    )
    verdicts[NO_DEADLOCK] = (
        _unless_cut(search, Holds())
        if search.deadlock is None
        else Violated(_trace_to(search, system, search.deadlock))
    )
    how = "partial" if search.stopped else "exhaustive"
    return tuple(Answer(name, verdict, how) for name, verdict in verdicts.items())


def _verdict(search: InterpreterSearch, system: System, prop: Property) -> Verdict:
    findings = search.findings
    if prop.not_asked:
        return NotAsked(prop.not_asked)
    match prop.kind:
        case Kind.ALWAYS | Kind.ON_STEP:
            fails = findings.get(("false", prop.name))
            if fails is not None:
                return Violated(_trace(search, system, fails), fails.binding)
            return _unless_cut(search, _vacuous(search, prop) or Holds())
        case Kind.REACHABLE:
            reached = findings.get(("true", prop.name))
            if reached is not None:
                return Holds(_trace(search, system, reached))
            return _unless_cut(search, Violated(None))
        case Kind.LEADS_TO | Kind.EVENTUALLY:
            return Unknown("the concrete search does not follow fair runs")
        case _:
            assert_never(prop.kind)


def _vacuous(search: InterpreterSearch, prop: Property) -> Vacuous | None:
    if not {("true", prop.name), ("false", prop.name)} & search.findings.keys():
        return Vacuous("its antecedent was never true")
    if prop.witness is not None and ("true", prop.witness) not in search.findings:
        return Vacuous(f'its witness "{prop.witness}" is never reached')
    return None


def _unless_cut(search: InterpreterSearch, verdict: Verdict) -> Verdict:
    return cut_short(search.stopped, search.statistics) if search.stopped else verdict


# --- traces --------------------------------------------------------------------------------------


def _trace_to(search: InterpreterSearch, system: System, position: int) -> Trace:
    return _as_trace(search, system, search.path(position), None)


def _trace(search: InterpreterSearch, system: System, found: PlainOccurrence) -> Trace:
    return _as_trace(search, system, search.path(found.state), found)


def _as_trace(
    search: InterpreterSearch,
    system: System,
    path: list[tuple[int, int]],
    found: PlainOccurrence | None,
) -> Trace:
    """The trace in the words of the system of decision trees, replayed there."""
    plain = search.plain
    ground = {(rule.rule.name, rule.binding): i for i, rule in enumerate(system.rules)}
    numbers = [ground.get((rule.rule.name, rule.binding), -1) for rule in plain.rules]
    states = [plain.world.encode(search.states[position]) for position, _ in path]
    rules = [numbers[rule] for _, rule in path[1:]]
    fault: Fault | None = None
    if found is not None and found.rule is not None:
        rules.append(numbers[found.rule])
        if found.after is not None:
            states.append(plain.world.encode(found.after))
        else:
            end = outcome(system.rules[rules[-1]].tree, states[-1])
            assert isinstance(end, Fault), "the rule's decision tree has no fault here"
            fault = end
    trace = Trace(tuple(states), tuple(rules), fault=fault)
    replay(system, trace)
    return trace
