"""The end of a channel does not concern the alignment under way, which waits for its barrier.

So it was in Flink 0.9 (FLINK-1775).
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.legacy_finish import LegacyFinish
from finale.model.rules import step


class EndlessGate(AlignedGate):
    """A gate that counts barriers only."""

    @step
    def on_end_of_partition(self, channel: Channel) -> None:
        """AL-2 without what it says of an alignment."""
        channel.ended = True
        channel.blocked = False


class IgnoresEnds(LegacyFinish):
    """LegacyFinish with one mistake."""

    must_fall: ClassVar[str] = "alignment-can-end"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return EndlessGate
