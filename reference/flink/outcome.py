"""Takes a run to its end after its order, and says what became of the job and of its records.

After the order all that is fair happens: bounded sources emit what they have, and end. Then the
job ends, or comes to rest: no thread comes to a hook, and each task waits for mail or is gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from model.topology import Job

from .director import Director
from .order import ASK, FAIL, RESUME
from .session import Session, Status

#: The job is at rest if nothing has happened for so long, in seconds.
SECONDS_OF_REST = 4.0
#: A job that neither ends nor rests for so long goes on, in seconds.
SECONDS_MAX = 60.0
#: Where the thread of a task is that waits for mail, and that of a source that waits for a command.
WAITS = ("TaskMailboxImpl.take", "StreamSource.run")
#: The request of a probe that asks for a checkpoint.
PROBE = "probe"


@dataclass(frozen=True)
class Outcome:
    """What became of a run.

    `status` is the state of the job. A job is at `rest` if it has not ended although it should, and
    nothing moves. A job with a source that never ends should end only if a request waits for that.
    `unanswered` are the requests without an answer; the others have a value or an error. `waits`
    says for each task that is not gone where its thread is. Records are counted against the source:
    `emitted` by all sources, and by each sink those that are `lost` and `doubled`. `unstored`
    are the requests that were answered before their checkpoint was in the store.
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


def taken_to_end(
    session: Session, director: Director, asked: tuple[str, ...], probe: str = ""
) -> Outcome:
    """Do the probe of an order, and wait until the job has ended or rests."""
    taken = director.taken
    if probe == ASK and taken.over is None:
        session.ask("checkpoint", PROBE)
    status, rest = _to_rest(session, director, asked)
    if probe == FAIL and taken.over is None:
        session.fail_job()
        _to_rest(session, director, asked)
        session.ask("checkpoint", PROBE)
        status, rest = _to_rest(session, director, asked)
    saved = next((each.value for each in taken.answers.values() if each.value is not None), None)
    if probe == RESUME and taken.over is not None and saved is not None:
        taken.over = None
        session.start(saved)
        status, rest = _to_rest(session, director, asked)
    over = taken.over
    unanswered = tuple(each for each in asked if each not in taken.answers)
    ends = all(each.bounded for each in session.job.subtasks if each.vertex.is_source)
    emitted = _emitted(session.job) | set(session.splits)
    lost, doubled = _against(session.folder, session.job, emitted)
    return Outcome(
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
    )


def _to_rest(session: Session, director: Director, asked: tuple[str, ...]) -> tuple[Status, bool]:
    """Let all that is fair happen. Returns the last status, and whether the job rests."""
    taken = director.taken
    for subtask in session.job.subtasks:
        if subtask.vertex.is_source:
            for _ in range(subtask.records):
                session.to_task("emit", subtask.name)
            if subtask.bounded:
                session.to_task("end", subtask.name)
        else:
            for split in session.splits:
                session.to_task("assign", subtask.name, split)
    end, status, rest = monotonic() + SECONDS_MAX, Status("UNKNOWN", {}, {}), False
    while monotonic() < end:
        answered = taken.answers.keys() >= set(asked)
        news = session.next(1.0 if taken.over is not None else SECONDS_OF_REST)
        if news is not None and not isinstance(news, Status):
            director.note(news)
            continue
        if director.let_all_close():
            continue
        if taken.over is not None and answered:
            break
        former, status = status, _status(session, director)
        rest = status == former and not is_moving(status)
        if rest:
            break
    return status, rest


def _status(session: Session, director: Director) -> Status:
    session.ask_status()
    end = monotonic() + SECONDS_OF_REST
    while (news := session.next(end - monotonic())) is not None:
        if isinstance(news, Status):
            return news
        director.note(news)
    return Status("UNKNOWN", {}, {})


def is_moving(status: Status) -> bool:
    """Whether some thread of a task does something but wait."""
    return status.job in ("RESTARTING", "UNKNOWN") or any(
        status.waits.get(task) not in (None, *WAITS) for task in status.tasks
    )


# --- records -------------------------------------------------------------------------------------


def _emitted(job: Job) -> set[str]:
    return {
        f"{each.vertex.name}.{each.index}#{number}"
        for each in job.subtasks
        if each.vertex.is_source
        for number in range(each.records)
    }


def _against(folder: Path, job: Job, emitted: set[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The records that a sink lacks, and those that it has twice, as `record at sink`."""
    lost: list[str] = []
    doubled: list[str] = []
    for sink in job.sinks:
        counts: Counter[str] = Counter()
        for file in sorted((folder / "sinks").glob(f"{sink.name}.*/*")):
            if file.suffix != ".part":
                counts.update(file.read_text(encoding="utf-8").split())
        lost += [f"{each} at {sink.name}" for each in sorted(emitted) if not counts[each]]
        doubled += [f"{each} at {sink.name}" for each, n in sorted(counts.items()) if n > 1]
    return tuple(lost), tuple(doubled)


__all__ = ["PROBE", "Outcome", "is_moving", "taken_to_end"]
