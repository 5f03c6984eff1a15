"""What our own search says, in the words of the outside checkers: what is violated, and counts."""

from __future__ import annotations

from dataclasses import dataclass

from finale.checker.export.conditions import initial_states
from finale.checker.search.answer import (
    NO_DEADLOCK,
    WELL_FORMED,
    Holds,
    NotAsked,
    Unknown,
    Vacuous,
    Violated,
)
from finale.checker.search.native.search import check
from finale.model.system import Kind, System


@dataclass(frozen=True)
class Ours:
    """Counts; what an outside checker must find violated, reached or not; liveness by name."""

    states: int
    transitions: int
    depth: int
    starts: int
    violated: frozenset[str]
    reached: frozenset[str]
    live: dict[str, str]


def ours(system: System) -> Ours:
    """The answers of the native search."""
    report = check(system)
    verdicts = {answer.property: answer.verdict for answer in report.answers}
    kinds = {prop.name: prop.kind for prop in system.properties}
    safety = [name for name, kind in kinds.items() if kind in (Kind.ALWAYS, Kind.ON_STEP)]
    counted = report.statistics
    return Ours(
        counted.states,
        counted.transitions,
        counted.depth,
        len(initial_states(system)),
        frozenset(
            name
            for name in (*safety, WELL_FORMED, NO_DEADLOCK)
            if isinstance(verdicts[name], Violated)
        ),
        frozenset(
            name
            for name, kind in kinds.items()
            if kind is Kind.REACHABLE and isinstance(verdicts[name], Holds)
        ),
        {
            # Whether an antecedent is ever true is no question to TLC: to it, that holds.
            name: Holds.word if isinstance(verdicts[name], Vacuous) else verdicts[name].word
            for name, kind in kinds.items()
            if kind.is_liveness
        },
    )


__all__ = ["Holds", "NotAsked", "Ours", "Unknown", "Violated", "ours"]
