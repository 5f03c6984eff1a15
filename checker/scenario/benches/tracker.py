"""The handler that counts barriers, at least once: it blocks nothing, and several may be open."""

from __future__ import annotations

from typing import Any, ClassVar

from checker.scenario.bench import Fields
from model.protocols.at_least_once import AtLeastOnce
from model.protocols.parts.elements import CheckpointId
from model.protocols.parts.tasks import Task

from .handler import AlignedHandlerBench


class RecordingTracker(AtLeastOnce):
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


class TrackerBench(AlignedHandlerBench):
    """A task T that reads `channels` inputs, at least once."""

    part = "tracker"
    about = "one task and its barrier handler: at least once, barriers are counted"
    protocol_key = "at-least-once"
    recording: ClassVar[type[Any]] = RecordingTracker

    def see_pending(self) -> Fields:
        gate = self.task.gate
        return tuple(
            self.number(each) for each in self.protocol.checkpoints if gate.refers_to(each)
        )


__all__ = ["TrackerBench"]
