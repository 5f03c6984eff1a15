"""Draws a verdict on each property, and for the rows of all systems, from a finished search.

A violation counts even if the search was stopped: the search is breadth-first, so the trace is a
shortest one. All other verdicts need a complete search; otherwise they are `unknown`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol, assert_never

from finale.checker.search.limits import INTERRUPTED, LimitHit, SearchClock, cut_short
from finale.checker.search.state_graph.fairness import Fair
from finale.checker.search.state_graph.graph import Leaf, extended
from finale.checker.search.state_graph.liveness import is_judged, judge
from finale.checker.search.state_graph.questions import (
    FAULTS,
    Asked,
    Occurrence,
    Topic,
    why_vacuous,
)
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Statistics, Verdict, Word
from finale.model.system import Kind, Property, System
from finale.model.trace import Trace, replay


class Searched(Protocol):
    """A search that has ended.

    `stopped` says why it has not seen all states; `stopped_after` says why the work after it was
    cut short.
    """

    stopped: str
    stopped_after: str

    @property
    def system(self) -> System: ...
    @property
    def clock(self) -> SearchClock: ...
    @property
    def leaves(self) -> Sequence[Leaf]: ...
    @property
    def findings(self) -> Mapping[Topic, Occurrence]:
        """The first occurrence of each topic that has one."""
        ...

    @property
    def deadlock(self) -> int | None:
        """The number of the first state that is a deadlock."""
        ...

    @property
    def statistics(self) -> Statistics: ...
    @property
    def fair(self) -> Fair:
        """The fairness of the system, on its complete state graph."""
        ...

    def trace_to(self, position: int) -> Trace:
        """Return the least shortest run to a state."""
        ...

    def look(self) -> None:
        """Report the progress. Raises LimitHit when the time is over."""
        ...


EXHAUSTIVE = "exhaustive"
PARTIAL = "partial"


def verdicts_of(search: Searched) -> tuple[Verdict, ...]:
    """Return a verdict on each property of the system, then on the rows of all systems."""
    verdicts = [_verdict(search, index, p) for index, p in enumerate(search.system.properties)]
    verdicts += [
        _violated_by(search, WELL_FORMED, FAULTS) or _unless_cut(search, WELL_FORMED),
        _no_deadlock(search),
    ]
    how = PARTIAL if search.stopped else EXHAUSTIVE
    return tuple(replace(verdict, how=how) for verdict in verdicts)


def _verdict(search: Searched, index: int, prop: Property) -> Verdict:
    if prop.not_asked:
        return Verdict(prop.name, Word.NOT_ASKED, why=prop.not_asked)
    match prop.kind:
        case Kind.ALWAYS | Kind.ON_STEP:
            violated = _violated_by(search, prop.name, (Asked.FAILS, index))
            vacuous = why_vacuous(search.findings, search.system, index)
            word = Word.VACUOUS if vacuous else Word.HOLDS
            return violated or _unless_cut(search, prop.name, word, vacuous)
        case Kind.REACHABLE:
            reached = search.findings.get((Asked.REACHED, index))
            if reached is not None:
                return Verdict(prop.name, Word.HOLDS, _trace(search, reached))
            return _unless_cut(search, prop.name, Word.VIOLATED)
        case Kind.LEADS_TO | Kind.EVENTUALLY:
            return _liveness(search, prop)
        case _:
            assert_never(prop.kind)


def _liveness(search: Searched, prop: Property) -> Verdict:
    if search.stopped:
        return cut_short(prop.name, search.stopped, search.statistics)
    if not search.stopped_after:
        try:
            with search.clock.judging(sum(map(is_judged, search.system.properties))):
                return judge(search.fair, prop, search.look)
        except LimitHit as limit:
            search.stopped_after = str(limit)
        except KeyboardInterrupt:
            search.stopped_after = INTERRUPTED
    why = f"{search.stopped_after}: all states were seen, but not all fair runs"
    return Verdict(prop.name, Word.UNKNOWN, why=why)


def _no_deadlock(search: Searched) -> Verdict:
    if search.deadlock is None:
        return _unless_cut(search, NO_DEADLOCK)
    trace = _replayed(search, search.trace_to(search.deadlock))
    return Verdict(NO_DEADLOCK, Word.VIOLATED, trace)


def _violated_by(search: Searched, name: str, topic: Topic) -> Verdict | None:
    finding = search.findings.get(topic)
    if finding is None:
        return None
    return Verdict(name, Word.VIOLATED, _trace(search, finding), finding.binding)


def _unless_cut(search: Searched, name: str, word: Word = Word.HOLDS, why: str = "") -> Verdict:
    if search.stopped:
        return cut_short(name, search.stopped, search.statistics)
    return Verdict(name, word, why=why)


def _trace(search: Searched, finding: Occurrence) -> Trace:
    if finding.leaf is None:
        return _replayed(search, search.trace_to(finding.state))
    path, leaf = search.trace_to(finding.state), search.leaves[finding.leaf]
    return _replayed(search, extended(path, leaf, finding.after))


def _replayed(search: Searched, trace: Trace) -> Trace:
    replay(search.system, trace)
    return trace
