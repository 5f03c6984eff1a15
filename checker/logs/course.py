"""The course of a job in time, as a page draws it: states, checkpoints, stops, failures.

Times are in seconds from the first line of the job. With several files they are by the clock of the
JobManager, as far as messages tell how far the other clocks are ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from finale.model.protocols.coordinator.checkpoints import PENDING

from .findings import Finding, Where
from .read.clocks import milliseconds
from .read.job_runs import JobRun, RunEvent
from .read.log_files import LogLine
from .replay.checkpoint_history import CheckpointHistory, StopHistory, history_of

#: Of a job with more checkpoints, those that follow each other with one outcome are drawn as one.
CHECKPOINTS_MAX = 200
#: So many failures are drawn of a job.
FAILURES_MAX = 100
#: So many findings of a job have their lines beside them; so many lines before and behind, and so
#: much of each.
EXCERPTS_MAX, LINES_AROUND = 12, 2
COLUMNS_MAX, COLUMNS_AROUND = 400, 280


@dataclass(frozen=True)
class CourseSpan:
    """Something that lasts: a state of the job, a checkpoint, a stop.

    `kind` is the state or the outcome; `last` is the line that tells its end, if one does.
    """

    lane: str
    """One of LANES."""
    kind: str
    label: str
    begins: float
    ends: float
    line: int
    last: int | None = None


@dataclass(frozen=True)
class CourseMark:
    """Something that happens at one time."""

    kind: str
    label: str
    at: float
    line: int


@dataclass(frozen=True)
class LogExcerpt:
    """A line and those around it, by their numbers; `of` is the place of the line."""

    of: str
    line: int
    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class JobCourse:
    """What a page draws of a job."""

    begins: str
    """The time of its first line, as the log has it."""
    seconds: float
    """How long its lines go on."""
    spans: tuple[CourseSpan, ...]
    failures: tuple[CourseMark, ...]
    findings: tuple[CourseMark, ...]
    excerpts: tuple[LogExcerpt, ...] = ()


#: What is drawn below each other.
LANES = ("job", "checkpoints", "stops")


def course_of(run: JobRun, findings: Iterable[Finding]) -> JobCourse:
    """Return the course of a job, and where its findings are on it."""
    times = _times_of(run)
    start = min(times, default=0.0)
    seconds = [(time - start) / 1000 for time in times]
    end = max(seconds, default=0.0)
    by_line = {e.log_event.line: at for e, at in reversed([*zip(run.events, seconds, strict=True)])}

    def at(line: int | None) -> float:
        return end if line is None else by_line.get(line, end)

    by_place = dict(zip((e.log_event.place for e in run.events), seconds, strict=True))
    history = history_of(run)
    points = history.checkpoints.values()
    return JobCourse(
        run.events[0].log_event.time if run.events else "",
        end,
        (
            *_states(run, seconds, end),
            *_checkpoints([each for each in points if each.begun is not None], at),
            *_stops(history.stops, at),
        ),
        tuple(_failures(run, seconds)),
        tuple(
            CourseMark(
                each.severity.value,
                each.property,
                by_place.get((each.where.log, each.where.part, each.where.line), end),
                each.where.line,
            )
            for each in findings
        ),
    )


def _times_of(run: JobRun) -> list[float]:
    """The time of each event, in milliseconds. An event without a time has that before it."""
    known: Mapping[int, float] = {}
    if run.processes is not None:
        clocks, events = run.processes.clocks, run.processes.events
        known = {id(event.log_event): clocks.times[number] for number, event in events.items()}
    found: list[float] = []
    for event in run.events:
        time = known.get(id(event.log_event), milliseconds(event.log_event.time))
        found.append(time if time is not None else found[-1] if found else 0.0)
    return found


def _states(run: JobRun, seconds: Sequence[float], end: float) -> Iterator[CourseSpan]:
    told = [
        (event.log_event, at)
        for event, at in zip(run.events, seconds, strict=True)
        if event.word == "job-switched"
    ]
    attempt = 0
    for number, (event, begins) in enumerate(told):
        state, after = event.fields["to"], told[number + 1 : number + 2]
        attempt += state == "RUNNING"
        label = f"attempt {attempt}: {state}" if state == "RUNNING" else state
        ends = after[0][1] if after else end
        last = after[0][0].line if after else None
        yield CourseSpan("job", state, label, begins, max(begins, ends), event.line, last)


def _checkpoints(
    points: Sequence[CheckpointHistory], at: Callable[[int | None], float]
) -> Iterator[CourseSpan]:
    groups = [[each] for each in points]
    if len(points) > CHECKPOINTS_MAX:
        groups = [list(alike) for _, alike in groupby(points, key=lambda each: each.fate)]
    for first, *others in groups:
        last, fate = (first, *others)[-1], first.fate.value
        label = f"checkpoint {first.number} {fate}"
        if others:
            label = f"checkpoints {first.number} to {last.number}: {fate}"
        elif first.kind and "Savepoint" in first.kind:
            label = f"savepoint {first.number} {fate}"
        label += f": {first.why}" if first.why else ""
        line, begins = first.begun or 0, at(first.begun)
        ended = None if last.fate is PENDING else last.ended
        yield CourseSpan("checkpoints", fate, label, begins, max(begins, at(ended)), line, ended)


def _stops(stops: Sequence[StopHistory], at: Callable[[int | None], float]) -> Iterator[CourseSpan]:
    for each in stops:
        kind = {None: "open", True: "good", False: "bad"}[each.succeeded]
        begins, line = at(each.where.line), each.where.line
        yield CourseSpan(
            "stops", kind, str(each), begins, max(begins, at(each.ended)), line, each.ended
        )


def _failures(run: JobRun, seconds: Sequence[float]) -> Iterator[CourseMark]:
    found: dict[object, CourseMark] = {}
    for event, at in zip(run.events, seconds, strict=True):
        told, task = event.log_event, event.task
        fails = event.word in ("task-switched", "task-learned") and told.fields["to"] == "FAILED"
        if fails and task is not None and len(found) < FAILURES_MAX:
            mark = CourseMark("failed", f"{task.name} failed{_cause(event)}", at, told.line)
            found.setdefault((event.graph, task), mark)
    yield from found.values()


def _cause(event: RunEvent) -> str:
    causes = event.log_event.causes
    return f": {causes[-1][1] or causes[-1][0]}" if causes else ""


def excerpts_of(
    wheres: Iterable[Where], lines: Callable[[int], Iterable[LogLine]]
) -> dict[Where, tuple[tuple[int, str], ...]]:
    """Return the lines around some lines, by their numbers. `lines` gives those of a log."""
    wanted = sorted(dict.fromkeys(wheres))
    found: dict[Where, list[tuple[int, str]]] = {each: [] for each in wanted}
    for log, some in groupby(wanted, key=lambda each: each.log):
        left = list(some)
        for line in lines(log):
            here = (line.part, line.number)
            for where in left:
                if where.part == line.part and abs(where.line - line.number) <= LINES_AROUND:
                    is_it = where.line == line.number
                    shown = line.raw[: COLUMNS_MAX if is_it else COLUMNS_AROUND]
                    text = shown.decode("utf-8", "replace")
                    found[where].append((line.number, text))
            left = [e for e in left if (e.part, e.line + LINES_AROUND) > here]
            if not left:
                break
    return {where: tuple(around) for where, around in found.items()}
