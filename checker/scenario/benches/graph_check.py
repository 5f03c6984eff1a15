"""Bench of the check whether a job graph may start from a snapshot with finished tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar, cast

from finale.checker.scenario.bench import Bench, Fields, options_in
from finale.checker.scenario.jobs import job_in, tasks_named
from finale.checker.scenario.reading import Case
from finale.checker.scenario.stimuli import Command, Stimulus
from finale.checker.spec.catalogue import Catalogue
from finale.model.errors import FinaleError, nearest
from finale.model.protocols.coordinator.graph_check import Check, Finished, GraphCheck
from finale.model.topology import Job


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
