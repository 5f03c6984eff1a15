"""Holds a reduced search to the full one: same verdicts, as long traces, all classes seen once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from finale.checker.search.limits import Limits
from finale.checker.search.native.search import check, searched
from finale.checker.search.reduced import check_reduced
from finale.checker.search.reductions.canonical import Canonical
from finale.checker.search.reductions.kinds import AppliedReduction, Reduction, Symmetry
from finale.checker.search.reductions.symmetry import symmetry_of
from finale.checker.search.reductions.under import canonical_of
from finale.checker.search.verdict import Report, Verdict
from finale.model.semantics import evaluate
from finale.model.system import State, System

_last: list[tuple[System, Report]] = []
_symmetry: list[tuple[System, Symmetry]] = []


def symmetry_once(system: System, look: Callable[[], None] = lambda: None) -> Symmetry:
    """The symmetry of a system. Several audits in a row ask for that of one system."""
    if not _symmetry or _symmetry[0][0] is not system:
        _symmetry[:] = [(system, symmetry_of(system, look))]
    return _symmetry[0][1]


def in_full(system: System) -> Report:
    """The answers of the full search. Several audits in a row ask for those of one system."""
    if not _last or _last[0][0] is not system:
        _last[:] = [(system, check(system))]
    return _last[0][1]


def disagreements(
    system: System, reductions: Collection[Reduction]
) -> list[tuple[Verdict, Verdict]]:
    """Where the answers under reductions differ from those of the full search."""
    full = in_full(system)
    reduced = check_reduced(system, reductions, Limits(), None)
    pairs = zip(full.verdicts, reduced.verdicts, strict=True)
    return [(one, other) for one, other in pairs if told(one) != told(other)]


def told(answer: Verdict) -> tuple[str, str, int | None]:
    """What must not change: a trace may have other names in it, never another length."""
    return answer.property, answer.word, answer.steps


def kept_under(system: System, under: Sequence[AppliedReduction]) -> tuple[Canonical, list[State]]:
    """The states that a search under some reductions keeps."""
    canonical = canonical_of(system, under)
    assert canonical is not None
    search = searched(system, Limits(), None, under)
    return canonical, [search.state(number) for number in range(search.statistics.states)]


def miscounted(system: System, under: Sequence[AppliedReduction]) -> str:
    """What is wrong with the classes of symmetry, if anything is.

    Where each class has one representative, their sizes sum to the number of all states; where
    that is in doubt, they sum to more.
    """
    canonical, states = kept_under(system, under)
    total = sum(len(canonical.orbit(state)) for state in states)
    full = check(system).statistics.states
    doubt = canonical.doubt(system)
    if total != full and not any(evaluate(doubt, state) for state in states):
        return f"{len(states)} classes of {total} states, {full} in full"
    return "" if total >= full else f"{total} states of {full} are stood for"


__all__ = ["disagreements", "in_full", "kept_under", "miscounted", "told"]
