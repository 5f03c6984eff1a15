"""Bench of a start from a snapshot: whether the job may start, and which state each task gets.

The snapshot is written into the scenario: what had finished, and which records the tasks of the job
that was had reported. Records are called by letters, in the order in which a source emits them.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import ClassVar

from finale.checker.scenario.bench import Fields, ProtocolBench
from finale.checker.scenario.jobs import job_in, names_of, task_named, tasks_named
from finale.checker.scenario.stimuli import Command, Stimulus
from finale.model.errors import FinaleError
from finale.model.language.protocol import Former, Setting
from finale.model.protocols.barriers.logs import LoggedChannel
from finale.model.protocols.coordinator.snapshots import Contents, Snapshot
from finale.model.protocols.job.elements import Datum
from finale.model.protocols.restore import Restore
from finale.model.protocols.task.stateful import DEALT_OUT, Stateful
from finale.model.topology import Job


class StartBench(ProtocolBench[Restore]):
    """A job, the job that it was, and a snapshot of that one."""

    part = "start"
    about = "a job that is started from a snapshot of what it was before: who gets which state"
    keys = ("job", "was")
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "finish": ("NAMES",),
        "report": ("NAME NAMES",),
        "log": ("NAME NAME NAMES",),
        "start": ("",),
    }
    events = ("rejected", "started")
    queries: ClassVar[Mapping[str, str]] = {"skipping": "", "kept": "NAME", "replays": "NAME"}
    protocol_key = "restore"
    recording = Restore

    @cached_property
    def job(self) -> Job:
        """The job that is started."""
        return job_in(self.case.header)

    @cached_property
    def was(self) -> Job:
        """The job that has left the snapshot behind."""
        return job_in(self.case.header, key="was" if "was" in self.case.header.values else "job")

    def setting(self, options: Mapping[str, object]) -> Setting:
        self.finished: set[str] = set()
        self.reported: dict[str, Contents] = {}
        self.in_flight: dict[str, tuple[str, ...]] = {}
        before = Restore(Setting(self.was))
        bounds = {"checkpoints": 1}
        return Setting(self.job, options=options, bounds=bounds, former=Former(before, list))

    def do(self, stimulus: Stimulus) -> None:
        assert isinstance(stimulus, Command)
        match stimulus.word:
            case "finish":
                self.finished |= {s.name for s in tasks_named(self.was, stimulus.arguments)}
            case "report":
                self._report(*stimulus.arguments)
            case "log":
                self._log(*stimulus.arguments)
            case _:
                self._start()

    def _report(self, task: str, *records: str) -> None:
        for subtask in tasks_named(self.was, (task,)):
            share = f"{subtask.vertex.name}.{subtask.index}.share"
            self.reported[share] = tuple((self._record(each), 1) for each in records)

    def _log(self, sender: str, receiver: str, *records: str) -> None:
        ends = tuple(tasks_named(self.was, (name,)) for name in (sender, receiver))
        for channel in self.was.channels:
            if (channel.sender,) == ends[0] and (channel.receiver,) == ends[1]:
                self.in_flight[channel.name] = tuple(self._record(each) for each in records)
                return
        raise FinaleError(
            "unknown-channel",
            f'the job that was has no channel from "{sender}" to "{receiver}"',
            advice="name one task at each end of an edge: S[0] W[1]",
        )

    @property
    def _records(self) -> Mapping[str, str]:
        """The names of records by their letters."""
        return dict(zip(string.ascii_lowercase, (d.name for d in self.protocol.data), strict=False))

    def _record(self, letter: str) -> str:
        if letter not in self._records:
            raise FinaleError(
                "unknown-record",
                f'no source of the job has a record "{letter}"',
                advice="give a source as many records as there are letters: S r2 has a and b",
            )
        return self._records[letter]

    def _start(self) -> None:
        shares, in_flight = tuple(self.reported.items()), tuple(self.in_flight.items())
        snapshot = Snapshot(frozenset(self.finished), shares=shares, in_flight=in_flight)
        self.protocol.load(snapshot)
        if self.protocol.is_refused():
            self.record("rejected")
            return
        for task in self.protocol.tasks:
            self.protocol.restore(task)
        self.record("started")

    def see_skipping(self) -> Fields:
        tasks = self.protocol.tasks
        return names_of(self.job, (t.subtask for t in tasks if self.protocol.is_skipping(t)))

    def see_kept(self, name: str) -> Fields:
        task = self.protocol.task_of[task_named(self.job, name)]
        if not isinstance(task, Stateful):
            kinds = ", ".join(kind.value for kind in DEALT_OUT)
            raise FinaleError(
                "unknown-task",
                f'"{name}" keeps no records',
                advice=f"ask about a task of one of the kinds {kinds}",
            )
        return tuple(self._letter(d) for d in task.data for _ in range(task.state[d]))

    def see_replays(self, name: str) -> Fields:
        found: list[str] = []
        for channel in self.protocol.task_of[task_named(self.job, name)].inputs:
            if isinstance(channel, LoggedChannel):
                waiting = channel.recovered
                found += [self._letter(waiting.at(i)) for i in range(waiting.length)]
        return tuple(found)

    def _letter(self, record: Datum) -> str:
        return next(letter for letter, name in self._records.items() if name == record.name)

    def normal(self, word: str, fields: Fields) -> Fields:
        return self._normal(fields) if word == "skipping" else fields

    def _normal(self, words: Iterable[str]) -> Fields:
        return tuple(subtask.name for subtask in tasks_named(self.job, words))
