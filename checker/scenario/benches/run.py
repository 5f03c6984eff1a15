"""A whole job: its sources do what the scenario says, and all else goes by itself.

`go` takes what the protocol promises to do, its fair rules, until nothing is left: not what sources
do, nor the period of checkpoints, nor what the environment may do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar

from checker.scenario.bench import Fields, number_in
from checker.scenario.stimuli import Command, Stimulus
from model.errors import FinaleError
from model.language.bindings import bindings, rule_names, rule_of
from model.language.marks import mark_of
from model.language.protocol import Setting
from model.protocols.final_checkpoint import FinalCheckpoint
from model.protocols.parts.checkpoints import Checkpoint
from model.protocols.parts.sources import Source
from model.system import Fairness

from .jobs import JobBench

#: Fair rules that the scenario says when to take.
_TOLD = ("emit", "end_source", "trigger_checkpoint")


class RecordingRun(FinalCheckpoint):
    """The protocol, telling what becomes of checkpoints."""

    bench: Any

    def complete(self, checkpoint: Checkpoint) -> None:
        """Tell it when it is complete."""
        super().complete(checkpoint)
        if checkpoint.is_completed:
            self.bench.record("completed", self.bench.number(checkpoint))

    def abort(self, checkpoint: Checkpoint) -> None:
        """Abort it, and tell it."""
        super().abort(checkpoint)
        self.bench.record("aborted", self.bench.number(checkpoint))


class RunBench(JobBench):
    """A job whose header says how many checkpoints it may take; they are numbered from 1."""

    part = "run"
    about = "a whole job: sources do what they are told, and all else goes by itself"
    keys = ("job", "checkpoints")
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "emit": ("NAMES",),
        "end": ("NAMES",),
        "trig": ("",),
        "go": ("",),
        "fail": ("",),
    }
    events = ("completed", "aborted")
    queries: ClassVar[Mapping[str, str]] = {"visible": "", "job": ""}
    recording = RecordingRun

    def further_ids(self) -> Sequence[int]:
        return range(1, number_in(self.case.header, "checkpoints", 3, 99) + 1)

    def setting(self, options: Mapping[str, object]) -> Setting:
        setting = super().setting(options)
        stimuli = (each for line in self.case.lines for each in line.stimuli)
        failures = sum(isinstance(each, Command) and each.word == "fail" for each in stimuli)
        bounds = {**setting.bounds, "failures": failures}
        return replace(setting, bounds=bounds, observe=frozenset({"effects"}))

    def do(self, stimulus: Stimulus) -> None:
        assert isinstance(stimulus, Command)
        match stimulus.word:
            case "emit":
                for source in self._sources(stimulus.arguments):
                    self.protocol.emit(source)
            case "end":
                for source in self._sources(stimulus.arguments):
                    self.protocol.end_source(source)
            case "trig":
                self.protocol.trigger_checkpoint()
            case "fail":
                self.protocol.fail()
            case _:
                while any(self._happens(step) for step in self._own_steps):
                    pass  # what one step makes possible may come before it

    def _sources(self, names: Sequence[str]) -> list[Source]:
        tasks = self.tasks(names)
        for task in tasks:
            if not isinstance(task, Source):
                raise FinaleError(
                    "no-source",
                    f'"{task.name}" is no source, and does nothing that it must be told',
                    advice="name tasks that read no others",
                )
        return [task for task in tasks if isinstance(task, Source)]

    @cached_property
    def _own_steps(self) -> list[Callable[[], None]]:
        steps: list[Callable[[], None]] = []
        for name in rule_names(self.kind):
            mark = mark_of(getattr(self.kind, name))
            assert mark is not None
            if rule_of(self.kind, name).fairness is not Fairness.NONE and name not in _TOLD:
                method = getattr(self.protocol, name)
                for arguments, _, _ in bindings(self.protocol, mark, skip=1):
                    steps.append(partial(method, *arguments))
        return steps

    def _happens(self, step: Callable[[], None]) -> bool:
        before = list(self.store.values)
        return self.possibly(step) and self.store.values != before

    def see_visible(self) -> Fields:
        return tuple(
            f"{record.source.name}{'abcdefgh'[record.number - 1]}"
            for sink in self.protocol.sinks
            for record in sink.data
            for _ in range(sink.visible[record])
        )

    def see_job(self) -> Fields:
        return ("finished" if self.protocol.is_finished else "running",)


__all__ = ["RunBench"]
