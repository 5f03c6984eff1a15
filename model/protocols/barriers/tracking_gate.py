"""The gate of a task at least once: it counts barriers of several checkpoints and blocks nothing.

Models rule TR of the fact sheet. What comes behind a barrier on one input, before the others have
theirs, is part of the snapshot: after a restart it is processed again.
"""

from __future__ import annotations

import typing
from collections.abc import Sequence

from finale.model.protocols.barriers.gate import AlignedGate, GatePorts
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId
from finale.model.rules import EMPTY, PerEntity, Ref, Set, assumed, count, define, field, step


class TrackingPorts(GatePorts, typing.Protocol):
    """What such a gate asks of its surroundings beyond what every gate does."""

    checkpoints: Sequence[CheckpointId]


class TrackingGate(AlignedGate):
    """Takes the newest checkpoint whose barriers are all there, and forgets older ones.

    `aligning` is never so: several checkpoints can be open, and none holds the inputs.
    """

    counted = field(PerEntity(CheckpointId, Set(Ref(Channel))), EMPTY)
    """The channels whose barrier of a checkpoint has come, or that ended while it was open."""

    ports: TrackingPorts

    @step
    def on_barrier(self, channel: Channel, checkpoint: CheckpointId, how: Arrival) -> None:
        """TR: a barrier is counted; with the last one the checkpoint is taken."""
        if self.may_count(checkpoint):
            self.counted[checkpoint].add(channel)
            self._perform_if_complete(checkpoint)

    @define
    def may_count(self, checkpoint: CheckpointId) -> bool:
        """TR: whether a checkpoint is open, or newer than all that were open, taken or aborted."""
        is_open = self.awaits_barriers_of(checkpoint)
        return is_open or not (self.is_past(checkpoint) or self.has_newer(checkpoint))

    @define
    def has_newer(self, checkpoint: CheckpointId) -> bool:
        """Whether a newer checkpoint is open."""
        return any(
            checkpoint < each and self.awaits_barriers_of(each) for each in self.ports.checkpoints
        )

    @step
    def on_cancel_barrier(self, checkpoint: CheckpointId) -> None:
        """TR, AL-3: each older checkpoint that is open is aborted first; with a single open input
        a checkpoint that is new here is the only one that is aborted."""
        if self.is_past(checkpoint):
            return
        if self.has_several_inputs() or not self._is_new(checkpoint):
            for older in self.ports.checkpoints:
                self._give_up_if_older(older, checkpoint)
        if self.may_count(checkpoint):
            self.ports.give_up_alignment(self.task, checkpoint)

    @define
    def has_several_inputs(self) -> bool:
        """Whether more than one input is open."""
        return count(self.task.inputs, lambda channel: not channel.ended) > 1

    @define
    def _is_new(self, checkpoint: CheckpointId) -> bool:
        return not (self.awaits_barriers_of(checkpoint) or self.has_newer(checkpoint))

    @step
    def _give_up_if_older(self, older: CheckpointId, checkpoint: CheckpointId) -> None:
        if older < checkpoint:
            self._give_up_if_open(older)

    @assumed("CheckpointBarrierTracker.processBarrier")
    @define
    def is_complete(self, checkpoint: CheckpointId) -> bool:
        """TR: whether a checkpoint is open and no open channel still owes its barrier."""
        counted = self.counted[checkpoint]
        return not counted.is_empty and all(
            channel.ended or counted.has(channel) for channel in self.task.inputs
        )

    @step
    def _perform_if_complete(self, checkpoint: CheckpointId) -> None:
        if not self.is_past(checkpoint) and self.is_complete(checkpoint):
            self.task.newest = checkpoint
            self.end_alignment()
            self.ports.perform(self.task, checkpoint)

    @step
    def end_alignment(self) -> None:
        """Checkpoints up to the newest one taken or given up are forgotten."""
        for checkpoint in self.ports.checkpoints:
            self._forget_if_past(checkpoint)

    @step
    def _forget_if_past(self, checkpoint: CheckpointId) -> None:
        if self.is_past(checkpoint):
            self.counted[checkpoint].clear()

    @step
    def on_end_of_partition(self, channel: Channel) -> None:
        """TR, AL-2: an end counts for each checkpoint that is open, and the newest one that is
        complete with it is taken; with the flag off all are given up."""
        channel.ended = True
        if self.ports.aborts_on_end:
            for checkpoint in self.ports.checkpoints:
                self._give_up_if_open(checkpoint)
        else:
            for checkpoint in reversed(self.ports.checkpoints):
                self._perform_if_complete(checkpoint)

    @step
    def _give_up_if_open(self, checkpoint: CheckpointId) -> None:
        if not self.counted[checkpoint].is_empty:
            self.ports.give_up_alignment(self.task, checkpoint)

    @define
    def awaits_barriers_of(self, checkpoint: CheckpointId) -> bool:
        """Whether the gate still waits for barriers of a checkpoint."""
        return not self.counted[checkpoint].is_empty

    @step
    def forget(self) -> None:
        """The attempt ends."""
        super().forget()
        for checkpoint in self.ports.checkpoints:
            self.counted[checkpoint].clear()
