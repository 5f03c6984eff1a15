"""Bench of checkpoint metadata: its marks of finished operators, written and read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar, cast

from finale.checker.scenario.bench import Bench, Fields, options_in
from finale.checker.scenario.jobs import job_in, names_of, tasks_named
from finale.checker.scenario.reading import Case
from finale.checker.scenario.stimuli import Command, Stimulus
from finale.checker.spec.catalogue import Catalogue
from finale.model.errors import FinaleError
from finale.model.protocols.coordinator.metadata import Encoding, Flags, Metadata
from finale.model.topology import Job, Subtask


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
