"""The gate of a task whose barriers may overtake: it takes its part first, and then logs.

Models UN-3 … UN-8, AT-2 … AT-5, AT-7 and the four states of the handler (2.i of the fact sheet). A
state of the handler is read off three facts: a checkpoint is open here (`aligning`), the task has
taken its part of it and logs (`started`), its barriers no longer wait their turn (`hurrying`).

| state of the handler      | open | hurrying | started | a barrier was processed |
|---------------------------|------|----------|---------|-------------------------|
| waiting for the first     | any  | no       | no      | no                      |
| collecting                | yes  | no       | no      | yes                     |
| waiting for the first, UC | yes  | yes      | no      | no                      |
| collecting, UC            | yes  | any      | yes     | yes                     |
"""

from __future__ import annotations

import typing

from finale.model.protocols.barriers.gate import AlignedGate, GatePorts
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Bool, Nothing, assumed, define, field, step


class OvertakingPorts(GatePorts, typing.Protocol):
    """What such a gate asks of its surroundings beyond what every gate does."""

    times_out: bool
    """Whether barriers are aligned at first, and overtake after a time (AT)."""

    def overtakes(self, channel: Channel, checkpoint: CheckpointId) -> bool:
        """Whether the sender has let the barrier of a checkpoint overtake on a channel."""
        ...

    def log_overtaken(self, channel: Channel, checkpoint: CheckpointId) -> None:
        """What a barrier has overtaken becomes part of its checkpoint."""

    def acknowledge(self, task: Task, checkpoint: CheckpointId) -> None:
        """The task's part is complete, logs included."""


class OvertakingGate(AlignedGate):
    """Takes the task's part at the first barrier that overtakes, or aligned at the last one."""

    started = field(Bool, False)
    """The task's part is taken, and what comes before the other barriers is logged."""
    hurrying = field(Bool, False, ghost="timeouts")
    """AT-4: the barriers of the open checkpoint are taken out of turn."""

    ports: OvertakingPorts

    @step
    def on_barrier(self, channel: Channel, checkpoint: CheckpointId, how: Arrival) -> None:
        """UN-3, UN-4, AT-3, AT-5: a barrier that overtakes takes the task's part at once; another
        one is aligned. UN-8: a newer one ends what is open."""
        if self.is_past(checkpoint):
            return
        self.open(checkpoint)
        channel.aligned = True
        if how == Arrival.AHEAD or self.ports.overtakes(channel, checkpoint):
            self.hurry()
            self.start()
        else:
            if how == Arrival.IN_ORDER:
                self.block(channel)
            self._start_if_hurrying()
        if self.started:
            self.ports.log_overtaken(channel, checkpoint)
        self.complete_if_aligned()

    @step
    def _begin(self, checkpoint: CheckpointId) -> None:
        super()._begin(checkpoint)
        if self.ports.times_out:
            for channel in self.task.inputs:
                channel.aligned = False  # an ended channel counts by its end: see `is_aligned`

    @assumed("AlternatingCollectingBarriersUnaligned.barrierReceived")
    @define
    def is_aligned(self) -> bool:
        """UN-4, AT-2: whether each input has brought its barrier or has ended."""
        return all(channel.aligned or channel.ended for channel in self.task.inputs)

    @step
    def on_cancel_barrier(self, checkpoint: CheckpointId) -> None:
        """AL-3: a checkpoint that was only announced here is not aborted by a cancellation."""
        announced = self.awaits_barriers_of(checkpoint) and not self.has_counted
        if not announced:
            super().on_cancel_barrier(checkpoint)

    @property
    @define
    def has_counted(self) -> bool:
        """Whether an input has brought its barrier, or has ended, since the checkpoint opened."""
        return any(channel.aligned for channel in self.task.inputs)

    @step
    def start(self) -> None:
        """UN-3: the task takes its part, and from here on logs; nothing is blocked by it."""
        if not self.started:
            self.started = True
            self.ports.perform(self.task, self.task.newest)

    @step
    def hurry(self) -> None:
        """AT-4, AT-5: no barrier of the open checkpoint waits its turn any more."""
        if self.ports.times_out:
            self.hurrying = True

    @step
    def _start_if_hurrying(self) -> None:
        if self.ports.times_out and self.hurrying:
            self.start()

    @step
    def complete_if_aligned(self) -> None:
        """UN-4, AT-3, AT-7: with the last barrier or end all inputs are read again, the part is
        taken if it was not, and is complete with its logs."""
        if self.is_aligned():
            checkpoint = self.task.newest
            taken = self.started
            self.end_alignment()
            if not taken:
                self.ports.perform(self.task, checkpoint)
            self.ports.acknowledge(self.task, checkpoint)

    @step
    def end_alignment(self) -> None:
        """AT-7: the checkpoint is over here; the next one begins aligned."""
        super().end_alignment()
        self._reset()

    @step
    def _reset(self) -> None:
        self.started = False
        if self.ports.times_out:
            self.hurrying = False

    @step
    def on_announcement(self, checkpoint: CheckpointId) -> None:
        """AT-2: a barrier has arrived somewhere behind other elements: its checkpoint opens."""
        self.open(checkpoint)

    @step
    def on_time_out(self) -> None:
        """AT-4: the time of the open checkpoint is over: with a barrier processed the task takes
        its part now, else at the first one."""
        self.hurry()
        if self.has_barrier:
            self.start()

    @property
    @define
    def has_barrier(self) -> bool:
        """Whether a barrier of the open checkpoint was processed: an end alone is none."""
        return any(channel.aligned and not channel.ended for channel in self.task.inputs)

    @property
    @define
    def may_time_out(self) -> bool:
        """Whether a checkpoint is open here and still aligned."""
        return self.aligning and not self.started and not self.hurrying

    @step
    def on_abort(self, checkpoint: CheckpointId) -> None:
        """AB-3: an abort of what was taken changes nothing here: barriers still come."""
        if not self.is_past(checkpoint) and not self.has_taken(checkpoint):
            self.task.aborted.add(checkpoint)

    @define
    def has_taken(self, checkpoint: CheckpointId) -> bool:
        """Whether the task has taken its part of an open checkpoint, and logs."""
        return self.started and self.task.newest == checkpoint

    @step
    def on_trigger(self, checkpoint: CheckpointId) -> None:
        """UN-5, PL-7: a trigger at a source, or with all inputs ended, is complete at once; else
        it is a barrier on each open input."""
        at_once = self.task.inputs_ended and not self.is_past(checkpoint)
        super().on_trigger(checkpoint)
        if at_once:
            self.ports.acknowledge(self.task, checkpoint)

    @define
    def awaits(self, channel: Channel, checkpoint: CheckpointId) -> bool:
        """Whether the barrier of a checkpoint on a channel would still count."""
        if self.is_past(checkpoint):
            return False
        newest = self.task.newest
        return newest == Nothing or newest < checkpoint or not channel.aligned

    @step
    def forget(self) -> None:
        """The attempt ends."""
        super().forget()
        self._reset()
