"""FLIP-76 with a timeout: barriers are aligned first, and overtake after the timeout.

When that is, the environment says: at a reader, for the alignment that is under way, or at a
writer, for a barrier that is still queued.
"""

from __future__ import annotations

from typing import cast

from finale.reference.channel import Barrier, Channel
from finale.reference.overtaking import LoggedChannel
from finale.reference.protocols.unaligned import Unaligned
from finale.reference.steps import Guarded, action
from finale.reference.task import Task


class TimedChannel(LoggedChannel):
    """A channel whose writer may let a barrier overtake that it has queued."""

    def reset(self) -> None:
        super().reset()
        self.hurried: int | None = None
        """The newest barrier whose time is over at the writer; so is that of older ones."""


class AlignedWithTimeout(Unaligned):
    """A job whose checkpoints have what is in flight if they take too long."""

    key = "aligned-with-timeout"
    channel_class = TimedChannel

    def overtakes(self, checkpoint: int, channel: Channel) -> bool:
        hurried = cast(TimedChannel, channel).hurried
        over = hurried is not None and checkpoint <= hurried
        return over and self.may_overtake(checkpoint, channel)

    def is_ahead(self, task: Task, channel: LoggedChannel, checkpoint: int) -> bool:
        """Or the reader itself does not wait any more."""
        gate = self.gate_of(task)
        hurries = gate.hurrying and gate.newest == checkpoint and channel.holds(checkpoint)
        called = hurries and gate.awaits(channel, checkpoint)
        return called or super().is_ahead(task, channel, checkpoint)

    @action("channel", "checkpoint")
    def notice_announcement(self, channel: LoggedChannel, checkpoint: int) -> Guarded:
        """An announced barrier begins its checkpoint before the barrier's turn."""
        task = self.tasks[channel.reader]
        new = channel.holds(checkpoint) and self.may_overtake(checkpoint, channel)
        yield task.lives and new and task.gate.is_new(checkpoint)
        self.gate_of(task).announced(checkpoint)

    @action("task")
    def time_out(self, task: Task) -> Guarded:
        """The time of an alignment is over."""
        gate = self.gate_of(task)
        newest = gate.newest if task.lives and gate.is_aligning else None
        yield newest is not None and any(self.may_overtake(newest, c) for c in task.inputs)
        gate.hurry()

    @action("channel", "checkpoint")
    def time_out_output(self, channel: TimedChannel, checkpoint: int) -> Guarded:
        """The time of a barrier that its writer has queued is over."""
        waits = channel.holds(checkpoint) and self.may_overtake(checkpoint, channel)
        new = channel.hurried is None or channel.hurried < checkpoint
        yield self.options.output_timeout and waits and new
        channel.hurried = checkpoint

    @action("channel")
    def poll_barrier(self, channel: Channel) -> Guarded:
        """With a barrier its time has gone from the writer."""
        barrier = channel.head
        yield from super().poll_barrier(channel)
        timed = cast(TimedChannel, channel)
        if isinstance(barrier, Barrier) and timed.hurried == barrier.checkpoint:
            timed.hurried = None
