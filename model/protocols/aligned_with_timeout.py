"""Aligned at first, and after a time unaligned: barriers that may overtake when they have waited.

Rules AT-1 … AT-7 of the fact sheet, and CL-TIMEOUT of the mail thread "Checkpointing under
backpressure"; FLINK-27251 for the sender's time. Time is a rule that may be taken at any moment
while an alignment is incomplete: whatever the age of a checkpoint is, some run has it.
Left out: that time is counted from the trigger of the checkpoint (AT-1), and that a sender waits
for the fate of its queued barrier before it acknowledges (decision 12).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from model.protocols.barriers.logs import LoggedChannel
from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.job.channels import Channel
from model.protocols.job.elements import Barrier, CheckpointId
from model.protocols.task.tasks import Task
from model.protocols.unaligned import Unaligned, UnalignedOptions
from model.rules import STRONG, WEAK, Nothing, Option, Ref, define, field, require, rule, step


class TimedChannel(LoggedChannel):
    """A channel whose sender may let barriers overtake that it has already queued."""

    hurried = field(Option(Ref(CheckpointId)), Nothing)
    """AT-6: the newest barrier whose time is over at the sender; earlier ones' time is, too."""

    @step
    def reset(self) -> None:
        """A new attempt: the channel is empty and open."""
        super().reset()
        self.hurried = Nothing

    @step
    def calm(self, checkpoint: CheckpointId) -> None:
        """A barrier has left the queue: no time runs for it any more."""
        if self.hurried == checkpoint:
            self.hurried = Nothing


@dataclass(frozen=True)
class TimeoutOptions(UnalignedOptions):
    """What `unaligned` has, and where time is taken."""

    #: AT-6: the sender, too, lets a barrier overtake that is still queued after the time
    output_timeout: bool = True


class AlignedWithTimeout(Unaligned):
    """Unaligned, where the time of an alignment must be over first."""

    key = "aligned-with-timeout"
    Options = TimeoutOptions
    parts = (*Unaligned.parts, TimedChannel)
    times_out = True

    @property
    def channel_class(self) -> type[Channel]:
        return TimedChannel

    def keeps(self) -> frozenset[str]:
        return super().keeps() | {"timeouts"}

    @staticmethod
    def timed(channel: Channel) -> TimedChannel:
        """A channel of this protocol."""
        return cast(TimedChannel, channel)

    @define
    def overtakes(self, channel: Channel, checkpoint: CheckpointId) -> bool:
        """AT-1, AT-6: a barrier overtakes once its time is over at the sender."""
        hurried = self.timed(channel).hurried
        if hurried == Nothing:
            return False
        return checkpoint <= hurried and super().overtakes(channel, checkpoint)

    @define
    def is_ahead(self, channel: LoggedChannel, checkpoint: CheckpointId) -> bool:
        """AT-4: also a barrier whose checkpoint hurries at the receiver may be read out of turn."""
        task = self.reader(channel)
        gate = self.gate_of(task)
        called = gate.hurrying and task.newest == checkpoint and self.is_unaligned(checkpoint)
        hurries = called and channel.queue.holds(Barrier(checkpoint))
        return super().is_ahead(channel, checkpoint) or (
            hurries and gate.awaits(channel, checkpoint)
        )

    @rule(fair=STRONG)
    def notice_announcement(self, channel: LoggedChannel, checkpoint: Checkpoint) -> None:
        """AT-2: that a barrier has arrived is announced ahead of what is queued before it."""
        task = self.reader(channel)
        require(self.may_overtake(channel), task.is_alive, self.is_unaligned(checkpoint))
        require(channel.queue.holds(Barrier(checkpoint)), not task.gate.is_past(checkpoint))
        require(task.newest == Nothing or task.newest < checkpoint)
        self.gate_of(task).on_announcement(checkpoint)

    @rule(fair=WEAK)
    def time_out(self, task: Task) -> None:
        """AT-4, CL-TIMEOUT: the time of an incomplete alignment is over."""
        require(task.is_alive, self.gate_of(task).may_time_out)
        require(any(self.may_overtake(channel) for channel in task.inputs))
        require(self.is_unaligned(task.newest))
        self.gate_of(task).on_time_out()

    @rule(fair=WEAK)
    def time_out_output(self, channel: TimedChannel, checkpoint: Checkpoint) -> None:
        """AT-6, CL-TIMEOUT: the time of a barrier that is still queued at its sender is over."""
        require(self.times_outputs, self.may_overtake(channel), self.is_unaligned(checkpoint))
        require(channel.queue.holds(Barrier(checkpoint)))
        require(channel.hurried == Nothing or channel.hurried < checkpoint)
        channel.hurried = checkpoint

    @property
    def times_outputs(self) -> bool:
        """Whether senders take time as well: a plain truth value."""
        return cast(TimeoutOptions, self.options).output_timeout

    @rule(fair=STRONG)
    def poll_barrier(self, channel: Channel) -> None:
        """AT-3: a barrier in its turn is aligned, and blocks its channel until the others come."""
        barrier = channel.queue.head
        super().poll_barrier(channel)
        assert isinstance(barrier, Barrier)
        self.timed(channel).calm(barrier.checkpoint)
