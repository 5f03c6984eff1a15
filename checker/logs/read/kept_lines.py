"""Keeps every line that was read: lines that tell events, lines that tell none, and the rest.

Put together in the order of their lines, they are the log again, byte for byte.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from .job_runs import JobRun
from .log_entries import LogEntry, Stray
from .log_events import LogEvent
from .log_files import LogLine


class NoEventReason(enum.Enum):
    """Why lines tell no event."""

    IGNORED = "ignored"
    """No pattern of the table is about them."""
    UNREADABLE = "unreadable"
    """Nothing can be made of them, or they are before the first entry."""
    HALF = "half a line"
    """The last line of a file has no end: it is still written, or cut."""


@dataclass(frozen=True, slots=True)
class RawLines:
    """Lines that follow each other: of which log and part, from which number on, and their bytes.

    `end` is the end of the last one; those before it have theirs in `raw`.
    """

    log: int
    part: int
    line: int
    lines: int
    raw: bytes
    end: bytes


@dataclass(frozen=True, slots=True)
class KeptEvent:
    """Lines that tell an event. `job` is None where that is not known, as `task` is."""

    at: RawLines
    time: str | None
    word: str
    clock: str
    job: str | None
    task: str | None
    attempt: int | None
    checkpoint: int | None
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class KeptRest:
    """Lines that tell no event."""

    at: RawLines
    why: NoEventReason


@dataclass
class KeptLines:
    """What the lines of some logs are. `runs` are those that their events are of."""

    runs: Sequence[JobRun] = ()
    _log: int = 0
    _parsed: list[tuple[RawLines, LogEvent]] = field(
        default_factory=list[tuple[RawLines, LogEvent]]
    )
    rest: list[KeptRest] = field(default_factory=list[KeptRest])

    def begin(self, log: int) -> None:
        """Note that what is kept from here on is of this log."""
        self._log = log

    def keep(self, entry: LogEntry | Stray, event: LogEvent | None) -> None:
        """What some lines are. Lines of another process can stand between those of an entry."""
        if isinstance(entry, Stray):
            why = NoEventReason.UNREADABLE if entry.whole else NoEventReason.HALF
            self.rest.append(KeptRest(self._raw([entry.log_line]), why))
            return
        first, *others = _blocks(entry.raw)
        if event is None:
            self.rest.append(KeptRest(self._raw(first), NoEventReason.IGNORED))
        else:
            self._parsed.append((self._raw(first), event))
        self.rest += (KeptRest(self._raw(each), NoEventReason.IGNORED) for each in others)

    @property
    def events(self) -> Iterator[KeptEvent]:
        """The events in the order of their lines, with what their runs know of them."""
        known = {id(each.log_event): (run.job, each) for run in self.runs for each in run.events}
        for raw, told in self._parsed:
            job, event = known.get(id(told), (None, None))
            task = told.task if event is None else event.task
            fields = cast("Mapping[str, str | None]", told.fields)  # of groups that may be empty
            yield KeptEvent(
                raw,
                told.time,
                told.word,
                told.clock,
                job,
                None if task is None else task.name,
                None if task is None else task.attempt,
                told.checkpoint,
                {key: text for key, text in fields.items() if text is not None},
            )

    def _raw(self, lines: Sequence[LogLine]) -> RawLines:
        *before, last = lines
        text = b"".join(each.raw + each.end for each in before) + last.raw
        return RawLines(self._log, last.part, lines[0].number, len(lines), text, last.end)


def _blocks(lines: Iterable[LogLine]) -> list[list[LogLine]]:
    """The lines cut where others stand between them."""
    found: list[list[LogLine]] = []
    for line in lines:
        last = found[-1][-1] if found else None
        if last is not None and (last.part, last.number + 1) == (line.part, line.number):
            found[-1].append(line)
        else:
            found.append([line])
    return found
