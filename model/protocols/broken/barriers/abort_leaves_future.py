"""An abort leaves behind what a sender waits for: the fate of its queued barrier.

So it was in Flink before 1.16 (FLINK-27251): the next checkpoint finds it open, and fails.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.aligned_with_timeout import AlignedWithTimeout
from finale.model.protocols.barriers.logs import TimedChannel
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Barrier, CancelBarrier, CheckpointId
from finale.model.protocols.task.tasks import Task
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
    """AlignedWithTimeout with one mistake."""

    must_fall: ClassVar[str] = "checkpoints-go-on"

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
            self.declined(checkpoint)
            task.broadcast(CancelBarrier(checkpoint))
        else:
            super().perform(task, checkpoint)
