"""Draws a verdict on each property from what the interpreter's search has found.

Each trace is replayed on the decision trees.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from finale.checker.search.limits import cut_short
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Verdict, Word
from finale.model.semantics import outcome
from finale.model.system import Fault, Kind, Property, System
from finale.model.trace import Trace, replay

from .breadth_first import InterpreterSearch, PlainOccurrence


def verdicts_of(search: InterpreterSearch, system: System) -> tuple[Verdict, ...]:
    """Return a verdict on each property, then on the rows of all systems."""
    verdicts = [_verdict(search, system, prop) for prop in system.properties]
    fault, deadlock = search.findings.get(("fault", "")), search.deadlock
    verdicts += [
        _unless_cut(search, WELL_FORMED)
        if fault is None
        else Verdict(WELL_FORMED, Word.VIOLATED, _trace(search, system, fault), fault.binding),
        _unless_cut(search, NO_DEADLOCK)
        if deadlock is None
        else Verdict(NO_DEADLOCK, Word.VIOLATED, _trace_to(search, system, deadlock)),
    ]
    how = "partial" if search.stopped else "exhaustive"
    return tuple(replace(verdict, how=how) for verdict in verdicts)


def _verdict(search: InterpreterSearch, system: System, prop: Property) -> Verdict:
    name, findings = prop.name, search.findings
    if prop.not_asked:
        return Verdict(name, Word.NOT_ASKED, why=prop.not_asked)
    match prop.kind:
        case Kind.ALWAYS | Kind.ON_STEP:
            fails = findings.get(("false", name))
            if fails is not None:
                return Verdict(name, Word.VIOLATED, _trace(search, system, fails), fails.binding)
            vacuous = _why_vacuous(search, prop)
            return _unless_cut(search, name, Word.VACUOUS if vacuous else Word.HOLDS, vacuous)
        case Kind.REACHABLE:
            reached = findings.get(("true", name))
            if reached is not None:
                return Verdict(name, Word.HOLDS, _trace(search, system, reached))
            return _unless_cut(search, name, Word.VIOLATED)
        case Kind.LEADS_TO | Kind.EVENTUALLY:
            why = "the concrete search does not follow fair runs"
            return Verdict(name, Word.UNKNOWN, why=why)
        case _:
            assert_never(prop.kind)


def _why_vacuous(search: InterpreterSearch, prop: Property) -> str:
    if not {("true", prop.name), ("false", prop.name)} & search.findings.keys():
        return "its antecedent was never true"
    if prop.witness is not None and ("true", prop.witness) not in search.findings:
        return f'its witness "{prop.witness}" is never reached'
    return ""


def _unless_cut(
    search: InterpreterSearch, name: str, word: Word = Word.HOLDS, why: str = ""
) -> Verdict:
    if search.stopped:
        return cut_short(name, search.stopped, search.statistics)
    return Verdict(name, word, why=why)


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
