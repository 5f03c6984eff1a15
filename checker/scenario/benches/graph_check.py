"""The check of a job that is started from a snapshot: what has finished, and what it reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar, cast

from checker.loading import Catalogue
from checker.scenario.bench import Bench, Fields, options_in
from checker.scenario.jobs import job_in, tasks_named
from checker.scenario.reading import Case
from checker.scenario.stimuli import Command, Stimulus
from model.errors import FinaleError, nearest
from model.protocols.parts.graph_check import Check, Finished, GraphCheck
from model.topology import Job


class GraphCheckBench(Bench):
    """A job, and how much of each vertex had finished; what is not said is not in the snapshot."""

    part = "graph-check"
    about = "whether a job may start from a snapshot, by what had finished in it"
    keys = ("job",)
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "found": ("WORD NAMES",),
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
        known = [each.value for each in Finished]
        if word not in known:
            raise FinaleError(
                "bad-state", f'"{word}" is not how much has finished', advice=nearest(word, known)
            )
        for task in tasks_named(self.job, names):
            self.found[task.vertex.name] = (Finished(word),)

    def answer(self, query: str, given: Fields) -> Fields:
        raise AssertionError("nothing is asked of this part")


__all__ = ["GraphCheckBench"]
