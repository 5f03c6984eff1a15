"""The timer of a checkpoint is not cancelled when it has completed, and aborts it."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import define


class ExpiresLate(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "decided-once"

    @define
    def is_timed(self, checkpoint: Checkpoint) -> bool:
        """AB-1 for a checkpoint that is pending, or was."""
        return checkpoint.is_pending or checkpoint.is_completed
