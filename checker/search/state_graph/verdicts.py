"""Draws an answer for each property, and for the rows of all systems, from a finished search.

A violation counts even if the search was stopped: the search is breadth-first, so the trace is a
shortest one. All other verdicts need a complete search; otherwise they are `unknown`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, assert_never

from finale.checker.search.answer import (
    NO_DEADLOCK,
    WELL_FORMED,
    Answer,
    Holds,
    NotAsked,
    Statistics,
    Unknown,
    Vacuous,
    Verdict,
    Violated,
)
from finale.checker.search.limits import INTERRUPTED, LimitHit, SearchClock, cut_short
from finale.checker.search.state_graph.fairness import Fair
from finale.checker.search.state_graph.graph import Leaf, extended
from finale.checker.search.state_graph.liveness import is_judged, judge
from finale.checker.search.state_graph.questions import FAULTS, Asked, Occurrence, Topic
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


def answers_of(search: Searched) -> tuple[Answer, ...]:
    """Return an answer for each property of the system, then for the rows of all systems."""
    verdicts = {
        prop.name: _verdict(search, index, prop)
        for index, prop in enumerate(search.system.properties)
    }
    verdicts[WELL_FORMED] = _violated_by(search, FAULTS) or _unless_cut(search, Holds())
    verdicts[NO_DEADLOCK] = _no_deadlock(search)
    how = PARTIAL if search.stopped else EXHAUSTIVE
    return tuple(Answer(name, verdict, how) for name, verdict in verdicts.items())


def _verdict(search: Searched, index: int, prop: Property) -> Verdict:
    if prop.not_asked:
        return NotAsked(prop.not_asked)
    match prop.kind:
        case Kind.ALWAYS | Kind.ON_STEP:
            violated = _violated_by(search, (Asked.FAILS, index))
            return violated or _unless_cut(search, vacuous(search, index, prop) or Holds())
        case Kind.REACHABLE:
            reached = search.findings.get((Asked.REACHED, index))
            if reached is not None:
                return Holds(_trace(search, reached))
            return _unless_cut(search, Violated(None))
        case Kind.LEADS_TO | Kind.EVENTUALLY:
            return _liveness(search, prop)
        case _:
            assert_never(prop.kind)


def _liveness(search: Searched, prop: Property) -> Verdict:
    if search.stopped:
        return cut_short(search.stopped, search.statistics)
    if not search.stopped_after:
        try:
            with search.clock.judging(sum(map(is_judged, search.system.properties))):
                return judge(search.fair, prop, search.look)
        except LimitHit as limit:
            search.stopped_after = str(limit)
        except KeyboardInterrupt:
            search.stopped_after = INTERRUPTED
    return Unknown(f"{search.stopped_after}: all states were seen, but not all fair runs")


def _no_deadlock(search: Searched) -> Verdict:
    if search.deadlock is None:
        return _unless_cut(search, Holds())
    return Violated(_replayed(search, search.trace_to(search.deadlock)))


def _violated_by(search: Searched, topic: tuple[Asked, int]) -> Violated | None:
    finding = search.findings.get(topic)
    return Violated(_trace(search, finding), finding.binding) if finding is not None else None


def _unless_cut(search: Searched, verdict: Verdict) -> Verdict:
    return cut_short(search.stopped, search.statistics) if search.stopped else verdict


def vacuous(search: Searched, index: int, prop: Property) -> Vacuous | None:
    """Return why a property says nothing, if its antecedent or witness never occurs."""
    findings = search.findings
    if (Asked.WHEN, index) not in findings:
        return Vacuous("its antecedent was never true")
    names = [each.name for each in search.system.properties]
    if prop.witness is not None and (Asked.REACHED, names.index(prop.witness)) not in findings:
        return Vacuous(f'its witness "{prop.witness}" is never reached')
    return None


def _trace(search: Searched, finding: Occurrence) -> Trace:
    if finding.leaf is None:
        return _replayed(search, search.trace_to(finding.state))
    path, leaf = search.trace_to(finding.state), search.leaves[finding.leaf]
    return _replayed(search, extended(path, leaf, finding.after))


def _replayed(search: Searched, trace: Trace) -> Trace:
    replay(search.system, trace)
    return trace
