"""Draws an answer for each property and row from what a bounded search has found."""

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
from finale.checker.search.state_graph.questions import FAULTS, Asked, Topic
from finale.model.system import Kind, Property

from .asked import DEADLOCK
from .bmc import BoundedSearch


def answers_of(search: BoundedSearch) -> tuple[Answer, ...]:
    """Return an answer for each property of the system, then for the rows of all systems."""
    verdicts = {
        prop.name: _verdict(search, index, prop)
        for index, prop in enumerate(search.system.properties)
    }
    for name, subject in ((WELL_FORMED, FAULTS), (NO_DEADLOCK, DEADLOCK)):
        holds = Holds() if search.is_impossible(subject) else _not_found(search, Holds())
        verdicts[name] = _violated_by(search, subject) or holds
    return tuple(_answer(search, name, verdict) for name, verdict in verdicts.items())


def _answer(search: BoundedSearch, name: str, verdict: Verdict) -> Answer:
    answer = Answer(name, verdict)
    if search.is_complete:
        return Answer(name, verdict, f"complete at depth {search.refuted}")
    if isinstance(verdict, Holds) and verdict.witness is None:
        return Answer(name, verdict, "by its expressions alone")
    shown = search.refuted if answer.steps is None else answer.steps
    return Answer(name, verdict, f"bounded to {max(shown, 0)}")


def _verdict(search: BoundedSearch, index: int, prop: Property) -> Verdict:
    if prop.not_asked:
        return NotAsked(prop.not_asked)
    match prop.kind:
        case Kind.ALWAYS | Kind.ON_STEP:
            violated, vacuous = _violated_by(search, (Asked.FAILS, index)), _vacuous(search, index)
            if search.is_impossible((Asked.FAILS, index)) and vacuous is None:
                return Holds()
            return violated or _not_found(search, vacuous or Holds())
        case Kind.REACHABLE:
            reached = search.found.get((Asked.REACHED, index))
            if reached is not None:
                return Holds(reached.trace)
            return _not_found(search, Violated(None))
        case Kind.LEADS_TO | Kind.EVENTUALLY:
            return Unknown("a bounded search says nothing of fair runs")
        case _:
            assert_never(prop.kind)


def _violated_by(search: BoundedSearch, subject: Topic) -> Violated | None:
    found = search.found.get(subject)
    return Violated(found.trace, found.binding) if found is not None else None


def _not_found(search: BoundedSearch, verdict: Verdict) -> Verdict:
    """The verdict, where what was not found is nowhere; else it is unknown."""
    if search.is_complete:
        return verdict
    why = f": {search.stopped}" if search.stopped else ""
    if search.refuted < 0:
        return Unknown(f"nothing is refuted yet{why}")
    found = "no run shows it" if isinstance(verdict, Violated) else "no counterexample"
    return Unknown(f"{found} up to depth {search.refuted}{why}")


def _vacuous(search: BoundedSearch, index: int) -> Vacuous | None:
    """Why a property that is not violated says nothing, as far as was seen."""
    prop = search.system.properties[index]
    if (Asked.WHEN, index) not in search.found:
        return Vacuous("its antecedent was never true")
    names = [each.name for each in search.system.properties]
    if prop.witness is not None:
        witness: Topic = (Asked.REACHED, names.index(prop.witness))
        if witness not in search.found:
            return Vacuous(f'its witness "{prop.witness}" is never reached')
    return None
