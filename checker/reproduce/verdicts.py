"""Judges a driven run: was the damage seen that the property forbids, and does the log agree?

The damage is judged by what the job did, not by what the model says: requests without an answer, a
job at rest, records that a sink lacks or has twice. The run's own log is judged as `finale
validate` judges it: some run of the protocol must explain the log, and its findings are told.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from finale.checker.logs.findings import Finding
from finale.checker.logs.read.line_patterns import PatternTable, table, tables
from finale.checker.logs.read.log_files import LogFile, LogShelf, RawLog
from finale.checker.logs.validate import (
    ACCEPT_LIMITS,
    AcceptanceRequest,
    judge_cluster,
)
from finale.checker.logs.verdicts import Conformance
from finale.reference.flink.director import HAND_OVER
from finale.reference.flink.order import ASK, FAIL, PERIODIC, RESUME
from finale.reference.flink.outcome import PROBE, RunOutcome
from finale.reference.flink.releases import Release
from finale.reference.flink.run import Run

STOP, SAVEPOINT, CHECKPOINT = "stop", "savepoint", "checkpoint"


class Reproduction(enum.Enum):
    """What became of an order on a real engine.

    The first three are of the order of a counterexample, the next two of an order of a spec that
    holds.
    """

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    NOT_SEEN = "not seen"
    DAMAGED = "damaged"
    SURVIVED = "survived"
    NOT_TAKEN = "not taken"


@dataclass(frozen=True)
class JudgedLog:
    """What the log of a run tells: whether the protocol explains it, and what is wrong in it.

    `stops` and `waits` say what keeps stops and tasks from their end, and `decided` names the
    properties about which the lines tell enough.
    """

    conforms: Conformance | None
    findings: tuple[Finding, ...]
    stops: tuple[str, ...]
    waits: tuple[str, ...]
    is_known: bool = True
    """Whether the lines of the release are known; else it is read as one of another release."""
    decided: tuple[str, ...] = ()

    @property
    def rejected(self) -> str:
        """Why no run of the protocol explains the log, if that is certain."""
        rejects = self.is_known and self.conforms is not None and self.conforms.rejected
        return (self.conforms.why or "") if rejects and self.conforms is not None else ""


@dataclass(frozen=True)
class JudgedRun:
    """One run with its verdict. `damage` says what was seen of what the property forbids.

    `of_release` says whose rules the order comes from: those of the release of the run, or those of
    the spec as it is written, which may be those of another release.
    """

    run: Run
    verdict: Reproduction
    damage: tuple[str, ...]
    log: JudgedLog
    agrees: bool
    """Whether the log shows a violation of what is judged, or a wait for the same reason."""
    of_release: bool = True
    causes: tuple[str, ...] = ()
    """If the whole order was taken without damage: which causes remain."""

    @property
    def meaning(self) -> str:
        """What it means that the whole order was taken without damage. Else nothing."""
        if self.verdict is Reproduction.NOT_SEEN:
            if self.run.outcome.moves:
                return "the whole order was taken; the job neither ended nor came to rest in time"
            return "the whole order was taken; no outcome and no line tells whether it is violated"
        if self.verdict is not Reproduction.NOT_REPRODUCED:
            return ""
        return f"Flink {self.run.release.version} took the whole order without the damage"


def judged(run: Run, name: str, causes: Sequence[str] = (), *, of_release: bool) -> JudgedRun:
    """Judge a run of an order that was made of a counterexample of a property.

    The rules of the counterexample are those of the release, or those of a spec as it is written.
    `causes` are those that remain if the whole order is taken without damage.
    """
    log = judged_log(run)
    told = _told(log, {name})
    seen = tuple(DAMAGES[name](run.outcome)) if name in DAMAGES else told
    if run.taken.missed is not None:
        verdict = Reproduction.NOT_TAKEN
    elif seen:
        verdict = Reproduction.REPRODUCED
    else:
        is_told = (name in DAMAGES and not run.outcome.moves) or name in log.decided
        verdict = Reproduction.NOT_REPRODUCED if is_told else Reproduction.NOT_SEEN
    hangs = name in HANGS
    explained = (
        hangs
        and bool(seen)
        and bool(log.stops or any(HANGS & {each.property for each in log.findings}))
    )
    left = (*causes,) if verdict is Reproduction.NOT_REPRODUCED else ()
    if left and name not in DAMAGES and not log.is_known:
        left = (*left, f"no table fits the log: {_like(run.release)}")
    return JudgedRun(run, verdict, seen, log, bool(told) or explained, of_release, left)


def judged_to_hold(run: Run, names: Collection[str]) -> JudgedRun:
    """Judge a run of an order after which none of some properties may be violated."""
    log = judged_log(run)
    told = _told(log, names)
    damages = dict.fromkeys(damage for name, damage in DAMAGES.items() if name in names)
    # That a checkpoint is refused is no damage by itself: it may have come too early.
    outside = dict.fromkeys(
        each
        for damage in damages
        if damage not in (_none_completes, _next_refused)
        for each in damage(run.outcome)
    )
    seen = (*outside, *told)
    if log.rejected:
        seen += (f"the log is no run of the protocol: {log.rejected}",)
    if run.taken.missed is not None:
        verdict = Reproduction.NOT_TAKEN
    elif seen:
        verdict = Reproduction.DAMAGED
    else:
        verdict = Reproduction.NOT_SEEN if run.outcome.moves else Reproduction.SURVIVED
    return JudgedRun(run, verdict, seen, log, bool(told))


def _told(log: JudgedLog, names: Collection[str]) -> tuple[str, ...]:
    return tuple(
        f"the log violates {each.property}, line {each.line}"
        for each in log.findings
        if each.property in names and each.severity.is_sure
    )


def judged_log(run: Run) -> JudgedLog:
    """What the log of a run tells. It has one job."""
    log = RawLog((LogFile(str(run.log)),))
    accepts = AcceptanceRequest(ACCEPT_LIMITS)
    with LogShelf() as shelf:
        cluster = judge_cluster([shelf.lines(log)], _table(run.release), None, accepts)
    if not cluster.jobs:
        return JudgedLog(None, (), (), ())
    job = cluster.jobs[-1]
    waits = tuple(
        f"{each.task} {each.status}: {', '.join(each.missing) or 'nothing is missing'}"
        for each in job.unfinished_tasks
    )
    known = _has_own_table(run.release)
    verdict = job.verdict
    return JudgedLog(verdict.conforms, verdict.shows, job.stops, waits, known, verdict.decided)


def _table(release: Release) -> PatternTable:
    """The lines of a release; of a release without a table, those of the newest one."""
    return table(_own_table(release) if _has_own_table(release) else tables()[-1])


def _like(release: Release) -> str:
    return f"the lines of Flink {release.line} are read as those of {tables()[-1]}"


def _own_table(release: Release) -> str:
    return f"flink-{release.line}"


def _has_own_table(release: Release) -> bool:
    return _own_table(release) in tables()


# --- what properties forbid, as it is seen from outside -------------------------------------------


def _hang(outcome: RunOutcome) -> list[str]:
    if not outcome.rest:
        return []
    waits = [f"{task} waits in {place}" for task, place in outcome.waits.items()]
    unanswered = [f"{each} has no answer" for each in outcome.unanswered]
    return [f"the job is {outcome.status}, and nothing moves", *unanswered, *waits]


def _unended(outcome: RunOutcome) -> list[str]:
    """A checkpoint that no job will end: the job rests, or it is over."""
    asks = (CHECKPOINT, SAVEPOINT)
    unanswered = [each for each in outcome.unanswered if outcome.asked.get(each) in asks]
    over = f"the job is {outcome.status}"
    is_over = outcome.status in ("FINISHED", "FAILED", "CANCELED")
    return _hang(outcome) or [f"{each} has no answer, and {over}" for each in unanswered if is_over]


def _unanswered(outcome: RunOutcome) -> list[str]:
    stops = [each for each in outcome.unanswered if outcome.asked.get(each) == STOP]
    return _hang(outcome) if stops else []


def _lost(outcome: RunOutcome) -> list[str]:
    return [f"lost: {each}" for each in outcome.lost] if outcome.status == "FINISHED" else []


def _incomplete(outcome: RunOutcome) -> list[str]:
    early = [f"visible, and still to come: {each}" for each in outcome.early]
    return [*_lost(outcome), *(early if outcome.status == "FINISHED" else [])]


def _none_completes(outcome: RunOutcome) -> list[str]:
    return [] if outcome.answers else _refused(outcome)


def _at_two_places(outcome: RunOutcome) -> list[str]:
    lost = [f"lost: {each}" for each in outcome.lost]
    return [*lost, *_doubled(outcome)] if PROBE in outcome.answers else []


def _not_stored(outcome: RunOutcome) -> list[str]:
    return [f"{each} was answered before its checkpoint was stored" for each in outcome.unstored]


def _next_refused(outcome: RunOutcome) -> list[str]:
    return [each for each in _refused(outcome) if each.startswith(f"{PROBE} ")]


def _doubled(outcome: RunOutcome) -> list[str]:
    return [f"committed twice: {each}" for each in outcome.doubled]


def _defeated(outcome: RunOutcome) -> list[str]:
    users = [each for each, kind in outcome.asked.items() if kind in (STOP, SAVEPOINT)]
    return [each for each in _refused(outcome) if each.split(" ")[0] in users and len(users) > 1]


def _handed_late(outcome: RunOutcome) -> list[str]:
    return [f"committables came after the confirmation: {each}" for each in outcome.late]


def _failed(outcome: RunOutcome) -> list[str]:
    failed = [f"{each} fails, and nothing made it fail" for each in dict.fromkeys(outcome.failed)]
    others = (each for each in outcome.ended if each not in outcome.failed)
    ended = [f"an attempt of {each} ends, and nothing made it end" for each in others]
    job = ["the job has FAILED, and nothing made it fail"] if outcome.failed_by_itself else []
    return [*failed, *ended, *job]


def _left_open(outcome: RunOutcome) -> list[str]:
    stops = [each for each in outcome.answers if outcome.asked.get(each) == STOP]
    left = [
        f"{each} has a transaction that is prepared and not committed" for each in outcome.prepared
    ]
    return [*(f"{each} succeeds" for each in stops), *left] if stops and left else []


def _refused(outcome: RunOutcome) -> list[str]:
    return [f"{name} fails: {why}" for name, why in outcome.errors.items()]


DAMAGES: Mapping[str, Callable[[RunOutcome], list[str]]] = {
    "no-deadlock": _hang,
    "job-finishes": _hang,
    "waiting-task-closes": _hang,
    "checkpoint-ends": _unended,
    "no-release-is-dropped": _hang,
    "checkpoints-go-on": _none_completes,
    "triggers-go-on": _next_refused,
    "nothing-after-the-cut": _doubled,
    "split-at-one-place": _at_two_places,
    "reported-is-durable": _not_stored,
    "stop-is-answered": _unanswered,
    "stop-report-is-true": _left_open,
    "commit-completeness": _incomplete,
    "records-survive-restarts": _lost,
    "commit-at-most-once": _doubled,
    "requests-do-not-defeat": _defeated,
    "legal-never-fails": _failed,
    "committables-are-told-apart": _failed,
    "confirmed-commits": _handed_late,
}

#: What is done after the order of a property's counterexample, so that its damage shows.
PROBES: Mapping[str, str] = {
    "triggers-go-on": ASK,
    "confirmed-commits": ASK,
    "nothing-after-the-cut": RESUME,
    "split-at-one-place": FAIL,
    "waiting-task-closes": PERIODIC,
}

#: Steps without whose hook nobody sees the damage of a property.
SEEN_AT: Mapping[str, str] = {"confirmed-commits": HAND_OVER}

#: The properties that a job at rest violates: one cause, several names.
HANGS = {name for name, damage in DAMAGES.items() if damage in (_hang, _unanswered, _unended)}

__all__ = [
    "DAMAGES",
    "PROBES",
    "SEEN_AT",
    "JudgedLog",
    "JudgedRun",
    "Reproduction",
    "judged",
    "judged_log",
    "judged_to_hold",
]
