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
from collections.abc import Callable, Mapping
from dataclasses import asdict
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING

from finale.model.events import DATA_STEPS, LOG_VERSION, START, STRUCK, WORDS
from finale.model.topology import Edge, Job, Pattern, Sink, Vertex
from finale.reference.formats.files import told
from finale.reference.formats.folder import id_of
from finale.reference.formats.logfile import newest_in, opened
from finale.reference.task import Phase

if TYPE_CHECKING:
    from finale.reference.engine import Engine
    from finale.reference.formats.snapshots import CheckpointStore
    from finale.reference.steps import StepId


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
                "v": LOG_VERSION,
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
    if edge.number > 1:
        said["again"] = True
    return edge.source if len(said) == 1 else said


__all__ = ["EventLog", "table_of"]
