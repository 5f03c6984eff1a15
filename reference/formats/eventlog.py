"""Event logs: the steps of a job, one JSON line for each step.

A log has a section for each process that ran the job. It begins with `log-start`, which says
everything about the job that its steps depend on, and ends with `log-end` and the number of events,
unless the process was killed. Each step of the protocol is an event of the step's own name
(`model/events.py`); steps that only move records are none. `docs/event-log.md` has every field.

To write one: `EventLog.append(path, engine, job, run="…")` before the first step, `took(step)`
after each, `close()` after the last.
"""

from __future__ import annotations

import enum
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from io import FileIO
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from finale.model.errors import FinaleError, Place
from finale.model.events import DATA_STEPS, STEPS
from finale.model.given import json_of
from finale.model.topology import Edge, Job, Pattern, Sink, Vertex
from finale.reference.formats.files import told
from finale.reference.formats.folder import id_of
from finale.reference.formats.logfields import about_of, is_number, is_whole, wrong_in_start
from finale.reference.formats.logfile import START, newest_in, opened
from finale.reference.task import Phase

if TYPE_CHECKING:
    from finale.reference.engine import Engine
    from finale.reference.formats.snapshots import CheckpointStore
    from finale.reference.steps import StepId

VERSION = 1
#: What went wrong on purpose: no step of a protocol, but information.
STRUCK = "struck"
WORDS = {word.name: word for word in STEPS}


class EventLog:
    """Writes down what an engine does. Each line is written before the next step is taken."""

    def __init__(
        self, write: Callable[[str], object], engine: Engine, job: Job, *, run: str, process: int
    ) -> None:
        self.engine = engine
        self.run = run
        self.process = process
        self.count = 0
        self.newest = engine.coordinator.last_number
        self.file: FileIO | None = None
        self._write = write
        self._seq: Counter[str] = Counter()
        self._whose = {each.name: (each.vertex.name, each.index) for each in job.subtasks}
        newest = engine.store.newest
        restoring = any(task.phase is Phase.RESTORING for task in engine.tasks.values())
        self._line(
            {
                "event": "log-start",
                "v": VERSION,
                "profile": "engine",
                "run": run,
                "process": process,
                "order": "file",
                "protocol": engine.key,
                **({"variant": engine.variant} if engine.variant is not None else {}),
                "options": {name: _plain(each) for name, each in asdict(engine.options).items()},
                "job": table_of(job),
                "starts": "restoring" if restoring else "running",
                "from": newest if restoring else None,
                "finished": sorted(engine.store.finished(newest)) if restoring and newest else [],
                "last": self.newest,
                **_evidence(engine.store, newest),
                **({"folder": folder} if (folder := id_of(engine.store.files)) else {}),
            }
        )

    @classmethod
    def append(cls, path: Path, engine: Engine, job: Job, *, run: str) -> EventLog:
        """A new section at the end of a file, which may be new or end in the midst of a line.

        Raises `disk-full` and `unwritable`, as do all steps that are written later.
        """
        file, known = opened(path)

        def write(text: str) -> None:
            left = text.encode()
            with told(str(path)):
                while left:
                    left = left[file.write(left) :]

        if known and not known.endswith(b"\n"):
            write("\n")
        coordinator = engine.coordinator
        coordinator.last_number = max(coordinator.last_number, newest_in(known))
        process = 1 + sum(line.startswith(START) for line in known.splitlines())
        log = cls(write, engine, job, run=run, process=process)
        log.file = file
        return log

    def took(self, step: StepId) -> None:
        """The engine has taken a step."""
        if step.name in DATA_STEPS:
            return
        about = dict(step.binding)
        event: dict[str, object] = {"event": step.name, "attempt": self.engine.attempt}
        fields: dict[str, object] = {}
        task = about.pop("task", None)
        if task is not None:
            event["vertex"], event["subtask"] = self._whose[task]
        if "channel" in about:
            event["channel"] = about.pop("channel")
            task = str(event["channel"]).split("→")[1]
        if "checkpoint" in about:
            event["checkpoint"] = int(about.pop("checkpoint").removeprefix("cp"))
        elif self.engine.coordinator.last_number > self.newest:
            event["checkpoint"] = self.newest = self.engine.coordinator.last_number
        if step.name == "restore":
            fields["from"] = self.engine.store.newest
        fields |= about
        if fields:
            event["fields"] = fields
        self._event(event, WORDS[step.name].clock.value, task)

    def struck(self, fields: Mapping[str, object]) -> None:
        """Something went wrong that a list of faults has; the step that it is comes next."""
        self._event({"event": STRUCK, "fields": dict(fields)}, "environment", None)

    def _event(self, event: dict[str, object], clock: str, task: str | None) -> None:
        clock = clock if task is None or not clock.startswith("t") else f"{clock} {task}"
        place = {"run": self.run, "process": self.process, "clock": clock, "seq": self._seq[clock]}
        self._seq[clock] += 1
        self.count += 1
        self._line(event | place)

    def close(self, *, cut: bool = False) -> None:
        """Note that the run ended in good order, or was cut off."""
        try:
            if not cut:
                self._line({"event": "log-end", "count": self.count})
        finally:
            if self.file is not None:
                self.file.close()

    def _line(self, line: Mapping[str, object]) -> None:
        self._write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


def _evidence(store: CheckpointStore, origin: int | None) -> dict[str, object]:
    """Return the reason for a start from another checkpoint than the newest one."""
    told: dict[str, object] = {}
    if refused := store.refused_ones():
        told["refused"] = refused
    if origin is None:
        return told if store.complete_ones() or refused else {"new": True}
    if (copied := store.copied(origin)) is not None:
        told["copied"] = copied
    return told


def _plain(value: object) -> object:
    return value.value if isinstance(value, enum.Enum) else value


# --- reading --------------------------------------------------------------------------------------


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
        if start.get("v") != VERSION:
            raise FinaleError(
                "event-log-version",
                f"the log has version {start.get('v')!r}",
                place=Place(self.file, number),
                advice=f"this program reads version {VERSION}",
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
            advice="take a file that `finale run` has written",
        )


def table_of(job: Job) -> dict[str, dict[str, object]]:
    """A job as the `[job]` table of a spec, without records: what its protocol depends on."""
    return {vertex.name: _entry(job, vertex) for vertex in job.vertices}


def _entry(job: Job, vertex: Vertex) -> dict[str, object]:
    entry: dict[str, object] = {"kind": vertex.kind.value, "parallelism": vertex.parallelism}
    if vertex.is_source or vertex.chained:
        bounded = [each.bounded for each in job.subtasks_of(vertex)]
        entry |= {"bounded": bounded[0] if len(set(bounded)) == 1 else bounded}
    if vertex.is_source:
        entry["records"] = 0
    if vertex.chained:
        entry["chained"] = [0] * len(vertex.chained)
    if vertex.sink is not Sink.NONE:
        entry["sink"] = vertex.sink.value
    inputs = [_input(edge) for edge in job.edges_into(vertex)]
    return entry | ({"from": inputs} if inputs else {})


def _input(edge: Edge) -> str | dict[str, object]:
    said: dict[str, object] = {"vertex": edge.source}
    if edge.pattern is not Pattern.ALL_TO_ALL:
        said["pattern"] = edge.pattern.value
    if edge.broadcast:
        said["broadcast"] = True
    if not edge.overtakes:
        said["overtakes"] = False
    return edge.source if len(said) == 1 else said


__all__ = ["VERSION", "EventLine", "EventLog", "ReadLog", "Section", "read_log", "table_of"]
