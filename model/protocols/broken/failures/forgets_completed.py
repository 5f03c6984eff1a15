"""A new coordinator does not know the completed checkpoints of the one that crashed."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.rules import Nothing, define


class ForgetsCompleted(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "nobody-starts-over"

    @define
    def restore_point(self) -> CheckpointId:
        """Nothing, once the coordinator has crashed."""
        return Nothing if self.crashes > 0 else super().restore_point()
