"""Draws a verdict on each property and row from what a bounded search has found."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from finale.checker.search.state_graph.questions import FAULTS, Asked, Topic, why_vacuous
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Verdict, Word
from finale.model.system import Kind, Property

from .asked import DEADLOCK
from .bmc import BoundedSearch


def verdicts_of(search: BoundedSearch) -> tuple[Verdict, ...]:
    """Return a verdict on each property of the system, then for the rows of all systems."""
    verdicts = [_verdict(search, index, p) for index, p in enumerate(search.system.properties)]
    for name, subject in ((WELL_FORMED, FAULTS), (NO_DEADLOCK, DEADLOCK)):
        holds = Verdict(name, Word.HOLDS)
        otherwise = holds if search.is_impossible(subject) else _not_found(search, holds)
        verdicts.append(_violated_by(search, name, subject) or otherwise)
    return tuple(replace(verdict, how=_how(search, verdict)) for verdict in verdicts)


def _how(search: BoundedSearch, verdict: Verdict) -> str:
    if search.is_complete:
        return f"complete at depth {search.refuted}"
    if verdict.word is Word.HOLDS and verdict.trace is None:
        return "by its expressions alone"
    shown = search.refuted if verdict.steps is None else verdict.steps
    return f"bounded to {max(shown, 0)}"


def _verdict(search: BoundedSearch, index: int, prop: Property) -> Verdict:
    if prop.not_asked:
        return Verdict(prop.name, Word.NOT_ASKED, why=prop.not_asked)
    match prop.kind:
        case Kind.ALWAYS | Kind.ON_STEP:
            topic = Asked.FAILS, index
            vacuous = why_vacuous(search.found, search.system, index)
            verdict = Verdict(prop.name, Word.VACUOUS if vacuous else Word.HOLDS, why=vacuous)
            if search.is_impossible(topic) and not vacuous:
                return verdict
            return _violated_by(search, prop.name, topic) or _not_found(search, verdict)
        case Kind.REACHABLE:
            reached = search.found.get((Asked.REACHED, index))
            if reached is not None:
                return Verdict(prop.name, Word.HOLDS, reached.trace)
            return _not_found(search, Verdict(prop.name, Word.VIOLATED))
        case Kind.LEADS_TO | Kind.EVENTUALLY:
            why = "a bounded search says nothing of fair runs"
            return Verdict(prop.name, Word.UNKNOWN, why=why)
        case _:
            assert_never(prop.kind)


def _violated_by(search: BoundedSearch, name: str, topic: Topic) -> Verdict | None:
    found = search.found.get(topic)
    return None if found is None else Verdict(name, Word.VIOLATED, found.trace, found.binding)


def _not_found(search: BoundedSearch, verdict: Verdict) -> Verdict:
    """The verdict, where what was not found is nowhere; else it is unknown."""
    if search.is_complete:
        return verdict
    found = "no run shows it" if verdict.is_unreached else "no counterexample"
    found += f" up to depth {search.refuted}"
    why = "nothing is refuted yet" if search.refuted < 0 else found
    return Verdict(
        verdict.property, Word.UNKNOWN, why=f"{why}: {search.stopped}" if search.stopped else why
    )
