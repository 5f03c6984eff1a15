"""A task at least once takes its part of a checkpoint at the first barrier, and logs nothing."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.at_least_once import AtLeastOnce
from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.tracking_gate import TrackingGate
from finale.model.protocols.job.elements import CheckpointId
from finale.model.rules import define


class HastyGate(TrackingGate):
    """A gate that waits for one barrier."""

    @define
    def is_complete(self, checkpoint: CheckpointId) -> bool:
        """Whether some barrier has come."""
        return not self.counted[checkpoint].is_empty


class TakesAtFirstBarrier(AtLeastOnce):
    """AtLeastOnce with one mistake."""

    must_fall: ClassVar[str] = "cut-is-a-prefix"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return HastyGate
