"""Reads event logs: the steps of a job, one JSON line for each step (`docs/event-log.md`).

The engine writes them (`reference/formats/eventlog.py`), and others may tell less: a field that is
not there is not missing. A line with a field of another type is damaged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, cast

from finale.model.errors import FinaleError, Place
from finale.model.events import LOG_VERSION, STRUCK, WORDS
from finale.model.given import json_of
from finale.model.topology import Job


@dataclass(frozen=True)
class EventLine:
    """A line about a step: the name of the step, and its entities by kind.

    `checkpoint` is the id that the step is about or has begun.
    """

    line: int
    name: str
    about: tuple[tuple[str, str], ...]
    checkpoint: int | None
    fields: Mapping[str, Any]
    attempt: int | None
    clock: str
    seq: int


@dataclass(frozen=True)
class Section:
    """The steps of one process. `lost` has the positions at which lines can be missing."""

    line: int
    start: Mapping[str, Any]
    job: Job
    events: tuple[EventLine, ...]
    lost: frozenset[int]
    ended: bool
    """It has its last line, and as many events as that says."""
    others: int = 0
    """How many lines are events that are no steps, or of no known name."""

    @property
    def process(self) -> int | None:
        """The number of the process, if the log has it."""
        number = self.start.get("process")
        return number if isinstance(number, int) else None


@dataclass(frozen=True)
class ReadLog:
    """All that a log has. Nothing is passed over in silence: what means nothing is counted."""

    sections: tuple[Section, ...]
    unreadable: tuple[int, ...]
    """Lines that are no event, as the last one that a killed process has begun."""
    unknown: Counter[str]
    """Events and fields of no known name."""
    strays: bool = False
    """Some lines are of no section: that of a process whose `log-start` is not whole."""

    @property
    def missing(self) -> tuple[int, ...]:
        """The lines of sections before which whole sections are not there."""
        found: list[int] = []
        runs: set[object] = set()
        expected = 1
        for section in self.sections:
            start, number = section.start, section.process
            said: object = start.get("copied")
            table = isinstance(said, dict)
            elsewhere = table and cast("dict[str, object]", said).get("why") == "elsewhere"
            origin = start.get("from") if start.get("starts") == "restoring" else None
            first = start.get("run") not in runs and origin is not None and not elsewhere
            if number != expected or first:
                found.append(section.line)
            runs.add(start.get("run"))
            expected = (number or expected) + 1
        return tuple(found)

    @property
    def count(self) -> int:
        return sum(len(section.events) for section in self.sections)


def read_log(
    lines: Iterable[str], file: str | None = None, numbers: Iterable[int] | None = None
) -> ReadLog:
    """The log that some lines are. Raises `not-an-event-log`, `event-log-version`."""
    reader = _Reader(file)
    for number, line in zip(numbers or count(1), lines, strict=False):
        reader.read(number, line)
    reader.end_section(None)
    if not reader.sections:
        raise reader.stray or reader.not_a_log(1, "it has no line `log-start`")
    strays = reader.stray is not None
    return ReadLog(tuple(reader.sections), tuple(reader.unreadable), reader.unknown, strays)


_PLACE = ("run", "process", "clock", "seq", "event", "job", "attempt", "vertex", "subtask")
_KNOWN = frozenset((*_PLACE, "checkpoint", "channel", "fields", "src", "time"))


class _Reader:
    """Reads line by line."""

    def __init__(self, file: str | None) -> None:
        self.file = file
        self.sections: list[Section] = []
        self.unreadable: list[int] = []
        self.unknown: Counter[str] = Counter()
        self.stray: FinaleError | None = None
        """What is wrong with the first line that belongs to no section."""
        self._start: tuple[int, Mapping[str, Any], Job] | None = None
        self._names: dict[tuple[object, object], str] = {}
        self._begin()

    def _begin(self) -> None:
        self._events: list[EventLine] = []
        self._lost: set[int] = set()
        self._next: Counter[str] = Counter()
        self._latest: dict[str, int] = {}
        self._others = 0

    def read(self, number: int, text: str) -> None:
        try:
            line: Any = json_of(text)
            name = line["event"]
        except (ValueError, TypeError, KeyError):
            self._damaged(number, "the line is no event")
            return
        if name == "log-start":
            self.end_section(None)
            self._lost.clear()
            job = self._job(number, line)
            self._start = number, line, job
            self._names = {(each.vertex.name, each.index): each.name for each in job.subtasks}
        elif self._start is None:
            self._damaged(number, "no line `log-start` comes before it")
        elif name == "log-end" and is_number(line.get("count")):
            self.end_section(line["count"])
        elif name == "log-end" or not is_whole(line, self._start[1]):
            self._damaged(number, "the line is no event of its section")
        else:
            self._event(number, line)

    def _damaged(self, number: int, why: str) -> None:
        """Something may be missing here. Before any section, it may be no log at all."""
        if self._start is None:
            self.stray = self.stray or self.not_a_log(number, why)
        self.unreadable.append(number)
        self._lost.add(len(self._events))

    def _job(self, number: int, start: Mapping[str, Any]) -> Job:
        if start.get("v") != LOG_VERSION:
            raise FinaleError(
                "event-log-version",
                f"the log has version {start.get('v')!r}",
                place=Place(self.file, number),
                advice=f"this program reads version {LOG_VERSION}",
            )
        if not isinstance(start.get("job"), dict) or not isinstance(start.get("protocol"), str):
            raise self.not_a_log(number, "`log-start` does not say which job, and which protocol")
        if (wrong := wrong_in_start(start)) is not None:
            raise self.not_a_log(number, f"`log-start` cannot say that of `{wrong}`")
        try:
            return Job.from_table(start["job"])
        except FinaleError as error:
            error.place = Place(self.file, number, (error.place or Place()).key)
            raise

    def end_section(self, count: object) -> None:
        if self._start is None:
            return
        line, start, job = self._start
        if isinstance(count, int) and count != len(self._events) + self._others:
            count = None
            if not self._lost:  # the last of some clock, and nobody knows of which
                self._lost = set(range(len(self._events) + 1))
        lost = frozenset(self._lost)
        ended = count is not None
        events = tuple(self._events)
        self.sections.append(Section(line, start, job, events, lost, ended, self._others))
        self._start = None
        self._begin()

    def _event(self, number: int, line: Mapping[str, Any]) -> None:
        clock, seq = str(line.get("clock")), line.get("seq")
        here = len(self._events)
        if not isinstance(seq, int) or seq != self._next[clock]:
            self._lost.update(range(self._latest.get(clock, 0), here + 1))
        self._next[clock] = (seq if isinstance(seq, int) else self._next[clock]) + 1
        self._latest[clock] = here + 1
        self.unknown.update(f"field {key}" for key in line if key not in _KNOWN)
        word = WORDS.get(str(line["event"]))
        if word is None:
            if line["event"] != STRUCK:
                self.unknown[f"event {line['event']}"] += 1
            self._others += 1
            return
        fields: Mapping[str, Any] = line.get("fields") or {}
        checkpoint = line.get("checkpoint")
        kinds = (kind for kind in word.about if kind != "checkpoint" or checkpoint is not None)
        about = tuple((kind, about_of(kind, line, fields, self._names)) for kind in kinds)
        self._events.append(
            EventLine(
                number,
                word.name,
                about,
                checkpoint,
                fields,
                line.get("attempt"),
                clock,
                self._next[clock] - 1,
            )
        )

    def not_a_log(self, line: int, why: str) -> FinaleError:
        return FinaleError(
            "not-an-event-log",
            f"this is not an event log: {why}",
            place=Place(self.file, line),
            advice="take a file that `finale engine run` has written",
        )


# --- the types of fields --------------------------------------------------------------------------

Is = Callable[[object], bool]


def is_number(value: object) -> bool:
    """Whether it is an integer. To Python, true and false are such."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _all(is_one: Is) -> Is:
    return lambda value: isinstance(value, list) and all(map(is_one, cast("list[object]", value)))


def _or_none(is_one: Is) -> Is:
    return lambda value: value is None or is_one(value)


def _is_start(value: object) -> bool:
    return value in ("running", "restoring")


def _is_order(value: object) -> bool:
    return value in ("file", "clocks")


def _is_link(value: object) -> bool:
    """A copy's number, of which it is one, and why."""
    if not isinstance(value, list):
        return False
    parts = cast("list[object]", value)
    return len(parts) == 3 and all(map(is_number, parts[:2])) and _is_text(parts[2])


def _is_copy(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    table = cast("dict[str, object]", value)
    chain = table.get("chain", [])
    return is_number(table.get("of")) and _is_text(table.get("why")) and _all(_is_link)(chain)


_OF_START: Mapping[str, Is] = {
    "profile": _is_text,
    "run": _is_text,
    "process": is_number,
    "order": _is_order,
    "protocol": _is_text,
    "variant": _or_none(_is_text),
    "options": _is_table,
    "job": _is_table,
    "starts": _is_start,
    "from": _or_none(is_number),
    "finished": _all(_is_text),
    "last": is_number,
    "new": _is_bool,
    "refused": _all(is_number),
    "copied": _is_copy,
}
_OF_EVENT: Mapping[str, Is] = {
    "event": _is_text,
    "run": _is_text,
    "process": is_number,
    "clock": _is_text,
    "seq": is_number,
    "attempt": is_number,
    "vertex": _is_text,
    "subtask": is_number,
    "channel": _is_text,
    "checkpoint": _or_none(is_number),
    "fields": _or_none(_is_table),
}


def wrong_in_start(start: Mapping[str, Any]) -> str | None:
    """The first field of a `log-start` that cannot be."""
    return _wrong(start, _OF_START)


def is_whole(event: Mapping[str, Any], start: Mapping[str, Any]) -> bool:
    """Whether a line can be an event of the section that begins so, not one of another process."""
    both = [key for key in ("run", "process") if key in event and key in start]
    own = all(event[key] == start[key] for key in both)
    return own and _wrong(event, _OF_EVENT) is None


def _wrong(line: Mapping[str, Any], types: Mapping[str, Is]) -> str | None:
    wrong = (key for key, can_be in types.items() if key in line and not can_be(line[key]))
    return next(wrong, None)


def about_of(
    kind: str,
    line: Mapping[str, Any],
    fields: Mapping[str, Any],
    names: Mapping[tuple[object, object], str],
) -> str:
    """Return the entity of this kind that an event is about; tasks by vertex and number."""
    match kind:
        case "task":
            return names.get((line.get("vertex"), line.get("subtask")), "?")
        case "channel":
            return str(line.get("channel"))
        case "checkpoint":
            return f"cp{line.get('checkpoint')}"
        case _:
            return str(fields.get(kind))
