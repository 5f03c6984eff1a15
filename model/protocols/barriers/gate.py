"""The aligned gate of a task: the task takes its part when all barriers of a checkpoint are there.

Models 1.4 (exactly-once handler, aligned), AL-1 … AL-4 and PL-7 of the fact sheet. Each task has
one gate, which acts on its task and on the coordinator through its ports.
"""

from __future__ import annotations

import typing

from finale.model.protocols.barriers.handler import Arrival, BarrierHandler
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Nothing, assumed, define, each, step


class GatePorts(typing.Protocol):
    """What a gate asks of its surroundings; a scenario binds it to a recorder."""

    @property
    def aborts_on_end(self) -> bool:
        """Whether an EndOfPartition aborts the alignment under way (AL-2 with the flag off)."""
        ...

    def perform(self, task: Task, checkpoint: CheckpointId) -> None:
        """The task takes its part of a checkpoint."""

    def give_up_alignment(self, task: Task, checkpoint: CheckpointId) -> None:
        """The task aborts the alignment of a checkpoint (AL-4)."""


class AlignedGate(BarrierHandler):
    """Blocks each input at its barrier until all have come."""

    def __init__(self, task: Task, ports: GatePorts) -> None:
        super().__init__(f"{task.name}.gate")
        self.task = task
        self.ports = ports

    @step
    def on_barrier(self, channel: Channel, checkpoint: CheckpointId, how: Arrival) -> None:
        """AL-1: a barrier on a channel; one that comes by call does not block."""
        if self.is_past(checkpoint):
            return
        self.open(checkpoint)
        channel.aligned = True
        if how == Arrival.IN_ORDER:
            self.block(channel)
        self.complete_if_aligned()

    @assumed("PipelinedSubpartition.pollBuffer")
    @step
    def block(self, channel: Channel) -> None:
        """AL-1: a channel is not read until its barrier is aligned."""
        channel.blocked = True

    @assumed("SingleCheckpointBarrierHandler.processBarrier", without=False)
    @define
    def is_past(self, checkpoint: CheckpointId) -> bool:
        """AL-1: whether the checkpoint was taken or given up here, or a newer one begun."""
        newest = self.task.newest
        if newest == Nothing:
            return False
        return newest > checkpoint or (newest == checkpoint and not self.aligning)

    @step
    def open(self, checkpoint: CheckpointId) -> None:
        """AL-1: a checkpoint that is new here begins; one under way is given up for it."""
        task = self.task
        if task.newest == Nothing or task.newest < checkpoint:
            if self.aligning:
                self.ports.give_up_alignment(task, task.newest)
            self._begin(checkpoint)

    @step
    def _begin(self, checkpoint: CheckpointId) -> None:
        self.task.newest = checkpoint
        self.aligning = True
        for channel in self.task.inputs:
            channel.aligned = channel.ended

    @step
    def complete_if_aligned(self) -> None:
        """AL-1: with the last barrier the inputs are read again, and the task takes its part."""
        if self.is_aligned():
            checkpoint = self.task.newest
            self.end_alignment()
            self.ports.perform(self.task, checkpoint)

    @assumed("SingleCheckpointBarrierHandler.processBarrier")
    @define
    def is_aligned(self) -> bool:
        """AL-1: whether all barriers are there."""
        return all(channel.aligned for channel in self.task.inputs)

    @step
    def end_alignment(self) -> None:
        """The alignment ends: all inputs are read again."""
        self.aligning = False
        for channel in self.task.inputs:
            channel.aligned = False
            channel.blocked = False

    @step
    def on_end_of_partition(self, channel: Channel) -> None:
        """AL-2: a channel has ended; it counts as aligned, or ends the alignment (flag off)."""
        channel.ended = True
        channel.blocked = False
        if self.aligning:
            if self.ports.aborts_on_end:
                self.ports.give_up_alignment(self.task, self.task.newest)
            else:
                self.align_ended(channel)

    @assumed("SingleCheckpointBarrierHandler.processEndOfPartition")
    @step
    def align_ended(self, channel: Channel) -> None:
        """AL-2: the end of a channel counts as its barrier."""
        channel.aligned = True
        self.complete_if_aligned()

    @assumed("SingleCheckpointBarrierHandler.processCancellationBarrier")
    @step
    def on_cancel_barrier(self, checkpoint: CheckpointId) -> None:
        """AL-3: the producer gives a checkpoint up that this task has not taken."""
        if not self.is_past(checkpoint):
            self.ports.give_up_alignment(self.task, checkpoint)

    @assumed("SubtaskCheckpointCoordinatorImpl.notifyCheckpointAborted")
    @step
    def on_abort(self, checkpoint: CheckpointId) -> None:
        """AB-3: the coordinator gives a checkpoint up; one not taken yet is remembered for it."""
        if not self.is_past(checkpoint):
            self.task.aborted.add(checkpoint)

    @step
    def on_trigger(self, checkpoint: CheckpointId) -> None:
        """PL-7: a trigger by RPC: at a source, or with all inputs ended, the checkpoint at once."""
        task = self.task
        if self.is_past(checkpoint):
            return
        if task.inputs_ended:
            task.newest = checkpoint
            self.ports.perform(task, checkpoint)
        else:
            each(task.inputs, lambda channel: self._virtual_barrier(channel, checkpoint))

    @step
    def _virtual_barrier(self, channel: Channel, checkpoint: CheckpointId) -> None:
        if not channel.ended:
            self.on_barrier(channel, checkpoint, Arrival.BY_CALL)

    @define
    def awaits_barriers_of(self, checkpoint: CheckpointId) -> bool:
        """Whether the gate still waits for barriers of a checkpoint."""
        return self.aligning and self.task.newest == checkpoint

    @step
    def forget(self) -> None:
        """The attempt ends."""
        self.aligning = False
