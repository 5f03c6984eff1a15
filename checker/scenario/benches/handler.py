"""Bench of the handler that aligns barriers, for one task with any number of inputs.

A sequence of tokens is the order in which the handler is told: each calls its method, also for a
channel that is blocked, as tests of a handler by itself do. A record is polled by the task, so a
blocked channel refuses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from finale.checker.scenario.bench import Fields, ProtocolBench, number_in
from finale.checker.scenario.reading import Header
from finale.checker.scenario.stimuli import (
    CHANNELS_MAX,
    Announcement,
    BarrierArrives,
    Cancel,
    ChannelEnds,
    Command,
    EndOfDataArrives,
    RecordArrives,
    Stimulus,
    Time,
)
from finale.model.language.protocol import Setting
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Nothing
from finale.model.topology import Edge, Job, Vertex


class RecordingHandler(FinalCheckpoint):
    """The protocol, telling what the handler asks of its task."""

    bench: Any

    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """Tell it, and take it."""
        self.bench.record("taken", self.bench.number(checkpoint))
        super().snapshot_taken(task, checkpoint)

    def give_up_alignment(self, task: Task, checkpoint: CheckpointId) -> None:
        """Tell it, and give it up."""
        self.bench.record("aborted", self.bench.number(checkpoint))
        super().give_up_alignment(task, checkpoint)


class AlignedHandlerBench(ProtocolBench[FinalCheckpoint]):
    """A task T that reads `channels` inputs, exactly once, with aligned barriers."""

    part = "aligned-handler"
    about = "one task and its barrier handler: exactly once, aligned"
    keys: ClassVar[tuple[str, ...]] = ("channels",)
    tokens: ClassVar[tuple[str, ...]] = ("r", "B", "X", "E")
    events = ("taken", "aborted")
    queries: ClassVar[Mapping[str, str]] = {"blocked": "", "latest": "", "pending": "", "open": ""}
    protocol_key = "final-checkpoint"
    recording: ClassVar[type[Any]] = RecordingHandler

    @classmethod
    def channels_of(cls, header: Header) -> int:
        return number_in(header, "channels", 1, CHANNELS_MAX)

    def setting(self, options: Mapping[str, object]) -> Setting:
        count = self.channels_of(self.case.header)
        sources = [Vertex.source(f"S{n}", records=1) for n in range(count)]
        edges = tuple(Edge(source.name, "T") for source in sources)
        job = Job((*sources, Vertex("T")), edges)
        bounds = {"checkpoints": len(self.numbers), "channel": 2}
        return Setting(job=job, options=options, bounds=bounds)

    @property
    def task(self) -> Task:
        """The task under test."""
        return self.protocol.tasks[-1]

    def do(self, stimulus: Stimulus) -> None:
        assert not isinstance(stimulus, Announcement | Command | EndOfDataArrives | Time)
        channel = self.protocol.channels[stimulus.channel]
        match stimulus:
            case RecordArrives():
                channel.put_record(self.protocol.data[stimulus.channel])
                self.protocol.poll_data(channel)
            case BarrierArrives():
                checkpoint = self.checkpoint(stimulus.checkpoint)
                self.task.gate.on_barrier(channel, checkpoint, Arrival.IN_ORDER)
            case Cancel():
                self.task.gate.on_cancel_barrier(self.checkpoint(stimulus.checkpoint))
            case ChannelEnds():
                self.task.gate.on_end_of_partition(channel)

    def checkpoint(self, number: int) -> Checkpoint:
        """The checkpoint that an id of the scenario stands for."""
        return self.protocol.checkpoints[self.position(number)]

    def see_blocked(self) -> Fields:
        return tuple(str(n) for n, each in enumerate(self.task.inputs) if each.blocked)

    def see_latest(self) -> Fields:
        return self._id(self.task.newest)

    def see_pending(self) -> Fields:
        return self._id(self.task.newest) if self.task.gate.aligning else ()

    def see_open(self) -> Fields:
        return (str(sum(not channel.ended for channel in self.task.inputs)),)

    def _id(self, checkpoint: CheckpointId) -> Fields:
        return () if checkpoint == Nothing else (self.number(checkpoint),)
