"""Whether a run of a real engine is one of the protocol as its release really is.

The proof is asked first: a run is rejected only if a part of the model, with all else free, has no
run with the lines which speak of that part (`flink_proof.py`). Then a run is sought. It is accepted
only by a witness: a run of the whole model, which the guide has found (`flink_guide.py`), and which
is checked once more by the rules alone. Else it is undecided.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import thread_time

from checker.logs.event_log.acceptance import replay
from checker.logs.event_log.effort import Effort, Far, OverTime, Told
from checker.logs.event_log.search import Accepted, Given, Move, Rejected, Undecided
from checker.logs.event_log.system import Refusal, SectionSystem
from checker.logs.findings import Finding, Judge
from checker.logs.read.profile import Profile
from checker.logs.read.run_file import Chosen, RunFile, Tried
from checker.logs.read.runs import Run
from checker.search.limits import Limits
from checker.spec.catalogue import Catalogue, catalogue
from model.errors import FinaleError
from reference.formats.eventlog import EventLine, Section

from .guide import Guide, Stuck
from .job import RunJob, job_of
from .levels import always_shown
from .observations import Seen, Sights, sights_of
from .proof import Refuter, given_of
from .refusals import rejection_of
from .run import OverStates
from .settings import (
    PROTOCOL,
    Settings,
    Under,
    check,
    in_words,
    of_other_releases,
    settings_of,
)
from .witness import unexplained

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
    told: tuple[Chosen, ...] = ()
    """What is told of its settings, and by whom."""
    tried: tuple[Tried, ...] = ()
    """What came of those that nobody tells."""


@dataclass(frozen=True)
class _Case:
    """A run, and all that is the same of it under any settings."""

    run: Run
    given: RunFile
    job: RunJob
    sights: Sights
    whole: bool
    judges: bool
    known: Catalogue


def accept_run(  # noqa: PLR0913 - what is asked, of what, and how far
    run: Run,
    *,
    release: str = "flink-2.3",
    given: RunFile = NOTHING_TOLD,
    profile: Profile | None = None,
    every: bool = False,
    limits: Limits = LIMITS,
    judges: bool = False,
    whole: bool = True,
    known: Catalogue | None = None,
    told: Told | None = None,
) -> RunVerdict:
    """Judge a run. `told` is called now and then with how far it is.

    `release` is that of the table of its lines; `given` is what else is told of it. Of settings
    that nobody tells those are tried that make a difference, until some explain it; or `every` one,
    and other releases, too, where none is told. `whole`: its logs have their beginning, and no
    gap; else nothing can be said against it. Raises what is wrong with what is `given`.
    """
    check(given, release)
    lines = max((event.told.line for event in run.events), default=0)
    job = job_of(run)
    if job is None:
        why = "no line tells how its vertices are connected"
        far = _effort(lines, limits, told).far
        return RunVerdict(Undecided(Given.BOUND, why, far), (), 0)
    whole = whole and job.is_sure
    sights = sights_of(run, job)
    settings = settings_of(run, job.job, sights, release, given, profile)
    against = _stranger(job, sights) or _of_two(run) or settings.against
    if against is not None:
        far = _effort(lines, limits, told).far
        doubted = against if whole else _doubted(against, far)
        return RunVerdict(doubted, (), 0, told=settings.told)
    case = _Case(run, given, job, sights, whole, judges, known or catalogue())
    found, tried = _first_of(case, settings, limits, told, every=every)
    if every and given.release is None:
        best = next((way for way, each in tried if _is_accepted(each)), settings.ways[0])
        tried = [(way.of_release(release), each) for way, each in tried]
        for name, way in of_other_releases(best, release):
            tried.append((way.of_release(name), _under(case, way, limits, told)))
    shown = tuple(_tried(way, each) for way, each in tried if way.taken)
    return replace(found, told=settings.told, tried=shown)


def _stranger(job: RunJob, sights: Sights) -> Rejected | None:
    """The first line of a subtask that the job does not have."""
    names = {subtask.name for subtask in job.job.subtasks}
    for sight in sights.all:
        task = sight.event.task
        if task is not None and job.task(task) not in names:
            why = f"the job has no subtask {task.name}"
            return Rejected(sight.line, sight.event.word, (Refusal(why),), 0)
    return None


def _of_two(run: Run) -> Rejected | None:
    """The first line that names one subtask, and the attempt of another."""
    for event in run.events:
        task, execution = event.told.task, event.told.execution
        if task is None or execution is None:
            continue
        attempt = execution.attempt if task.attempt is None else task.attempt
        if (task.subtask, attempt) != (execution.subtask, execution.attempt):
            why = (
                f"the attempt is number {execution.attempt} of subtask {execution.subtask + 1}, "
                f"and not of {task.name}"
            )
            return Rejected(event.told.line, event.word, (Refusal(why),), 0)
    return None


def _doubted(against: Rejected, far: Far) -> Undecided:
    """What is wrong with a line if no other is missing."""
    (refusal,) = against.refusals
    why = f"line {against.line}, {against.event}: {refusal.why}"
    return Undecided(Given.BOUND, why, far)


def _first_of(
    case: _Case, settings: Settings, limits: Limits, told: Told | None, *, every: bool
) -> tuple[RunVerdict, list[tuple[Under, RunVerdict]]]:
    """The verdict of the first way that explains a run; else rejected, if it is in each way."""
    tried: list[tuple[Under, RunVerdict]] = []
    began = thread_time()
    for way in settings.ways:
        left = limits
        if limits.seconds_max is not None and tried and not every:
            spent = thread_time() - began
            left = replace(limits, seconds_max=max(limits.seconds_max - spent, SECONDS_LEAST))
        tried.append((way, _under(case, way, left, told)))
        if _is_accepted(tried[-1][1]) and not every:
            break
    return min((each for _, each in tried), key=_rank), tried


def _is_accepted(verdict: RunVerdict) -> bool:
    return isinstance(verdict.conforms, Accepted)


def _rank(verdict: RunVerdict) -> int:
    """Whoever explains a run under some settings does; it is rejected if it is under all."""
    return [Accepted, Undecided, Rejected].index(type(verdict.conforms))


def _tried(way: Under, verdict: RunVerdict) -> Tried:
    return Tried(in_words(way.taken), ("explains", "undecided", "rejected")[_rank(verdict)])


def _under(case: _Case, way: Under, limits: Limits, told: Told | None) -> RunVerdict:
    """Judge a run under some settings."""
    run, sights = case.run, case.sights
    effort = _effort(max((e.told.line for e in run.events), default=0), limits, told)
    section = Section(0, {"protocol": way.protocol, "options": way.options}, case.job.job,
                      _counted(sights, run), frozenset(), True)  # fmt: skip
    live = 8 if way.protocol != PROTOCOL else LIVE
    try:
        system = SectionSystem(section, case.known, (), live=live, judges=case.judges, room=None)
    except FinaleError as error:  # options that no job has together
        raise error.located(case.given.place("concurrent")) from None
    rejected = _rejected(run, case.job, sights, way, _half(limits)) if case.whole else None
    if rejected is not None:
        return RunVerdict(rejected, (), 0)
    guide = Guide(system, sights, effort)
    try:
        found = guide.run()
    except OverTime:
        why = effort.limits.seconds_word
        return RunVerdict(Undecided(Given.SECONDS, why, effort.far), (), sum(guide.at))
    except OverStates:
        why, given = effort.limits.states_word, Given.STATES
        found = None
    else:
        why, given = _why(found), Given.BOUND
        if isinstance(found, tuple):
            replay(system, found)
            why = unexplained(system, found, sights, always_shown(run, case.job, sights)) or ""
    if not isinstance(found, tuple) or why:
        return RunVerdict(Undecided(given, why, effort.far), (), sum(guide.at))
    judged = Judge(system, effort.judges).judge(found, ends=False) if case.judges else ()
    return RunVerdict(Accepted((found,)), tuple(judged), sum(guide.at), section)


def reject_run(
    run: Run, *, release: str = "flink-2.3", given: RunFile = NOTHING_TOLD
) -> Rejected | None:
    """The first line of a run that no run of the protocol explains, if that can be shown.

    Its logs have their beginning, and no gap. Raises what is wrong with what is `given`.
    """
    check(given, release)
    job = job_of(run)
    if job is None or not job.is_sure:
        return None
    sights = sights_of(run, job)
    settings = settings_of(run, job.job, sights, release, given, None)
    against = _stranger(job, sights) or settings.against
    rejected = [against or _rejected(run, job, sights, way) for way in settings.ways]
    return rejected[0] if all(rejected) else None


def _effort(lines: int, limits: Limits, told: Told | None) -> Effort:
    """An effort that counts processor time: a busy machine changes no verdict."""
    return Effort(lines, limits, told, thread_time)


def _half(limits: Limits) -> Limits:
    """The limits of a proof: it leaves half of the time to the search."""
    seconds = None if limits.seconds_max is None else limits.seconds_max / 2
    return Limits(seconds_max=seconds)


def _rejected(
    run: Run, job: RunJob, sights: Sights, way: Under, limits: Limits = NO_LIMITS
) -> Rejected | None:
    given = given_of(way.protocol, way.options, run, sights)
    try:
        refuter = Refuter(given, run, job, sights, _effort(0, limits, None))
        contradiction = refuter.contradiction()
    except OverTime:
        return None
    return None if contradiction is None else rejection_of(given, contradiction)


def _why(found: tuple[Move, ...] | Stuck | None) -> str:
    if not isinstance(found, Stuck):
        return ""
    return f"line {found.sight.line}, {found.sight}: {found.why or 'nothing explains it'}"


def _counted(sights: Sights, run: Run) -> tuple[EventLine, ...]:
    """The events of which a section's bounds count how many there are."""
    names = {"Savepoint": "request_savepoint", "Terminate Savepoint": "request_stop",
             "Suspend Savepoint": "request_stop"}  # fmt: skip
    found: list[EventLine] = []
    for sight in sights.all:
        name = "none"
        if sight.seen is Seen.TRIGGERED:
            name = names.get(sight.kind, "trigger_checkpoint")
        elif sight.seen is Seen.ABORTED and "expired" in sight.why:
            name = "expire"
        elif sight.seen is Seen.BARRIER:
            name = "time_out"
        elif sight.seen is Seen.LOST:
            name = "fail_region"
        elif sight.seen is Seen.CANCELLING:
            name = "request_cancel"
        found.append(EventLine(sight.line, name, (), sight.checkpoint, {}, None, "", 0))
    for tasks in sights.unwritten.values():
        found += [EventLine(0, "fail_snapshot", (), None, {}, None, "", 0) for _ in tasks]
    asked = sum(event.word == "request_checkpoint" for event in run.events)
    found += [EventLine(0, "request_checkpoint", (), None, {}, None, "", 0) for _ in range(asked)]
    return tuple(found)


__all__ = ["RunVerdict", "accept_run", "reject_run"]
