"""Reads a growing log, and holds back lines that need the lines after them.

Each batch adds something, and what it adds is plain data that is kept: a process that has not seen
the batches before adds the same, and has the same log.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from finale.checker.logs.read.line_patterns import PatternTable
from finale.checker.logs.read.log_entries import LogEntry, entries
from finale.checker.logs.read.log_events import (
    Execution,
    LineTally,
    LogEvent,
    TaskId,
    events_of_entries,
)
from finale.checker.logs.read.log_files import LogFile, LogLine, RawLog

from .files import GROWS

#: What is new of a log: ranges as the source tells them, and their bytes.
News = Sequence[tuple[Mapping[str, Any], bytes]]


@dataclass
class _PartOf:
    """One piece of the log, by its number."""

    number: int
    path: str
    lines: int = 0
    rest: str = ""
    """The half line at its end."""


@dataclass
class GrowingLog(ABC):
    """A log of bytes that become lines. What lines become is the business of what it is a log of.

    Bytes are kept as text of one character each.
    """

    name: str
    parts: list[_PartOf] = field(default_factory=list[_PartOf])
    gap: bool = False
    quiet: int = GROWS
    trouble: str = ""

    def grown(self, news: News) -> dict[str, Any]:
        """Return the addition to the log, as plain data. The log itself does not change."""
        parts = [replace(part) for part in self.parts]
        lines: list[LogLine] = []
        gap, quiet, trouble = self.gap, self.quiet, self.trouble
        for told, data in news:
            known = next((n for n, each in enumerate(parts) if each.number == told["number"]), None)
            if known is None:
                known = len(parts)
                parts.append(_PartOf(told["number"], told["path"]))
            part = parts[known]
            part.path = told["path"] or part.path
            gap = gap or told["gap"] or told["lost"]
            trouble = told["trouble"]
            *whole, part.rest = (part.rest + data.decode("latin-1")).split("\n")
            for text in whole:
                part.lines += 1
                lines.append(LogLine(known, part.lines, text.rstrip("\r").encode("latin-1")))
            if told["closed"] and not data and part.rest:
                part.lines += 1
                lines.append(LogLine(known, part.lines, part.rest.encode("latin-1"), whole=False))
                part.rest = ""
            if known == len(parts) - 1:
                quiet = told["quiet"]
        told_parts = [[part.number, part.path, part.lines, part.rest] for part in parts]
        state = {"parts": told_parts, "gap": gap, "quiet": quiet, "trouble": trouble}
        return state | self.read(lines)

    def add(self, more: Mapping[str, Any]) -> None:
        """Add what `grown` has given."""
        self.parts = [_PartOf(*part) for part in more["parts"]]
        self.gap, self.quiet, self.trouble = more["gap"], more["quiet"], more["trouble"]

    @abstractmethod
    def read(self, lines: Sequence[LogLine]) -> dict[str, Any]:
        """Read whole lines."""

    def raw(self, root: str) -> RawLog:
        """The place of the log."""
        return RawLog(tuple(LogFile(str(Path(root, part.path))) for part in self.parts))


@dataclass
class GrowingEventLog(GrowingLog):
    """An event log of the engine."""

    lines: list[LogLine] = field(default_factory=list[LogLine])

    def read(self, lines: Sequence[LogLine]) -> dict[str, Any]:
        return {"lines": [_line_table(line) for line in lines]}

    def add(self, more: Mapping[str, Any]) -> None:
        super().add(more)
        self.lines += map(_line, more["lines"])


@dataclass
class GrowingFlinkLog(GrowingLog):
    """A log of lines that a table tells the meaning of.

    What belongs to an entry is known when the next one has begun: the last one is judged as it is,
    and read again with what comes.
    """

    table: PatternTable = field(kw_only=True)
    events: list[LogEvent] = field(default_factory=list[LogEvent])
    tally: LineTally = field(default_factory=LineTally)
    tail: list[LogLine] = field(default_factory=list[LogLine])
    place: int = 0
    """Which log of its cluster it is: its events tell that, too."""

    def read(self, lines: Sequence[LogLine]) -> dict[str, Any]:
        buffer = [*self.tail, *lines]
        every = list(entries(buffer, self.table, raw=True))
        found = [each for each in every if not each.is_open]
        tail: list[LogLine] = []
        for each in (each for each in every if each.is_open):
            tail += each.raw if isinstance(each, LogEntry) else (each.log_line,)
        tail.sort(key=lambda line: (line.part, line.number))
        tally = LineTally()
        events = [_event_table(each) for each in events_of_entries(found, self.table, tally)]
        return {
            "events": events,
            "tally": _tally_table(tally),
            "tail": [_line_table(each) for each in tail],
        }

    def add(self, more: Mapping[str, Any]) -> None:
        super().add(more)
        self.events += (_event(each, self.place) for each in more["events"])
        self.tally += _tally(more["tally"])
        self.tail = list(map(_line, more["tail"]))

    def told(self, place: int) -> tuple[list[LogEvent], LineTally]:
        """Return the events of the present lines, and the counts of lines."""
        if place != self.place:
            self.place = place
            self.events = [replace(event, log=place) for event in self.events]
        tally = LineTally()
        last = events_of_entries(entries(self.tail, self.table), self.table, tally, place)
        events = [*self.events, *last]
        tally += self.tally
        tally.breaks = [(place, part, line) for _, part, line in tally.breaks]
        tally.newest = {place: max(tally.newest.values())} if tally.newest else {}
        return events, tally


def _line_table(line: LogLine) -> list[Any]:
    return [line.part, line.number, line.raw.decode("latin-1"), line.whole]


def _line(table: Sequence[Any]) -> LogLine:
    part, number, raw, whole = table
    return LogLine(part, number, raw.encode("latin-1"), whole)


def _event_table(event: LogEvent) -> list[Any]:
    task, execution = event.task, event.execution
    return [
        event.word,
        event.part,
        event.line,
        event.time,
        event.clock,
        event.follows,
        dict(event.fields),
        None if task is None else [task.vertex, task.subtask, task.parallelism, task.attempt],
        None
        if execution is None
        else [execution.graph, execution.vertex, execution.subtask, execution.attempt],
        event.causes,
        event.by_thread,
    ]


def _event(table: Sequence[Any], place: int) -> LogEvent:
    word, part, line, time, clock, follows, fields, task, execution, causes, *by_thread = table
    return LogEvent(
        word,
        place,
        part,
        line,
        time,
        clock,
        follows,
        fields,
        None if task is None else TaskId(*task),
        None if execution is None else Execution(*execution),
        tuple((kind, message) for kind, message in causes),
        any(by_thread),
    )


def _tally_table(tally: LineTally) -> dict[str, Any]:
    loggers = [[*key, count] for key, count in tally.loggers.items()]
    counts = [tally.parsed, tally.ignored, tally.unparsable, tally.halves, tally.around]
    breaks = [[part, line] for _, part, line in tally.breaks]
    return {
        "counts": counts,
        "loggers": loggers,
        "threads": tally.threads,
        "breaks": breaks,
        "newest": max(tally.newest.values(), default=""),
    }


def _tally(table: Mapping[str, Any]) -> LineTally:
    loggers = Counter({(logger, level): count for logger, level, count in table["loggers"]})
    newest: str = table.get("newest", "")
    tally = LineTally(
        loggers=loggers, threads=table["threads"], newest={0: newest} if newest else {}
    )
    tally.parsed, tally.ignored, tally.unparsable, tally.halves, *around = table["counts"]
    tally.around = sum(around)
    tally.breaks = [(0, part, line) for part, line in table["breaks"]]
    return tally
