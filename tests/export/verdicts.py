"""What our own search says, in the words of the outside checkers: what is violated, and counts."""

from __future__ import annotations

from dataclasses import dataclass

from finale.checker.export.conditions import initial_states
from finale.checker.search.native.search import check
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Word
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
    verdicts = {answer.property: answer for answer in report.verdicts}
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
            if verdicts[name].word is Word.VIOLATED
        ),
        frozenset(
            name
            for name, kind in kinds.items()
            if kind is Kind.REACHABLE and verdicts[name].word is Word.HOLDS
        ),
        {
            # Whether an antecedent is ever true is no question to TLC: to it, that holds.
            name: Word.HOLDS if verdicts[name].word is Word.VACUOUS else verdicts[name].word
            for name, kind in kinds.items()
            if kind.is_liveness
        },
    )


__all__ = ["Ours", "ours"]
