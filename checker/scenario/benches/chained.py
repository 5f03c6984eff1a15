"""Bench of one task with chained sources: what the task reads, and what its sources receive."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

from finale.checker.scenario.bench import Fields
from finale.checker.scenario.stimuli import Command, RecordArrives, Stimulus
from finale.model.errors import FinaleError
from finale.model.protocols.chained_sources import ChainedSources
from finale.model.protocols.task.chained_source import ChainedSource
from finale.model.topology import OperatorKind, Vertex

from .task import TaskBench


class ChainedTaskBench(TaskBench):
    """A task T with `inputs` inputs, sources with `chained` records each, and two outputs."""

    part = "chained-task"
    about = "a task that sources are chained into, by itself"
    keys = ("inputs", "chained")
    tokens = ("r", *TaskBench.tokens)
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "trigger": ("ID",),
        **{word: TaskBench.commands[word] for word in ("sync", "complete", "consumers")},
        "emit": ("NAME",),
        "end": ("NAME",),
    }
    events = tuple(word for word in TaskBench.events if word != "canceled")
    queries: ClassVar[Mapping[str, str]] = {"out": "", "blocked": "", "acknowledgements": "ID"}
    protocol_key = "chained-sources"
    records = 2

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Return the number of records of each source. Raises `bad-number`."""
        header = self.case.header
        words = header.values.get("chained", "1").split()
        if not words or not all(word.isdecimal() and len(word) < 3 for word in words):
            raise FinaleError(
                "bad-number",
                f"chained cannot be {header.values['chained']}",
                place=header.place("chained"),
                advice="write a number of records for each source: 3 1",
            )
        return tuple(map(int, words))

    def tested(self, kind: OperatorKind) -> Vertex:
        return Vertex("T", OperatorKind.CHAINED, chained=self.counts)

    def source(self, word: str) -> ChainedSource:
        """A source of the task, by its number from 0 on. Raises `unknown-task`."""
        known = [str(number) for number in range(len(self.counts))]
        if word not in known:
            raise FinaleError(
                "unknown-task",
                f'no source chained into the task is "{word}"',
                advice=f"write one of {', '.join(known)}",
            )
        return self.task.chained[int(word)]

    def do(self, stimulus: Stimulus) -> None:
        protocol = self.protocol
        assert isinstance(protocol, ChainedSources)
        match stimulus:
            case RecordArrives(channel=at):
                channel = self.task.inputs[at]
                channel.put_record(protocol.data_at[channel.edge.sender.vertex][0])
                protocol.poll_data(channel)
            case Command(word="emit", arguments=(name,)):
                protocol.emit_chained(self.source(name))
            case Command(word="end", arguments=(name,)):
                source = self.source(name)
                source.remaining = 0
                protocol.end_chained(source)
                self._goes_on()
            case _:
                super().do(stimulus)

    def see_blocked(self) -> Fields:
        """Channels, and then the chained sources as well."""
        chained = enumerate(self.task.chained)
        waiting = (f"source{number}" for number, source in chained if source.aligned)
        return (*super().see_blocked(), *waiting)
