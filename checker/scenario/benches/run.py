"""Bench of a whole job: the scenario controls the sources, and all other steps run by themselves.

`go` takes what the protocol promises to do, its fair rules, until nothing is left: not what sources
do, nor the period of checkpoints, nor what the environment may do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar

from finale.checker.scenario.bench import Fields, number_in
from finale.checker.scenario.stimuli import Command, Stimulus
from finale.model.errors import FinaleError
from finale.model.language.bindings import bindings, rule_names, rule_of
from finale.model.language.decorators import mark_of
from finale.model.language.protocol import Setting
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import StopMode
from finale.model.protocols.stops.stopping import Stopping
from finale.model.protocols.task.sources import Source
from finale.model.rules import require
from finale.model.system import Fairness

from .jobs import JobBench, check_can_be_stopped

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
        "stop": ("drain", "suspend"),
        "fail": ("", "NAMES"),
    }
    events = ("completed", "aborted", "answered")
    queries: ClassVar[Mapping[str, str]] = {"visible": "", "job": ""}
    recording = RecordingRun

    def further_ids(self) -> Sequence[int]:
        return range(1, number_in(self.case.header, "checkpoints", 3, 99) + 1)

    def setting(self, options: Mapping[str, object]) -> Setting:
        setting = super().setting(options)
        words = [s.word for line in self.case.lines for s in line.stimuli if isinstance(s, Command)]
        bounds = {**setting.bounds, "failures": words.count("fail")}
        if "stop" in words:
            check_can_be_stopped(self.kind, self.case, lambda each: each.word == "stop")
            bounds["stops"] = words.count("stop")
        return replace(setting, bounds=bounds, observe=frozenset({"effects"}))

    def do(self, stimulus: Stimulus) -> None:
        assert isinstance(stimulus, Command)
        before = self.answers()
        self._command(stimulus)
        self.record_answers(before)

    def _command(self, stimulus: Command) -> None:
        match stimulus.word:
            case "emit":
                for source in self._sources(stimulus.arguments):
                    self.protocol.emit(source)
            case "end":
                for source in self._sources(stimulus.arguments):
                    self.protocol.end_source(source)
            case "trig":
                self.protocol.trigger_checkpoint()
            case "fail" if stimulus.arguments:
                self._fail(stimulus.arguments)
            case "fail":
                self.protocol.fail()
            case "stop":
                protocol = self.protocol
                assert isinstance(protocol, Stopping)
                request = self.next_of(protocol.stop_requests)
                protocol.request_stop(request, stimulus.arguments[0] == "drain")
            case _:
                while any(self._happens(step) for step in self._own_steps):
                    pass  # what one step makes possible may come before it

    def _fail(self, names: Sequence[str]) -> None:
        """Tasks fail, and with each its region. Raises `fails-as-a-whole`."""
        if not self.protocol.has_regions:
            raise FinaleError(
                "fails-as-a-whole",
                "the job has no regions: a task that fails restarts all of it",
                advice='write fail, or options: restart_scope = "region"',
            )
        for region in dict.fromkeys(self.protocol.region_of[task] for task in self.tasks(names)):
            self.protocol.fail_region(region)

    def _sources(self, names: Sequence[str]) -> list[Source]:
        tasks = self.tasks(names)
        for task in tasks:
            if not isinstance(task, Source):
                raise FinaleError(
                    "no-source",
                    f'"{task.name}" is not a source: its steps run by themselves',
                    advice="name sources: tasks without inputs",
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
        if isinstance(self.protocol, Stopping) and self.protocol.stops:
            readers = [task for task in self.protocol.tasks if isinstance(task, Source)]
            steps += [partial(self._end_stopped, source) for source in readers]
        return steps

    def _end_stopped(self, source: Source) -> None:
        """A source that a stop has told ends its data by itself."""
        require(source.mode != StopMode.NONE)
        self.protocol.end_source(source)

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
