"""Planted mistakes of `aligned-with-timeout`."""

from __future__ import annotations

from finale.model.protocols.aligned_with_timeout import AlignedWithTimeout
from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.logs import TimedChannel
from finale.model.protocols.barriers.overtaking_gate import OvertakingGate
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Barrier, CancelBarrier, CheckpointId
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import WEAK, Bool, define, field, rule, step


class FutureChannel(TimedChannel):
    """A channel whose sender can be left waiting."""

    orphaned = field(Bool, False)
    """A checkpoint was aborted while its barrier was queued here, and nobody tells its fate."""

    @step
    def reset(self) -> None:
        """A new attempt: nothing is waited for."""
        super().reset()
        self.orphaned = False

    @step
    def orphan(self, checkpoint: CheckpointId) -> None:
        """The checkpoint is aborted."""
        if self.queue.holds(Barrier(checkpoint)) and self.hurried != checkpoint:
            self.orphaned = True


class AbortLeavesFuture(AlignedWithTimeout):
    """An abort leaves behind what a sender waits for: the fate of its queued barrier.

    So it was in Flink before 1.16 (FLINK-27251): the next checkpoint finds it open, and fails.
    """

    variant, must_fall = "abort-leaves-future", "checkpoints-go-on"

    @property
    def channel_class(self) -> type[Channel]:
        return FutureChannel

    @define
    def is_orphaned(self, channel: Channel) -> bool:
        """Whether the sender of a channel waits for what nobody tells."""
        assert isinstance(channel, FutureChannel)
        return channel.orphaned

    @rule(fair=WEAK)
    def deliver_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-3, AT-6: an abort arrives, and leaves open what its barriers were waited for."""
        super().deliver_abort(task, checkpoint)
        for channel in task.outputs:
            assert isinstance(channel, FutureChannel)
            channel.orphan(checkpoint)

    @step
    def perform(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-5, unless an earlier checkpoint is found open."""
        if any(self.is_orphaned(channel) for channel in task.outputs):
            self.decline(checkpoint)
            task.broadcast_event(CancelBarrier(checkpoint))
        else:
            super().perform(task, checkpoint)


class StartlessGate(OvertakingGate):
    """A gate that notes the start of an alignment at its first barrier only."""

    startless = field(Bool, False)
    """The end of a channel was the first to align the open checkpoint."""

    @step
    def on_end_of_partition(self, channel: Channel) -> None:
        """AL-2, UN-5, and the start goes unnoted if no barrier has come."""
        if self.aligning and not self.has_barrier:
            self.startless = True
        super().on_end_of_partition(channel)

    @step
    def complete_if_aligned(self) -> None:
        """UN-4, AT-3, unless no start was noted."""
        if self.startless and self.is_aligned():
            self.end_alignment()
            self.task.status = TaskStatus.RESTORING
        else:
            super().complete_if_aligned()

    @step
    def end_alignment(self) -> None:
        """AT-7: the checkpoint is over here."""
        super().end_alignment()
        self.startless = False


class LosesAlignmentStart(AlignedWithTimeout):
    """The end of a channel is the first to align an announced checkpoint, and no start is noted.

    So it was in Flink before 1.14 (FLINK-24068): at its completion the alignment that never began
    fails the task.
    """

    variant, must_fall = "loses-alignment-start", "legal-never-fails"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return StartlessGate
