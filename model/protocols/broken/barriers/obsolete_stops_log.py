"""A barrier of an earlier checkpoint is taken for that of the one whose records are being logged.

So it was in Flink 1.11 (FLINK-20654): the channel's log ends too early.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.barriers.logs import LoggedChannel
from finale.model.protocols.barriers.overtaking_gate import OvertakingGate
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId, Datum
from finale.model.protocols.task.tasks import Task
from finale.model.protocols.unaligned import Unaligned
from finale.model.rules import Bool, field, step


class DeafChannel(LoggedChannel):
    """A channel that can stop logging."""

    deaf = field(Bool, False)
    """Some barrier was seen since the log began."""

    @step
    def reset(self) -> None:
        """A new attempt: the channel is empty and open."""
        super().reset()
        self.deaf = False


class ForgetfulGate(OvertakingGate):
    """A gate that does not look at the id of a barrier it does not wait for."""

    @step
    def on_barrier(self, channel: Channel, checkpoint: CheckpointId, how: Arrival) -> None:
        """UN-3, UN-4, and an obsolete barrier ends the log of its channel."""
        assert isinstance(channel, DeafChannel)
        if self.started and self.is_past(checkpoint):
            channel.deaf = True
        super().on_barrier(channel, checkpoint, how)

    @step
    def resume(self) -> None:
        """AT-7: the checkpoint is over here; the next one begins."""
        super().resume()
        for channel in self.task.inputs:
            assert isinstance(channel, DeafChannel)
            channel.deaf = False


class ObsoleteStopsLog(Unaligned):
    """Unaligned with one mistake."""

    must_fall: ClassVar[str] = "consistent-cut"

    @property
    def channel_class(self) -> type[Channel]:
        return DeafChannel

    @property
    def gate_class(self) -> type[AlignedGate]:
        return ForgetfulGate

    @step
    def log_record(self, task: Task, channel: LoggedChannel, record: Datum) -> None:
        """UN-2, where no barrier at all was seen on the channel."""
        assert isinstance(channel, DeafChannel)
        if not channel.deaf:
            super().log_record(task, channel, record)
