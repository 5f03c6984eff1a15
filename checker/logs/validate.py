"""Judges the logs of one cluster: its jobs, their checkpoints, and findings.

The judge is a pure function of lines. Other modules read the lines and choose the machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from finale.checker.search.limits import Limits

from .event_log.section_search import Accepted, Rejected, Undecided
from .file_remarks import file_remarks, shared_names_remarks, times_remarks
from .findings import Coverage, Finding, Severity, Where
from .read.job_runs import JobRun, clusters_of, extents_of, origin_of, runs_of
from .read.kept_lines import KeptLines
from .read.line_patterns import PatternTable
from .read.log_events import (
    LinePlace,
    LineTally,
    LogEvent,
    LogNumbers,
    events_of_lines,
    tally_of_logs,
)
from .read.log_files import LogLine
from .read.run_file import RunFile
from .read.visibility import LogProfile, Visibility
from .regularities.assumptions import contradictions, unwritten
from .regularities.damage import OR_LOST, damage_of
from .replay.checkpoint_history import FATES, JobHistory, history_of
from .replay.log_replay import LogReplay
from .replay.replay_state import OF_FINAL_CHECKPOINTS
from .replay.stopped_sources import lost_by_restarts
from .replay.unfinished_tasks import UnfinishedTask, unfinished_tasks
from .verdicts import Conformance, FileRemark, JobVerdict

#: A job with more subtasks is not judged. What the properties ask grows with their number, and a
#: log in which some numbers are wrong may tell of any number.
TASKS_MAX = 256
#: Of a search for a run that explains a job: two minutes of processor time, the proof included.
ACCEPT_LIMITS = Limits(1_000_000, 120.0)
#: Of so many files at most all lines are tried as early and as late as messages allow. Of a job
#: with more files those are tried that have findings, and the JobManager's.
FILES_TRIED = 8


#: Why findings are open.
UNORDERED = "no message orders the lines of two processes"
DAMAGED = "lost, doubled or moved lines could explain it"


@dataclass(frozen=True)
class AcceptanceRequest:
    """That a run of the protocol is looked for, how far, and what is told of each job beside logs.

    `every`: under each of the settings that nobody tells.
    """

    limits: Limits
    given: RunFile = field(default_factory=RunFile)
    every: bool = False


@dataclass(frozen=True)
class JudgedJob:
    """The verdict on one job, whose findings do not name their files yet, and what stands open."""

    verdict: JobVerdict
    history: JobHistory
    unfinished_tasks: tuple[UnfinishedTask, ...] = ()
    """The tasks that have not ended when the log does, and what is missing."""
    stops: tuple[str, ...] = ()
    """What keeps stops with a savepoint from their end when the log ends."""


@dataclass(frozen=True)
class JudgedCluster:
    """What the logs of one folder show."""

    jobs: tuple[JudgedJob, ...]
    tally: LineTally
    homeless: int
    """How many events are of no job that is known."""
    files: tuple[int, ...]
    """By log the number of its file, which can have the logs of several processes."""
    runs: tuple[JobRun, ...] = ()
    """The lines of each job."""


def judge_cluster(
    logs: Iterable[Iterable[LogLine]],
    table: PatternTable,
    levels: Mapping[str, str] | None = None,
    accepts: AcceptanceRequest | None = None,
    kept: KeptLines | None = None,
    holes: Iterable[LinePlace] = (),
) -> JudgedCluster:
    """Judge the logs of one folder. Logs that share no job are of different clusters, and judged
    apart. `levels` says to which level loggers were set. `holes` are the beginnings of parts before
    which a part of the log is missing.

    It may be asked, too, whether a run of the protocol explains each job; then what is wrong with
    what is told of it is raised. What the lines are is `kept` if somebody wants it.
    """
    tallies: list[LineTally] = []
    events: list[LogEvent] = []
    numbers = LogNumbers()
    for file, lines in enumerate(logs):
        tallies.append(LineTally())
        numbers.begin(file)
        if kept is not None:
            kept.begin(file)
        keep, raw = (None, False) if kept is None else (kept.keep, True)
        events += events_of_lines(lines, table, tallies[-1], numbers.of, keep, raw=raw)
    events.sort(key=lambda each: each.log)
    total, holes = tally_of_logs(tallies), tuple(holes)
    jobs: list[JudgedJob] = []
    runs: list[JobRun] = []
    homeless = 0
    clusters = clusters_of(events)
    for cluster in clusters:
        files = {numbers.files[each.log] for each in cluster}
        if len(clusters) == 1:
            files = set(numbers.files)
        tally = tally_of_logs([tallies[file] for file in sorted(files)])
        tally.holes += numbers.places(place for place in holes if place[0] in files)
        found, without_job = runs_of(cluster)
        runs += found
        homeless += len(without_job)
        jobs += _judged(found, LogProfile(table, tally, dict(levels or {})), tally, accepts)
    if kept is not None:
        kept.runs = runs
    return JudgedCluster(tuple(jobs), total, homeless, tuple(numbers.files), tuple(runs))


def _judged(
    runs: Sequence[JobRun],
    profile: LogProfile,
    tally: LineTally,
    accepts: AcceptanceRequest | None,
) -> list[JudgedJob]:
    """Judge the runs of one cluster."""
    table = profile.table
    all_gaps = dict(zip((run.job for run in runs), map(tally.gaps, extents_of(runs)), strict=True))
    jobs: list[JudgedJob] = []
    for run in runs:
        gaps, origin = all_gaps[run.job], origin_of(run, runs)
        if origin is not None and all_gaps[origin.job]:
            origin = None
        job = judge_job(run, profile, whole=not gaps, gaps=gaps, origin=origin)
        said = times_remarks(run.logs, tally.kinds, table.layouts.timezone is not None)
        verdict = replace(job.verdict, files=(*job.verdict.files, *said))
        jobs.append(replace(job, verdict=verdict))
    if accepts is not None:
        release = table.name
        jobs = [
            job
            if job.verdict.ambiguous or job.verdict.too_many or job.verdict.other_release
            else _conforming(run, job, release, accepts, profile)
            for job, run in zip(jobs, runs, strict=True)
        ]
    return jobs


def judge_job(
    run: JobRun,
    profile: LogProfile,
    *,
    whole: bool,
    gaps: Sequence[LinePlace] = (),
    origin: JobRun | None = None,
) -> JudgedJob:
    """What can be said of one run; `whole`: no line of it is unreadable, and no part is missing.

    `origin` is the job from whose checkpoint it has started, if its logs are there as a whole.
    `gaps` are the unreadable lines, and the beginnings of parts before which one is missing. If
    nobody knows where lines are missing, nothing is known of what was before a line.
    """
    if run.shared_names or not run.threads:
        profile = profile.without(threads=not run.threads, names=bool(run.shared_names))
    history, count = history_of(run), len(run.events)
    coverage = _coverage(run, history, whole=whole)
    verdict = JobVerdict(
        "",
        history.job,
        history.name,
        history.state,
        coverage,
        count,
        {fate: history.with_fate(fate) for fate in FATES},
        history.restored,
        history.failed,
        restarts=history.restarts,
        stops=tuple(FileRemark(each.where, str(each)) for each in history.stops),
    )
    ambiguous, tasks = run.ambiguous, sum(run.tasks.values())
    if ambiguous or not tasks or tasks > TASKS_MAX or profile.other_release:
        too_many = tasks if tasks > TASKS_MAX else 0
        verdict = replace(verdict, ambiguous=ambiguous, too_many=too_many, asked=False)
        verdict = replace(verdict, other_release=profile.other_release)
        return JudgedJob(verdict, history)
    begins = run.begins and (whole or bool(gaps))
    replayed, found, against = _findings(run, profile, begins=begins, gaps=gaps)
    findings = (*found, *against)
    waits = replayed.state.waits
    unasked = frozenset(OF_FINAL_CHECKPOINTS if not waits else ())
    unsettled = frozenset[str]()
    if waits is None:  # the setting could explain what is found, and nothing else
        unasked = unsettled = unasked & {each.property for each in findings}
    findings = tuple(each for each in findings if each.property not in unasked)
    surely, why_open = _in_each_order(run, profile, findings, begins=begins, gaps=gaps), UNORDERED
    if damage := damage_of(run, profile, [e for e in against if e in surely], gaps):
        surely, why_open = tuple(e for e in findings if e.severity is Severity.OPEN), DAMAGED
        verdict = replace(verdict, coverage=Coverage.DAMAGED)
    elif origin is not None:
        surely += (*unwritten(run, origin), *lost_by_restarts(run, origin))
    monitors = replayed.state.monitors
    open_ = {each.property for each in findings} - {each.property for each in surely}
    decided = set[str]() if damage else monitors.decided - open_ - unasked
    lacking = {
        name: replayed.state.lacks(name, unseen)
        for name, unseen in sorted(monitors.unseen.items())
        if name not in decided | unasked
    }
    lacking |= {
        n: () for n, levels in lacking.items() if levels is None and n in monitors.ambiguous
    }
    lacking |= dict.fromkeys(sorted(open_), ())
    lacking |= dict.fromkeys(sorted(unsettled), profile.lacks("waits"))
    verdict = replace(
        verdict,
        findings=_in_time(run, surely),
        decided=tuple(sorted(decided)),
        undecided=tuple(lacking),
        needs={name: levels for name, levels in lacking.items() if levels is not None},
        untold=tuple(name for name, levels in lacking.items() if levels is None),
        files=(
            *file_remarks(run),
            *damage,
            *left_open(findings, surely, why_open),
            *shared_names_remarks(run),
        ),
    )
    return JudgedJob(
        verdict,
        history,
        () if history.has_ended else unfinished_tasks(replayed, history),
        tuple(each.why for each in replayed.hung_stops() if each is not None),
    )


def _findings(
    run: JobRun, profile: LogProfile, *, begins: bool, gaps: Sequence[LinePlace]
) -> tuple[LogReplay, tuple[Finding, ...], tuple[Finding, ...]]:
    """The findings of a run with its lines in this order, and the lines that contradict others."""
    replayed = LogReplay(run, profile, begins=begins, gaps=gaps)
    found = replayed.judged()
    against = contradictions(run, profile, begins=begins, gaps=gaps)
    return replayed, (*found, *lost_by_restarts(run)), against


def _in_each_order(
    run: JobRun,
    profile: LogProfile,
    findings: tuple[Finding, ...],
    *,
    begins: bool,
    gaps: Sequence[LinePlace],
) -> tuple[Finding, ...]:
    """The findings that rest on one process, or on messages.

    The order of lines of two processes is open where no message tells it. A finding that rests on
    it is none: it goes away if the lines of some file come as early, or as late, as they can. If a
    property fails in each order, but not always of the same task, all its findings stay.
    """
    if run.processes is None or not any(each.severity.is_sure for each in findings):
        return findings
    logs = run.logs
    if len(logs) > FILES_TRIED:
        logs = tuple({each.where.log for each in findings} | {run.processes.clocks.reference})
    always = {each.property for each in findings}
    certain = {_about(each) for each in findings}
    for log, early in product(logs, (True, False)):
        other = run.in_other_order(log, early=early)
        _, *both = _findings(other, profile, begins=begins, gaps=gaps)
        shown = [each for found in both for each in found if each.severity.is_sure]
        always &= {each.property for each in shown}
        certain &= {*map(_about, shown)}
    varies = always - {name for name, _ in certain}
    return tuple(
        each
        for each in findings
        if not each.severity.is_sure or each.property in varies or _about(each) in certain
    )


def _in_time(run: JobRun, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in the order in which the lines of the run stand."""
    places: dict[Where, int] = {}
    for number, event in enumerate(run.events):
        told = event.log_event
        places.setdefault(Where(told.log, told.part, told.line), number)
    last = len(run.events)
    return tuple(sorted(findings, key=lambda each: (places.get(each.where, last), each.where)))


def left_open(
    findings: Sequence[Finding], surely: Sequence[Finding], why: str = UNORDERED
) -> Iterator[FileRemark]:
    """Yield what is said of findings that are none in some order of the lines, or in a log from
    which lines are lost."""
    gone: dict[str, list[Finding]] = {}
    for each in findings:
        if each not in surely:
            gone.setdefault(each.property, []).append(each)
    for name, those in gone.items():
        about = ", ".join(value for _, value in those[0].binding)
        more = f", and for {len(those) - 1} more" if len(those) > 1 else ""
        of = f"({about})" if about else ""
        text = f"{name}{of}{more}: open, since {why}"
        yield FileRemark(those[0].where, text)


def _about(finding: Finding) -> tuple[str, tuple[tuple[str, str], ...]]:
    return finding.property, finding.binding


def _conforming(
    run: JobRun, judged: JudgedJob, release: str, asks: AcceptanceRequest, profile: LogProfile
) -> JudgedJob:
    """The job with whether a run of the protocol explains it."""
    from .flink.judge import accept_run, misnamed

    if run.shared_names:
        why = f'several vertices are called "{next(iter(run.shared_names))}"'
        none = Conformance(accepted=False, lines=0, why=why)
        return replace(judged, verdict=replace(judged.verdict, conforms=none))
    if judged.verdict.coverage is Coverage.DAMAGED:
        conforms = Conformance(False, 0, "the log is damaged, and damage could explain any line")
        if (against := misnamed(run)) is not None:
            why = f"{_refused(against)}; no line that is lost, doubled or moved explains this"
            conforms = Conformance(False, 0, why, rejected=True)
        return replace(judged, verdict=replace(judged.verdict, conforms=conforms))
    checkpoints = any(event.log_event.checkpoint is not None for event in run.events)
    verdict = accept_run(
        run,
        release=release,
        given=asks.given,
        profile=profile,
        every=asks.every,
        limits=asks.limits,
        whole=judged.verdict.coverage is not Coverage.GAP
        and run.coordinator not in run.file_ends().values()
        and profile.is_whole(checkpoints=checkpoints),
    )
    match verdict.conforms:
        case Accepted():
            conforms = Conformance(True, verdict.lines, None)
        case Rejected() as rejected:
            why = f"{_refused(rejected)}; {OR_LOST}"
            conforms = Conformance(False, verdict.lines, why, rejected=True)
        case Undecided() as undecided:
            conforms = Conformance(False, verdict.lines, undecided.why)
    conforms = replace(conforms, told=verdict.told, tried=verdict.tried)
    return replace(judged, verdict=replace(judged.verdict, conforms=conforms))


def _refused(rejected: Rejected) -> str:
    why = "; or ".join(each.why for each in rejected.refusals)
    return f"line {rejected.line}, {rejected.event}: {why}"


def _coverage(run: JobRun, history: JobHistory, *, whole: bool) -> Coverage:
    if not run.begins or not whole:
        return Coverage.GAP
    is_there = history.has_ended and not run.file_ends()
    return Coverage.COMPLETE if is_there else Coverage.TRUNCATED


__all__ = [
    "AcceptanceRequest",
    "JudgedCluster",
    "JudgedJob",
    "Visibility",
    "judge_cluster",
    "judge_job",
]
