"""Reads the logs of a cluster into runs for mining: which classes of lines are in which slice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from finale.checker.logs.lines import CHECKPOINT_BECOMES
from finale.checker.logs.read.job_runs import JobRun, runs_of
from finale.checker.logs.read.line_patterns import LEVELS, PatternTable
from finale.checker.logs.read.log_entries import LogEntry, Stray
from finale.checker.logs.read.log_events import LineTally, LogEvent, events_of_lines
from finale.checker.logs.read.log_files import LogLine

from .line_classes import (
    LineClass,
    Scope,
    class_of_event,
    class_of_message,
    event_of_message,
    in_words,
    is_source,
    names_of,
    slice_of,
)

#: What the coordinator does with a checkpoint is in the slices of its tasks, too.
_OUTCOMES = (*CHECKPOINT_BECOMES, "expire")
#: How the scopes of a source and of another task begin.
_PER_PART = Scope.PART.value.removesuffix("a task")


@dataclass(slots=True)
class Span:
    """The lines of a class in a slice: how many, and the numbers of the first and the last one."""

    count: int
    first: int
    last: int


@dataclass(frozen=True)
class MinedSlice:
    """The classes of lines that a slice has."""

    about: str
    """In words; empty for the whole job."""
    spans: Mapping[LineClass, Span]


@dataclass
class MinedRun:
    """A job, cut into slices. Numbers of lines count the events of the job."""

    name: str
    files: tuple[tuple[str, ...], ...]
    """The names of the files, by log and part."""
    whole: bool
    """The logs have the beginning and the end of the job."""
    slices: dict[str, list[MinedSlice]]
    """By what a slice is: a scope in words."""
    places: list[tuple[int, int, int]]
    """By the number of an event its log, part and line."""
    clocks: dict[LineClass, str]
    lines: dict[LineClass, Span]
    """All lines, by their class."""
    depth: dict[str, int]
    """By logger the most verbose level that it wrote."""

    def shows(self, lines: LineClass) -> bool:
        """Whether lines of a class would be in the logs."""
        level = LEVELS.index(lines.level)
        return self.depth.get(lines.logger, LEVELS.index("INFO")) <= level

    def place(self, event: int) -> str:
        """The file and the line of an event, as an editor opens them."""
        log, part, line = self.places[event]
        return f"{self.files[log][part]}:{line}"


def mined_runs(
    logs: Iterable[Iterable[LogLine]],
    table: PatternTable,
    files: tuple[tuple[str, ...], ...],
    tally: LineTally,
) -> list[MinedRun]:
    """Return the runs of the jobs of one cluster. `files` are the names of its logs' parts.

    `tally` counts the lines.
    """
    events: list[LogEvent] = []
    classes: dict[int, LineClass] = {}
    messages: list[tuple[int, int, LogEntry]] = []
    own = LineTally()
    for place, lines in enumerate(logs):

        def keep(entry: LogEntry | Stray, event: LogEvent | None, place: int = place) -> None:
            if event is not None and isinstance(entry, LogEntry):
                classes[id(event)] = class_of_event(event, entry)
            elif isinstance(entry, LogEntry):
                messages.append((len(events), place, entry))

        for event in events_of_lines(lines, table, own, place, keep):
            events.append(event)
    tally += own
    every = _with_messages(events, messages, table, classes)
    depth = {logger: len(LEVELS) for logger, _ in own.loggers}
    for logger, level in own.loggers:
        depth[logger] = min(depth[logger], LEVELS.index(level))
    return [_mined(run, classes, files, depth, own) for run in runs_of(every)[0]]


def _with_messages(
    events: Sequence[LogEvent],
    messages: Iterable[tuple[int, int, LogEntry]],
    table: PatternTable,
    classes: dict[int, LineClass],
) -> list[LogEvent]:
    """Return the events and the other lines as events, in the order of the logs; add their classes.

    A message comes with the number of events before it, and its log.
    """
    vertices = {event.task.vertex for event in events if event.task is not None}
    jobs = {e.fields.get("name", "") for e in events if e.word == "job-switched"}
    names = names_of(vertices, jobs)
    merged: list[LogEvent] = []
    taken = 0
    for behind, place, entry in messages:
        merged += events[taken:behind]
        taken = behind
        lines = class_of_message(entry, names)
        event = event_of_message(entry, lines.text, table, place)
        if event.task is None or event.task.vertex in vertices:
            classes[id(event)] = lines
            merged.append(event)
        # Else it is a thread that a task has beside its own.
    return [*merged, *events[taken:]]


def _mined(
    run: JobRun,
    classes: Mapping[int, LineClass],
    files: tuple[tuple[str, ...], ...],
    depth: dict[str, int],
    tally: LineTally,
) -> MinedRun:
    found: dict[str, dict[Hashable, tuple[str, dict[LineClass, Span]]]] = defaultdict(dict)
    outcomes: defaultdict[int | None, list[tuple[LineClass, int]]] = defaultdict(list)
    clocks: dict[LineClass, str] = {}
    every: dict[LineClass, Span] = {}
    for number, event in enumerate(run.events):
        lines = classes[id(event.log_event)]
        _note(every, lines, number)
        clock = event.log_event.clock
        clocks[lines] = clock if clocks.get(lines, clock) == clock else "none"
        if event.word in _OUTCOMES:
            outcomes[event.log_event.checkpoint].append((lines, number))
        for scope in Scope:
            key = slice_of(event, scope)
            if key is None or (event.task is not None and scope is Scope.JOB):
                continue
            what = scope.value
            if scope in (Scope.ATTEMPT, Scope.PART):
                if not tally.threads:
                    continue
                assert event.task is not None
                what = what.replace("a task", "a source" if is_source(event.task) else "a task")
            about = ", ".join(text for _, text in in_words(event, scope))
            _note(found[what].setdefault(key, (about, {}))[1], lines, number)
    for what, slices in found.items():
        for key, (_, spans) in slices.items() if what.startswith(_PER_PART) else ():
            if isinstance(key, tuple):
                for lines, number in outcomes[key[1]]:
                    _note(spans, lines, number)
    return MinedRun(
        run.name or run.job,
        files,
        run.begins and run.ends,
        {what: [MinedSlice(*each) for each in slices.values()] for what, slices in found.items()},
        [event.log_event.place for event in run.events],
        clocks,
        every,
        depth,
    )


def _note(spans: dict[LineClass, Span], lines: LineClass, number: int) -> None:
    span = spans.get(lines)
    if span is None:
        spans[lines] = Span(1, number, number)
    else:
        span.count += 1
        span.first, span.last = min(span.first, number), max(span.last, number)
