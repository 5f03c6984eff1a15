"""An owed expiry aborts its checkpoint without looking whether the checkpoint is decided."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import define


class ExpiresDecided(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "decided-once"

    @define
    def is_overdue(self, checkpoint: Checkpoint) -> bool:
        """AB-1 for every checkpoint whose timeout has passed."""
        return True
