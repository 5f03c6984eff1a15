"""A start from a snapshot: whether the job may be started, and who gets which state.

The snapshot is written into the scenario: what had finished, and which records the tasks of the job
that was had reported. Records are called by letters, in the order in which a source emits them.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import ClassVar

from checker.scenario.bench import Fields, ProtocolBench
from checker.scenario.jobs import job_in, names_of, tasks_named
from checker.scenario.stimuli import Command, Stimulus
from model.errors import FinaleError
from model.language.protocol import Former, Setting
from model.protocols.parts.snapshots import Contents, Snapshot
from model.protocols.parts.stateful import Stateful
from model.protocols.restore import Restore
from model.topology import Job


class StartBench(ProtocolBench[Restore]):
    """A job, the job that it was, and a snapshot of that one."""

    part = "start"
    about = "a job that is started from a snapshot of what it was before: who gets which state"
    keys = ("job", "was")
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "finish": ("NAMES",),
        "report": ("NAME NAMES",),
        "start": ("",),
    }
    events = ("rejected", "started")
    queries: ClassVar[Mapping[str, int]] = {"skipping": 0, "kept": 1}
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
            case _:
                self._start()

    def _report(self, task: str, *records: str) -> None:
        for subtask in tasks_named(self.was, (task,)):
            share = f"{subtask.vertex.name}.{subtask.index}.share"
            self.reported[share] = tuple((self._record(each), 1) for each in records)

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
        snapshot = Snapshot(frozenset(self.finished), shares=tuple(self.reported.items()))
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
        (subtask,) = tasks_named(self.job, (name,))
        task = self.protocol.task_of[subtask]
        assert isinstance(task, Stateful)
        letters = {record: letter for letter, record in self._records.items()}
        return tuple(letters[d.name] for d in task.data for _ in range(task.state[d]))

    def normal(self, word: str, fields: Fields) -> Fields:
        return self._normal(fields) if word == "skipping" else fields

    def _normal(self, words: Iterable[str]) -> Fields:
        return tuple(subtask.name for subtask in tasks_named(self.job, words))
