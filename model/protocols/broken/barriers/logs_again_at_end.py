"""The end of an input writes the only record of its log once more."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.logs import LoggedChannel
from finale.model.protocols.barriers.overtaking_gate import OvertakingGate
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.unaligned import Unaligned
from finale.model.rules import step


class RepeatingGate(OvertakingGate):
    """A gate that repeats a log of one record at the end of the input."""

    @step
    def align_ended(self, channel: Channel) -> None:
        """AL-2, and UN-2 a second time."""
        assert isinstance(channel, LoggedChannel)
        if self.started and channel.logged[self.task.newest] == 1:
            channel.logged[self.task.newest] += 1
            if channel.keeps_log:
                channel.log[self.task.newest].put(channel.log[self.task.newest].head)
        super().align_ended(channel)


class LogsAgainAtEnd(Unaligned):
    """Unaligned with one mistake."""

    must_fall: ClassVar[str] = "acknowledged-with-channel-state"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return RepeatingGate
