"""Takes a run to its end after its order, and says what became of the job and of its records.

After the order all that is fair happens: bounded sources emit what they have, and end. Then the
job ends, or comes to rest: no thread comes to a hook, and each task waits for mail or is gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic

from finale.model.errors import FinaleError, Place
from finale.model.topology import Job

from .director import TRIGGER, Director
from .job import ends_by_itself, sources_of
from .jvms import LOG
from .order import ASK, FAIL, PERIODIC, RESUME
from .session import Hit, Session, Status

#: The job is at rest if nothing has happened for so long, in seconds.
SECONDS_OF_REST = 4.0
#: So long nothing must have happened before a task that was kept from its end goes on, in seconds.
SECONDS_OF_QUIET = 1.0
#: A job that neither ends nor rests for so long goes on, in seconds.
SECONDS_MAX = 60.0
#: No source has stopped before its end.
NOWHERE: Mapping[str, int] = {}
#: Where the thread of a task is that waits for mail, and that of a source that waits for a command.
WAITS = ("TaskMailboxImpl.take", "StreamSource.run")
#: The state of a job that does not tell its state.
UNKNOWN = "UNKNOWN"
#: A job and a task that have one of these states will have another one.
JOB_MOVES = frozenset({UNKNOWN, "INITIALIZING", "CREATED", "RESTARTING", "RECONCILING"})
RUNNING = "RUNNING"
TASK_MOVES = frozenset({"SCHEDULED", "DEPLOYING", "INITIALIZING"})
#: So many checkpoints a job that rests gets, as a period would trigger them.
PERIODS = 3
#: What the name of a file ends with that says that a transaction is prepared.
PREPARED = ".prepared"
#: The request of a probe that asks for a checkpoint.
PROBE = "probe"


@dataclass(frozen=True)
class RunOutcome:
    """What became of a run.

    `status` is the state of the job. A job is at `rest` if it has not ended although it should, and
    nothing moves. A job with a source that never ends should end only if a request waits for that.
    A task of such a job should end if channels connect it with bounded sources alone, and if it got
    the checkpoints of a period.
    `unanswered` are the requests without an answer; the others have a value or an error. `waits`
    says for each task that is not gone where its thread is. Records are counted against the source:
    those that a sink has `lost`, or has more often than edges lead there (`doubled`). `emitted` are
    all records of the sources; if a stop has ended the job, those before its savepoint.
    `unstored` are the requests that were answered before their checkpoint was in the store. `asked`
    says of each request of the order what it asks for: stop, savepoint, checkpoint, cancel. The
    tasks that `failed` are those that the order did not let fail. `ended` are the tasks of which an
    attempt ended as FAILED or CANCELED, if the order lets no attempt end so; a job that then has
    FAILED has `failed_by_itself`. `late` are the tasks that were handed committables of a
    checkpoint after its confirmation. `prepared` are the subtasks of sinks with a transaction that
    a snapshot has prepared, and that nobody has committed. A record is `early` if a sink has it
    although it comes after the savepoint of a stop that ends the data. A job that `moves` has
    neither ended nor come to rest in the time that it was given.
    """

    status: str
    rest: bool
    unanswered: tuple[str, ...]
    answers: Mapping[str, str]
    errors: Mapping[str, str]
    tasks: Mapping[str, str]
    waits: Mapping[str, str]
    emitted: int
    lost: tuple[str, ...]
    doubled: tuple[str, ...]
    unstored: tuple[str, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict[str, str])
    failed: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    failed_by_itself: bool = False
    late: tuple[str, ...] = ()
    prepared: tuple[str, ...] = ()
    early: tuple[str, ...] = ()
    moves: bool = False


def taken_to_end(
    session: Session,
    director: Director,
    asked: Mapping[str, str],
    probe: str = "",
) -> RunOutcome:
    """Do the probe of an order, and wait until the job has ended or rests.

    Nobody waits for the end of a run that did not take its order, unless a probe is to show that no
    damage comes: so a fix is seen. Raises `jvm-died`, `jvm-silent`.
    """
    taken = director.taken
    periodic = PERIODS if probe == PERIODIC else 0
    if taken.missed is not None and not probe:
        return _outcome(session, director, asked, _status(session, director))
    if probe == ASK and taken.over is None:
        session.ask("checkpoint", PROBE)
    status, rest = _to_rest(session, director, asked, periodic)
    if probe == FAIL and taken.over is None:
        session.fail_job()
        _to_rest(session, director, asked, periodic)
        session.ask("checkpoint", PROBE)
        status, rest = _to_rest(session, director, asked, periodic)
    saved = next((each.value for each in taken.answers.values() if each.value is not None), None)
    resumed = False
    if probe == RESUME and taken.over is not None and saved is not None:
        taken.over, resumed = None, True
        session.start(saved)
        status, rest = _to_rest(session, director, asked, periodic)
    outcome = _outcome(session, director, asked, status, probe=probe, rest=rest, resumed=resumed)
    return replace(outcome, moves=taken.over is None and not rest)


def _outcome(
    session: Session,
    director: Director,
    asked: Mapping[str, str],
    status: Status,
    *,
    probe: str = "",
    rest: bool = False,
    resumed: bool = False,
) -> RunOutcome:
    """What became of a run, from the last status and what the sinks wrote."""
    taken = director.taken
    over = taken.over
    unanswered = tuple(each for each in asked if each not in taken.answers)
    # In a job that never ends, a task that has read all its data waits for the next checkpoint.
    ends = all(each.bounded for each in sources_of(session.job)) or (
        probe == PERIODIC
        and any(
            state == RUNNING and ends_by_itself(session.job, task)
            for task, state in status.tasks.items()
        )
    )
    has_stopped = over == "FINISHED" and not resumed
    positions = _positions(session, director) if has_stopped else NOWHERE
    emitted = records_of(session.job, positions)
    emitted |= set(session.splits)
    lost, doubled = against(session.folder, session.job, emitted)
    return RunOutcome(
        over or status.job,
        rest and over is None and (bool(unanswered) or ends),
        unanswered,
        {name: each.value for name, each in taken.answers.items() if each.value is not None},
        {name: each.error for name, each in taken.answers.items() if each.error is not None},
        status.tasks,
        status.waits,
        len(emitted),
        lost,
        doubled,
        tuple(taken.unstored),
        dict(asked),
        tuple(taken.failed),
        () if director.ends_attempts else tuple(dict.fromkeys(taken.ended)),
        (over or status.job) == "FAILED" and not director.ends_attempts,
        tuple(taken.late),
        tuple(
            sorted({each.parent.name for each in (session.folder / "sinks").glob(f"*/*{PREPARED}")})
        ),
        early_in(session.folder, session.job, emitted) if director.drains and positions else (),
    )


def _to_rest(
    session: Session, director: Director, asked: Mapping[str, str], periodic: int
) -> tuple[Status, bool]:
    """Let all that is fair happen. Returns the last status, and whether the job rests.

    A job that rests, and has answered all requests, gets so many `periodic` checkpoints first. The
    driver asks for them as a user would. If Flink's timer would trigger none, the job rests.
    """
    taken = director.taken
    for source in sources_of(session.job):
        session.to_task("free", source.name, str(source.records), str(source.bounded).lower())
    for subtask in session.job.subtasks:
        for split in () if subtask.vertex.is_source else session.splits:
            session.to_task("assign", subtask.name, split)
    end, status, rest = monotonic() + SECONDS_MAX, Status(UNKNOWN, {}, {}), False
    while monotonic() < end:
        answered = taken.answers.keys() >= set(asked)
        at_once = taken.over is not None or director.keeps
        news = session.next(SECONDS_OF_QUIET if at_once else SECONDS_OF_REST)
        if rest and isinstance(news, Hit) and news.steps[0] == TRIGGER and news.scheduled is False:
            break
        if news is not None and not isinstance(news, Status):
            director.note(news)
            continue
        if director.let_all_close():
            continue
        if taken.over is not None and answered:
            break
        former, status = status, _status(session, director)
        rest = status == former and not is_moving(status)
        if rest and periodic and answered:
            session.ask("checkpoint", f"period {periodic}")
            periodic -= 1
        elif rest:
            break
    if taken.over is None and status.job == UNKNOWN == _status(session, director).job:
        raise FinaleError(
            "jvm-silent",
            "the JVM with Flink does not answer, and has not ended",
            place=Place(str(session.folder)),
            advice=f"read {LOG} in this folder; other work may keep the machine busy",
        )
    return status, rest


def _status(session: Session, director: Director) -> Status:
    session.ask_status()
    end = monotonic() + SECONDS_OF_REST
    while (news := session.next(end - monotonic())) is not None:
        if isinstance(news, Status):
            return news
        director.note(news)
    return Status(UNKNOWN, {}, {})


def is_moving(status: Status) -> bool:
    """Whether the job or a task is on its way, or a task's thread does not wait."""
    return status.job in JOB_MOVES or any(
        state in TASK_MOVES or status.waits.get(task) not in (None, *WAITS)
        for task, state in status.tasks.items()
    )


# --- records -------------------------------------------------------------------------------------


def _positions(session: Session, director: Director) -> dict[str, int]:
    """By source subtasks the records before the savepoint that has ended the job, if one has.

    A subtask that had ended before is not there: its records all come before the savepoint.
    """
    ids = director.savepoints_of_stops
    return {
        file.parent.name: int(file.read_text(encoding="utf-8"))
        for file in sorted((session.folder / "positions").glob("*/*"))
        if ids and file.name == str(max(ids))
    }


def records_of(job: Job, positions: Mapping[str, int] = NOWHERE) -> frozenset[str]:
    """The records that the sources of a job have: all, or those before a position."""
    return frozenset(
        f"{name}#{number}"
        for each in sources_of(job)
        for name in [f"{each.vertex}.{each.index}"]
        for number in range(positions.get(name, each.records))
    )


def copies(job: Job) -> dict[str, Counter[str]]:
    """For each vertex how often each record of a source comes to it, by the source."""
    found: dict[str, Counter[str]] = {}
    for vertex in job.topological:
        own = found[vertex.name] = Counter(
            {each.vertex: 1 for each in sources_of(job) if each.of == vertex.name}
        )
        for edge in job.edges_into(vertex):
            times = vertex.parallelism if edge.broadcast else 1
            own.update({source: number * times for source, number in found[edge.source].items()})
    return found


def against(
    folder: Path, job: Job, emitted: Collection[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The records that a sink lacks, and those that it has too often, as `record at sink`.

    A split is a record that does not name its source: it is due once.
    """
    due = copies(job)
    lost: list[str] = []
    doubled: list[str] = []
    for sink in job.sinks:
        counts = _counts(folder, sink.name)
        for each in sorted({*emitted, *counts}):
            source = each.rpartition(".")[0]
            often = due[sink.name][source] if source else 1
            if each in emitted and counts[each] < often:
                lost.append(f"{each} at {sink.name}")
            elif counts[each] > often:
                doubled.append(f"{each} at {sink.name}")
    return tuple(lost), tuple(doubled)


def early_in(folder: Path, job: Job, emitted: Collection[str]) -> tuple[str, ...]:
    """The records that a sink has and that no source has emitted, as `record at sink`."""
    return tuple(
        f"{each} at {sink.name}"
        for sink in job.sinks
        for each in sorted(_counts(folder, sink.name).keys() - set(emitted))
    )


def _counts(folder: Path, sink: str) -> Counter[str]:
    """How often a sink has each record."""
    counts: Counter[str] = Counter()
    for file in sorted((folder / "sinks").glob(f"{sink}.*/*")):
        if file.suffix not in (".part", PREPARED):
            counts.update(file.read_text(encoding="utf-8").split())
    return counts


__all__ = [
    "PROBE",
    "RunOutcome",
    "against",
    "copies",
    "early_in",
    "is_moving",
    "records_of",
    "taken_to_end",
]
