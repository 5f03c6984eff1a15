"""The handler of barriers that overtake: it takes the task's part at the first, and then logs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from checker.scenario.bench import Fields
from checker.scenario.stimuli import Barrier, Data, Stimulus
from model.language.protocol import Setting
from model.protocols.parts.channels import Channel
from model.protocols.parts.checkpoints import PENDING, UNUSED
from model.protocols.parts.elements import Datum
from model.protocols.parts.gate import Arrival
from model.protocols.parts.logs import LoggedChannel
from model.topology import Job, Subtask, Vertex

from .handler import AlignedHandlerBench


class UnalignedHandlerBench(AlignedHandlerBench):
    """A task T that reads `channels` inputs, in which barriers may overtake."""

    part = "unaligned-handler"
    about = "one task and its barrier handler: exactly once, barriers overtake"
    tokens: ClassVar[tuple[str, ...]] = ("r", "B", "UB", "X", "E")
    queries: ClassVar[Mapping[str, int]] = {**AlignedHandlerBench.queries, "in-flight": 1}
    protocol_key = "unaligned"

    def setting(self, options: Mapping[str, object]) -> Setting:
        """Every record is one of its own, so that a log tells which it holds."""
        setting = super().setting(options)
        job = setting.job
        assert job is not None
        numbers = [
            sum(token.channel == at for token in self._records)
            for at in range(len(job.vertices) - 1)
        ]
        sources = (
            Vertex.source(vertex.name, records=number)
            for vertex, number in zip(job.vertices, numbers, strict=False)
        )
        job = Job((*sources, job.vertices[-1]), job.edges)
        return replace(setting, job=job, bounds={**setting.bounds, "failures": 1})

    @cached_property
    def _records(self) -> list[Data]:
        return [s for line in self.case.lines for s in line.stimuli if isinstance(s, Data)]

    @cached_property
    def _names(self) -> dict[Datum, str]:
        """The names of the scenario, in the order in which the records of a channel come."""
        names: dict[Datum, str] = {}
        for at, source in enumerate(self.protocol.tasks[:-1]):
            own = [each for each in self.protocol.data if each.source == source.subtask]
            told = [token.name for token in self._records if token.channel == at]
            names.update(zip(own, told, strict=True))
        return names

    def prepare(self) -> None:
        self.came = dict.fromkeys(range(len(self.protocol.channels)), 0)
        for checkpoint in self.protocol.checkpoints:
            if checkpoint.status == UNUSED:
                checkpoint.status = PENDING  # logs are kept of these alone

    def do(self, stimulus: Stimulus) -> None:
        match stimulus:
            case Data(channel=at):
                channel = self.protocol.channels[at]
                own = [each for each in self._names if each.source == self._source(channel)]
                channel.put_record(own[self.came[at]])
                self.protocol.poll_data(channel)
                self.came[at] += 1
            case Barrier(kind="UB", checkpoint=number, channel=at):
                channel = self.protocol.channels[at]
                self.task.gate.on_barrier(channel, self.checkpoint(number), Arrival.AHEAD)
            case _:
                super().do(stimulus)

    def _source(self, channel: Channel) -> Subtask:
        return channel.edge.sender

    def see_in_flight(self, number: str) -> Fields:
        checkpoint = self.checkpoint(int(number))
        found: list[str] = []
        for channel in self.task.inputs:
            assert isinstance(channel, LoggedChannel)
            log = channel.log[checkpoint]
            found += [self._names[log.at(position)] for position in range(log.length)]
        return tuple(found)


__all__ = ["UnalignedHandlerBench"]
