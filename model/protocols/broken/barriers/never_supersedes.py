"""A barrier of a newer checkpoint waits until the alignment under way is complete.

So it was in Flink 0.9 (FLINK-2519): the barrier that this one waits for may never have been sent.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.legacy_finish import LegacyFinish
from finale.model.rules import step


class PatientGate(AlignedGate):
    """A gate that completes what it has begun."""

    @step
    def on_barrier(self, channel: Channel, checkpoint: CheckpointId, how: Arrival) -> None:
        """AL-1, but an alignment under way comes first."""
        if self.aligning and self.task.newest < checkpoint:
            channel.blocked = True
        else:
            super().on_barrier(channel, checkpoint, how)


class NeverSupersedes(LegacyFinish):
    """LegacyFinish with one mistake."""

    must_fall: ClassVar[str] = "alignment-can-end"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return PatientGate
