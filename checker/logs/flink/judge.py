"""Decides whether a run of a real engine is a run of the protocol as its release has it.

The proof comes first: a run is rejected if a projection of the model, with everything else free,
has no run with the lines about it (`proof.py`). A run is rejected, too, if its lines contradict
what the rules assume (`checker/logs/regularities`). Then a search looks for a run
(`witness_search.py`). A run is accepted only with a witness: a run of the whole model, which the
rules alone replay. Any other run is undecided.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import thread_time

from finale.checker.logs.event_log.acceptance import replay
from finale.checker.logs.event_log.progress import LogProgress, OnProgress, OverTime, SearchEffort
from finale.checker.logs.event_log.reading import EventLine, Section
from finale.checker.logs.event_log.section_judge import findings_of
from finale.checker.logs.event_log.section_search import Accepted, GaveUp, Move, Rejected, Undecided
from finale.checker.logs.event_log.section_system import Refusal, SectionSystem
from finale.checker.logs.findings import Finding
from finale.checker.logs.flink.always_logged import always_shown
from finale.checker.logs.flink.candidate_settings import (
    PROTOCOL,
    CandidateSetting,
    CandidateSettings,
    check,
    in_words,
    of_other_releases,
    settings_of,
)
from finale.checker.logs.flink.observations import Observations, observations_of
from finale.checker.logs.flink.proof import Refuter, given_of
from finale.checker.logs.flink.refusals import rejection_of
from finale.checker.logs.flink.run_job import RunJob, job_of
from finale.checker.logs.flink.witness_check import unexplained
from finale.checker.logs.flink.witness_run import OverStates
from finale.checker.logs.flink.witness_search import Unexplained, WitnessSearch
from finale.checker.logs.lines import SNAPSHOTS, Observed
from finale.checker.logs.read.job_runs import JobRun, RunEvent
from finale.checker.logs.read.log_events import TaskId
from finale.checker.logs.read.run_file import ChosenSetting, RunFile, TriedSettings
from finale.checker.logs.read.visibility import LogProfile
from finale.checker.logs.regularities.assumptions import contradictions
from finale.checker.search.limits import Limits
from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.model.errors import FinaleError

#: Where the search stops unless somebody says otherwise: so many steps are tried.
LIMITS = Limits(states_max=1_000_000)
#: Of a proof without a limit.
NO_LIMITS = Limits()
#: So many seconds a search has at least where those before it have had nearly all.
SECONDS_LEAST = 0.1
#: Where nothing is told of a run.
NOTHING_TOLD = RunFile()
#: So many ids are live at once; from so many on, they are given again.
LIVE = 64


@dataclass(frozen=True)
class RunVerdict:
    """What can be said of a run. Findings are those of the witness."""

    conforms: Accepted | Rejected | Undecided
    findings: tuple[Finding, ...]
    lines: int
    """How many of its lines are explained."""
    section: Section | None = None
    """Of an accepted one, of which protocol, options and job the witness is a run."""
    told: tuple[ChosenSetting, ...] = ()
    """What is told of its settings, and by whom."""
    tried: tuple[TriedSettings, ...] = ()
    """What came of those that nobody tells."""


@dataclass(frozen=True)
class _Case:
    """A run, and all that is the same of it under any settings."""

    run: JobRun
    given: RunFile
    job: RunJob
    observations: Observations
    whole: bool
    contradicted: Rejected | None
    """The first line that contradicts what the rules assume, if there is one."""
    judges: bool
    known: Catalogue


def accept_run(  # noqa: PLR0913 - what is asked, of what, and how far
    run: JobRun,
    *,
    release: str = "flink-2.3",
    given: RunFile = NOTHING_TOLD,
    profile: LogProfile | None = None,
    every: bool = False,
    limits: Limits = LIMITS,
    judges: bool = False,
    whole: bool = True,
    known: Catalogue | None = None,
    on_progress: OnProgress | None = None,
) -> RunVerdict:
    """Judge a run. `on_progress` is called now and then with how far it is.

    `release` is that of the table of its lines; `given` is what else is told of it. Of settings
    that nobody tells those are tried that make a difference, until some explain it; or `every` one,
    and other releases, too, where none is told. `whole`: its logs have their beginning, and no
    gap; else nothing can be said against it. Raises what is wrong with what is `given`.
    """
    check(given, release)
    lines = max((event.log_event.line for event in run.events), default=0)
    job = job_of(run)
    if job is None or job.chained is not None:
        why = "no line tells how its vertices are connected"
        if job is not None:
            why = (
                f'"{job.chained}" reads channels and has sources chained into it: no protocol '
                "in which runs are looked for has such tasks"
            )
        progress = _effort(lines, limits, on_progress).progress
        return RunVerdict(Undecided(GaveUp.BOUND, why, progress), (), 0)
    whole = whole and job.is_sure
    observations = observations_of(run, job)
    settings = settings_of(run, job.job, observations, release, given, profile)
    against = impossible(run, job, observations) or settings.against
    contradicted = _contradicted(run, profile, whole=whole)
    if not whole:
        against = against or contradicted
    if against is not None:
        progress = _effort(lines, limits, on_progress).progress
        doubted = against if whole else _doubted(against, progress)
        return RunVerdict(doubted, (), 0, told=settings.told)
    case = _Case(run, given, job, observations, whole, contradicted, judges, known or catalogue())
    found, tried = _first_of(case, settings, limits, on_progress, every=every)
    if every and given.release is None:
        best = next((way for way, each in tried if _is_accepted(each)), settings.ways[0])
        tried = [(way.of_release(release), each) for way, each in tried]
        for name, way in of_other_releases(best, release):
            tried.append((way.of_release(name), _under(case, way, limits, on_progress)))
    shown = tuple(_tried(way, each) for way, each in tried if way.taken)
    return replace(found, told=settings.told, tried=shown)


def _contradicted(run: JobRun, profile: LogProfile | None, *, whole: bool) -> Rejected | None:
    """The first line that contradicts what the rules assume, or that lacks another line."""
    found = contradictions(run, profile, begins=whole)
    if not found:
        return None
    first = min(found, key=lambda each: each.where)
    return Rejected(first.where.line, first.property, (Refusal(first.why or first.sentence),), 0)


def _doubted(against: Rejected, progress: LogProgress) -> Undecided:
    """What is wrong with a line if no other is missing."""
    (refusal,) = against.refusals
    why = f"line {against.line}, {against.event}: {refusal.why}"
    return Undecided(GaveUp.BOUND, why, progress)


def _first_of(
    case: _Case,
    settings: CandidateSettings,
    limits: Limits,
    on_progress: OnProgress | None,
    *,
    every: bool,
) -> tuple[RunVerdict, list[tuple[CandidateSetting, RunVerdict]]]:
    """The verdict of the first way that explains a run; else rejected, if it is in each way."""
    tried: list[tuple[CandidateSetting, RunVerdict]] = []
    began = thread_time()
    for way in settings.ways:
        left = limits
        if limits.seconds_max is not None and tried and not every:
            spent = thread_time() - began
            left = replace(limits, seconds_max=max(limits.seconds_max - spent, SECONDS_LEAST))
        tried.append((way, _under(case, way, left, on_progress)))
        if _is_accepted(tried[-1][1]) and not every:
            break
    return min((each for _, each in tried), key=_rank), tried


def _is_accepted(verdict: RunVerdict) -> bool:
    return isinstance(verdict.conforms, Accepted)


def _rank(verdict: RunVerdict) -> int:
    """Whoever explains a run under some settings does; it is rejected if it is under all."""
    return [Accepted, Undecided, Rejected].index(type(verdict.conforms))


def _tried(way: CandidateSetting, verdict: RunVerdict) -> TriedSettings:
    return TriedSettings(in_words(way.taken), ("explains", "undecided", "rejected")[_rank(verdict)])


def _under(
    case: _Case, way: CandidateSetting, limits: Limits, on_progress: OnProgress | None
) -> RunVerdict:
    """Judge a run under some settings."""
    run, observations = case.run, case.observations
    effort = _effort(max((e.log_event.line for e in run.events), default=0), limits, on_progress)
    section = Section(0, {"protocol": way.protocol, "options": way.options}, case.job.job,
                      _counted(observations, run), frozenset(), True)  # fmt: skip
    live = 8 if way.protocol != PROTOCOL else LIVE
    try:
        system = SectionSystem(section, case.known, (), live=live, judges=case.judges, room=None)
    except FinaleError as error:  # options that no job has together
        raise error.located(case.given.place("concurrent")) from None
    rejected = _rejected(run, case.job, observations, way, _half(limits)) if case.whole else None
    rejected = rejected or case.contradicted
    if rejected is not None:
        return RunVerdict(rejected, (), 0)
    guide = WitnessSearch(system, observations, effort)
    try:
        found = guide.run()
    except OverTime:
        why = effort.limits.seconds_word
        return RunVerdict(Undecided(GaveUp.SECONDS, why, effort.progress), (), sum(guide.at))
    except OverStates:
        why, given = effort.limits.states_word, GaveUp.STATES
        found = None
    else:
        why, given = _why(found), GaveUp.BOUND
        if isinstance(found, tuple):
            replay(system, found)
            why = (
                unexplained(system, found, observations, always_shown(run, case.job, observations))
                or ""
            )
    if not isinstance(found, tuple) or why:
        return RunVerdict(Undecided(given, why, effort.progress), (), sum(guide.at))
    judged = findings_of(system, found, effort.judges, ends=False) if case.judges else ()
    return RunVerdict(Accepted((found,)), judged, sum(guide.at), section)


def _effort(lines: int, limits: Limits, on_progress: OnProgress | None) -> SearchEffort:
    """An effort that counts processor time: a busy machine changes no verdict."""
    return SearchEffort(lines, limits, on_progress, thread_time)


def _half(limits: Limits) -> Limits:
    """The limits of a proof: it leaves half of the time to the search."""
    seconds = None if limits.seconds_max is None else limits.seconds_max / 2
    return Limits(seconds_max=seconds)


def _rejected(
    run: JobRun,
    job: RunJob,
    observations: Observations,
    way: CandidateSetting,
    limits: Limits = NO_LIMITS,
) -> Rejected | None:
    given = given_of(way.protocol, way.options, run, observations)
    try:
        refuter = Refuter(given, run, job, observations, _effort(0, limits, None))
        contradiction = refuter.contradiction()
    except OverTime:
        return None
    return None if contradiction is None else rejection_of(given, contradiction)


def _why(found: tuple[Move, ...] | Unexplained | None) -> str:
    if not isinstance(found, Unexplained):
        return ""
    return (
        f"line {found.observation.line}, {found.observation}: {found.why or 'nothing explains it'}"
    )


def _counted(observations: Observations, run: JobRun) -> tuple[EventLine, ...]:
    """The events of which a section's bounds count how many there are."""
    found: list[EventLine] = []
    for observation in observations.all:
        name = observation.seen.facts.steps[0]
        if observation.kind in SNAPSHOTS and observation.seen.begins_checkpoint:
            name = SNAPSHOTS[observation.kind].request
        elif observation.seen is Observed.BARRIER:
            name = "time_out"
        elif name == "expire" and "expired" not in observation.why:
            name = "none"
        found.append(EventLine(observation.line, name, (), observation.checkpoint, {}, None, "", 0))
    for tasks in observations.unwritten.values():
        found += [EventLine(0, "fail_snapshot", (), None, {}, None, "", 0) for _ in tasks]
    asked = sum(event.word == "request_checkpoint" for event in run.events)
    found += [EventLine(0, "request_checkpoint", (), None, {}, None, "", 0) for _ in range(asked)]
    return tuple(found)


def impossible(run: JobRun, job: RunJob, observations: Observations) -> Rejected | None:
    """Return an impossible line: of an unknown task, else of two tasks."""
    return _unknown_task(job, observations) or _two_tasks(run)


def misnamed(run: JobRun) -> Rejected | None:
    """Return the first line that names a task which no job has, whatever other lines tell."""
    for event in run.events:
        task = event.task
        if task is not None and not 0 <= task.subtask < task.parallelism:
            return _impossible(event, _no_subtask(task))
    return _two_tasks(run)


def _no_subtask(task: TaskId) -> str:
    return f"the job has no subtask {task.name}"


def _unknown_task(job: RunJob, observations: Observations) -> Rejected | None:
    """Return the first line of a subtask, or of an attempt, that the job does not have."""
    names = {subtask.name for subtask in job.job.subtasks}
    for observation in observations.all:
        task, event = observation.event.task, observation.event
        if observation.seen is Observed.ACKNOWLEDGED and observation.task is None:
            return _impossible(event, "no line tells of which subtask this attempt is")
        if task is not None and job.task(task) not in names:
            return _impossible(event, _no_subtask(task))
    return None


def _two_tasks(run: JobRun) -> Rejected | None:
    """Return the first line that names one subtask, and the attempt of another."""
    for event in run.events:
        task, execution = event.log_event.task, event.log_event.execution
        if task is None or execution is None:
            continue
        attempt = execution.attempt if task.attempt is None else task.attempt
        if (task.subtask, attempt) != (execution.subtask, execution.attempt):
            return _impossible(
                event,
                f"the attempt is number {execution.attempt} of subtask {execution.subtask + 1}, "
                f"and not of {task.name}",
            )
    return None


def _impossible(event: RunEvent, why: str) -> Rejected:
    return Rejected(event.log_event.line, event.word, (Refusal(why),), 0)
