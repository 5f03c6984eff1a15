"""Benches of snapshots with finished tasks: their metadata, and how a job starts from one."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, cast

from finale.checker.scenario.bench import Bench, Fields, ProtocolBench, options_in
from finale.checker.scenario.jobs import job_in, names_of, task_named, tasks_named
from finale.checker.scenario.reading import Case
from finale.checker.scenario.stimuli import Command, Stimulus
from finale.checker.spec.catalogue import Catalogue
from finale.model.errors import FinaleError, nearest
from finale.model.language.protocol import Former, Setting
from finale.model.protocols.coordinator.graph_check import Check, Finished, GraphCheck
from finale.model.protocols.coordinator.metadata import (
    Contents,
    Encoding,
    Flags,
    Metadata,
    Snapshot,
)
from finale.model.protocols.job.channels import LoggedChannel
from finale.model.protocols.job.elements import Datum
from finale.model.protocols.restore import Restore
from finale.model.protocols.task.stateful import DEALT_OUT, Stateful
from finale.model.topology import Job, Subtask


class GraphCheckBench(Bench):
    """A job, and how much of each vertex had finished; what is not said is not in the snapshot."""

    part = "graph-check"
    about = "whether a job may start from a snapshot, by what had finished in it"
    keys = ("job",)
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "found": ("WORD NAMES",),
        "chain": ("NAME NAMES",),
        "check": ("",),
    }
    events = ("accepted", "rejected")

    def __init__(self, case: Case, catalogue: Catalogue) -> None:
        super().__init__(case, catalogue)
        options = options_in(case.header, catalogue.protocol("restore"))
        self.graph_check = GraphCheck(self.job, cast(Check, options.get("check", Check.FULL)))
        self.found: dict[str, tuple[Finished, ...]] = {}

    @cached_property
    def job(self) -> Job:
        """The job of the header."""
        return job_in(self.case.header)

    def apply(self, stimulus: Stimulus) -> None:
        assert isinstance(stimulus, Command)
        if stimulus.word == "check":
            refusal = self.graph_check.refusal(self.found)
            self.record("accepted" if refusal is None else "rejected")
            return
        word, *names = stimulus.arguments
        if stimulus.word == "chain":
            self._find([word], tuple(self._finished(each) for each in names))
        else:
            self._find(names, (self._finished(word),))

    def _find(self, names: Sequence[str], statuses: tuple[Finished, ...]) -> None:
        """Say once what the snapshot says of vertices. Raises `found-twice`."""
        found = dict.fromkeys(task.vertex.name for task in tasks_named(self.job, names))
        for vertex in found:
            if vertex in self.found:
                raise FinaleError(
                    "found-twice",
                    f"what the snapshot says of {vertex} was said before",
                    advice=f"say it once; of chained operators: chain {vertex} fully running",
                )
            self.found[vertex] = statuses

    @staticmethod
    def _finished(word: str) -> Finished:
        """Return the degree of completion of an operator. Raises `bad-state`."""
        known = [each.value for each in Finished]
        if word not in known:
            raise FinaleError(
                "bad-state", f'"{word}" is not a degree of completion', advice=nearest(word, known)
            )
        return Finished(word)

    def answer(self, query: str, given: Fields) -> Fields:
        raise AssertionError("nothing is asked of this part")


class MetadataBench(Bench):
    """A job some of whose tasks have finished, written down and read again."""

    part = "metadata"
    about = "what a checkpoint's metadata says of tasks that have finished"
    keys = ("job",)
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "finish": ("NAMES",),
        "write": ("",),
        "read": ("",),
    }
    events = ()
    queries: ClassVar[Mapping[str, str]] = {"numbers": "NAME", "finished": ""}

    def __init__(self, case: Case, catalogue: Catalogue) -> None:
        super().__init__(case, catalogue)
        options = options_in(case.header, catalogue.protocol("restore"))
        self.encoding = Encoding(cast(Metadata, options.get("metadata", Metadata.SENTINEL)))
        self.gone: frozenset[Subtask] = frozenset()
        self.written: dict[str, tuple[int, ...]] = {}

    @cached_property
    def job(self) -> Job:
        """The job of the header."""
        return job_in(self.case.header)

    def apply(self, stimulus: Stimulus) -> None:
        assert isinstance(stimulus, Command)
        match stimulus.word:
            case "finish":
                self.gone |= set(tasks_named(self.job, stimulus.arguments))
            case "write":
                for vertex in self.job.vertices:
                    gone = frozenset(task.index for task in self.gone if task.vertex == vertex)
                    flags = Flags(vertex.parallelism, gone)
                    self.written[vertex.name] = self.encoding.encode(flags)
                self.gone = frozenset()
            case _ if not self.written:
                raise FinaleError(
                    "nothing-written",
                    "no metadata was written",
                    advice="write the metadata before you read it",
                )
            case _:
                self.gone = frozenset(
                    Subtask(vertex, index)
                    for vertex in self.job.vertices
                    for index in self.encoding.decode(self.written[vertex.name]).finished
                )

    def answer(self, query: str, given: Fields) -> Fields:
        """The numbers of a vertex after its version and parallelism, or the tasks read."""
        if query == "finished":
            return names_of(self.job, self.gone)
        name = tasks_named(self.job, given)[0].vertex.name
        return tuple(str(number) for number in self.written.get(name, ())[2:])


class StartBench(ProtocolBench[Restore]):
    """A job, the job that it was, and a snapshot of that one.

    The scenario has the contents of the snapshot: the tasks that had finished, and the records that
    each task had reported. A letter names a record, in the order in which a source emits them.
    """

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
