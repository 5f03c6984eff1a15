"""Turns entries into events, by the table of the engine's version.

If a line does not name its task, its thread does. If the layout has no thread names either, the
event belongs to an unknown task (`task` is None).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from .damage_signs import DamageSigns
from .line_patterns import LinePattern, PatternTable
from .log_entries import LogEntry, Stray, entries
from .log_files import LogLine
from .times import TimeKind

_TASK = re.compile(r"(?P<vertex>.+) \((?P<number>\d+)/(?P<of>\d+)\)(?:#(?P<attempt>\d+))?")
_EXECUTION = re.compile(r"(?P<graph>\w{32})_(?P<vertex>\w{32})_(?P<subtask>\d+)_(?P<attempt>\d+)")
#: What an exception begins with, also behind `Caused by:`.
_EXCEPTION = re.compile(r"(?:Caused by: )?(?P<kind>(?:[\w$]+\.)+[\w$]+)(?:: (?P<message>.*))?")
#: How Flink calls sources, at the beginning of a vertex's name.
SOURCES = ("Source: ", "Custom Source")
#: The words of lines that tell the release of the engine.
STARTED, OLDER = "engine-started", "older-release"
#: So many strays are kept with their bytes; all are counted.
STRAYS_KEPT = 1000


# Not frozen: that takes three times as long, and each line has one.
@dataclass(slots=True, unsafe_hash=True)
class TaskId:
    """A subtask of a vertex, from 0, and which attempt of it."""

    vertex: str
    subtask: int
    parallelism: int
    attempt: int | None

    @property
    def name(self) -> str:
        """As Flink writes it."""
        return f"{self.vertex} ({self.subtask + 1}/{self.parallelism})"


# Not frozen: that takes three times as long, and each line has one.
@dataclass(slots=True, unsafe_hash=True)
class Execution:
    """One attempt of a subtask in one graph of executions, as the coordinator calls it."""

    graph: str
    vertex: str
    subtask: int
    attempt: int


LinePlace = tuple[int, int, int]
"""A log, a part of the log, and a line of the part."""


# Not frozen: that takes three times as long, and each line has one.
@dataclass(slots=True, unsafe_hash=True)
class LogEvent:
    """An event that a line tells. `log` and `part` say of which file the line is."""

    word: str
    log: int
    part: int
    line: int
    time: str
    clock: str
    follows: bool
    fields: Mapping[str, str]
    task: TaskId | None
    execution: Execution | None
    causes: tuple[tuple[str, str], ...]
    """The exceptions that follow it, the last cause last: their class and what they say."""
    by_thread: bool = False
    """Its task is told by the name of its thread alone, which a layout can cut."""
    checkpoint: int | None = field(init=False)
    """The number of its checkpoint, if it names one."""

    def __post_init__(self) -> None:
        number = self.fields.get("checkpoint")
        self.checkpoint = None if number is None else int(number)

    @property
    def place(self) -> LinePlace:
        """Where the line is."""
        return self.log, self.part, self.line

    @property
    def job(self) -> str | None:
        return self.fields.get("job")


@dataclass
class LineTally:
    """What has become of each line that was read."""

    parsed: int = 0
    """Of entries that tell an event."""
    ignored: int = 0
    """Of entries that tell none."""
    unparsable: int = 0
    """Of no entry."""
    halves: int = 0
    """Of those, half lines at the end of a log."""
    around: int = 0
    """Of those, lines before the first entry of a log: nothing is missing there."""
    strays: list[Stray] = field(default_factory=list[Stray])
    loggers: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """How many entries there are of each logger at each level."""
    threads: bool = False
    """Whether the layout tells threads: some line has the thread of a task."""
    words: Counter[str] = field(default_factory=Counter[str])
    breaks: list[LinePlace] = field(default_factory=list[LinePlace])
    """The first unreadable lines that are whole."""
    holes: list[LinePlace] = field(default_factory=list[LinePlace])
    """The beginnings of parts of rotated logs before which a part is missing."""
    versions: set[str] = field(default_factory=set[str])
    """The versions of the engine that processes tell."""
    signs: dict[int, DamageSigns] = field(default_factory=dict[int, DamageSigns])
    """By log what no engine writes."""
    newest: dict[int, str] = field(default_factory=dict[int, str])
    """By log the latest time of an entry, of any kind."""
    kinds: dict[int, dict[TimeKind, LinePlace]] = field(
        default_factory=dict[int, dict[TimeKind, LinePlace]]
    )
    """By log what its times lack, and the first line of which that holds."""

    @property
    def read(self) -> int:
        return self.parsed + self.ignored + self.unparsable

    def gaps(
        self, extent: Mapping[int, tuple[LinePlace | None, LinePlace | None]]
    ) -> tuple[LinePlace, ...]:
        """Return the unreadable lines, and the beginnings of parts before which one is missing,
        that can belong to a job.

        `extent` has by log the lines before and after which the job writes nothing, if they are
        known. Half lines at the end of a log do not count: there more may still come. If there are
        too many unreadable lines, the beginnings of all logs are returned.
        """
        if self.unparsable - self.halves - self.around > len(self.breaks):
            return tuple((log, -1, 0) for log in self.newest)
        found: list[LinePlace] = []
        for place in sorted((*self.breaks, *self.holes)):
            first, last = extent.get(place[0], (None, None))
            if (first is None or first < place) and (last is None or place < last):
                found.append(place)
        return tuple(found)

    def __iadd__(self, other: LineTally) -> LineTally:
        self.parsed += other.parsed
        self.ignored += other.ignored
        self.unparsable += other.unparsable
        self.halves += other.halves
        self.around += other.around
        self.strays += other.strays[: STRAYS_KEPT - len(self.strays)]
        self.loggers.update(other.loggers)
        self.words.update(other.words)
        self.versions |= other.versions
        self.signs |= other.signs
        self.threads = self.threads or other.threads
        self.holes += other.holes
        self.breaks += other.breaks[: STRAYS_KEPT - len(self.breaks)]
        for log, kinds in other.kinds.items():
            self.kinds[log] = {**kinds, **self.kinds.get(log, {})}
        for log, time in other.newest.items():
            self.newest[log] = max(self.newest.get(log, ""), time)
        return self


def tally_of_logs(tallies: Sequence[LineTally]) -> LineTally:
    """The count of all lines of several logs.

    A log in which nothing is an entry is not the engine's, if others have entries: its lines are
    ignored, and nothing is missing there.
    """
    is_told = any(each.newest for each in tallies)
    total = LineTally()
    for each in tallies:
        if is_told and not each.newest:
            total.ignored += each.read
        else:
            total += each
    return total


Keep = Callable[[LogEntry | Stray, LogEvent | None], None]
"""Is handed all that is read, and the event that it tells if it does."""


@dataclass
class LogNumbers:
    """The numbers of logs. A file that has the lines of several processes is a log for each."""

    files: list[int] = field(default_factory=list[int])
    """By log the number of its file."""
    _own: dict[int, int] = field(default_factory=dict[int, int])

    def begin(self, file: int) -> None:
        """Begin a file. Its first process has the next number."""
        self._own = {0: len(self.files)}
        self.files.append(file)

    def of(self, process: int) -> int:
        """The log of a process of the file that was begun last."""
        if process not in self._own:
            self._own[process] = len(self.files)
            self.files.append(self.files[-1])
        return self._own[process]

    def places(self, places: Iterable[LinePlace]) -> list[LinePlace]:
        """The same places, which have the numbers of files, in each log of the file."""
        return [
            (log, part, line)
            for file, part, line in places
            for log, its_file in enumerate(self.files)
            if its_file == file
        ]


def events_of_lines(
    lines: Iterable[LogLine],
    table: PatternTable,
    tally: LineTally,
    place: int | Callable[[int], int] = 0,
    keep: Keep | None = None,
    *,
    raw: bool = False,
) -> Iterator[LogEvent]:
    """What the lines of a file tell. `tally` counts along. `place` says which log it is, or which
    one each of its processes is; the events of each log are in their order. With `raw`, the entries
    that `keep` is handed have their lines."""
    found = entries(lines, table, raw=raw)
    yield from events_of_entries(found, table, tally, place, keep)


def events_of_entries(
    found: Iterable[LogEntry | Stray],
    table: PatternTable,
    tally: LineTally,
    place: int | Callable[[int], int] = 0,
    keep: Keep | None = None,
) -> Iterator[LogEvent]:
    """The same of entries."""
    for entry in found:
        log = place if isinstance(place, int) else place(entry.process)
        if isinstance(entry, Stray):
            tally.unparsable += 1
            tally.halves += not entry.whole
            if len(tally.strays) < STRAYS_KEPT:
                tally.strays.append(entry)
            tally.around += entry.around
            if entry.whole and not entry.around and len(tally.breaks) < STRAYS_KEPT:
                tally.breaks.append((log, entry.part, entry.line))
            if keep is not None:
                keep(entry, None)
            continue
        tally.loggers[entry.logger, entry.level] += 1
        tally.threads = tally.threads or table.thread.fullmatch(entry.thread) is not None
        tally.newest[log] = max(tally.newest.get(log, ""), entry.time)
        if entry.kind not in tally.kinds.setdefault(log, {}):
            tally.kinds[log][entry.kind] = (log, entry.part, entry.line)
        event = event_of(entry, table, log)
        word, to = ("", "") if event is None else (event.word, event.fields.get("to", ""))
        tally.signs.setdefault(log, DamageSigns()).note(entry, word, to, table)
        if keep is not None:
            keep(entry, event)
        if event is None:
            tally.ignored += entry.lines
        else:
            tally.parsed += entry.lines
            tally.words[event.word] += 1
            if event.word == STARTED:
                tally.versions.add(event.fields["version"])
            yield event


def event_of(entry: LogEntry, table: PatternTable, place: int = 0) -> LogEvent | None:
    """What an entry tells, if it tells anything."""
    for pattern in table.loggers.get(entry.logger, ()):
        if entry.message.startswith(pattern.prefix) and entry.level in pattern.levels:
            found = pattern.message.match(entry.message)
            if found is not None:
                return _told(entry, pattern, found.groupdict(), table, place)
    return None


def _told(
    entry: LogEntry, pattern: LinePattern, groups: dict[str, str], table: PatternTable, place: int
) -> LogEvent:
    task = groups.pop("task", None) or groups.pop("known", None)
    by_thread = task is None and pattern.by_thread
    if by_thread and (by := table.thread.fullmatch(entry.thread)):
        task = by["task"]
    execution = groups.pop("execution", None)
    return LogEvent(
        pattern.event,
        place,
        entry.part,
        entry.line,
        entry.time,
        pattern.clock,
        pattern.follows,
        groups,
        None if task is None else task_of(task),
        None if execution is None else execution_of(execution),
        _causes(entry.more) if pattern.has_cause else (),
        by_thread,
    )


@lru_cache(maxsize=4096)
def task_of(text: str) -> TaskId | None:
    """The task that is called like this: `map (1/2)#0`, or without the attempt."""
    found = _TASK.fullmatch(text)
    if found is None:
        return None
    attempt = found["attempt"]
    return TaskId(
        found["vertex"],
        int(found["number"]) - 1,
        int(found["of"]),
        None if attempt is None else int(attempt),
    )


@lru_cache(maxsize=4096)
def execution_of(text: str) -> Execution | None:
    """The execution of an id: graph, vertex, subtask from 0, attempt."""
    found = _EXECUTION.fullmatch(text)
    if found is None:
        return None
    return Execution(found["graph"], found["vertex"], int(found["subtask"]), int(found["attempt"]))


def _causes(lines: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for number, line in enumerate(lines):
        if number == 0 or line.startswith("Caused by: "):
            match = _EXCEPTION.match(line)
            if match is not None:
                found.append((match["kind"].rpartition(".")[2], match["message"] or ""))
    return tuple(found)
