"""The end of an input drops what is logged there, as if no barrier meant that nothing is kept."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.logs import LoggedChannel
from finale.model.protocols.barriers.overtaking_gate import OvertakingGate
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.unaligned import Unaligned
from finale.model.rules import step


class DroppingGate(OvertakingGate):
    """A gate that keeps the log of an input only until the input ends."""

    @step
    def align_ended(self, channel: Channel) -> None:
        """AL-2, and UN-7 where nothing is aborted."""
        assert isinstance(channel, LoggedChannel)
        if self.started:
            channel.logged[self.task.newest] = 0
            channel.drop_log(self.task.newest)
        super().align_ended(channel)


class DropsLogOfEnded(Unaligned):
    """Unaligned with one mistake."""

    must_fall: ClassVar[str] = "acknowledged-with-channel-state"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return DroppingGate
