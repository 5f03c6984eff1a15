"""Savepoints take places in the store, though it does not hold them."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import define


class CountsSavepoints(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "nobody-starts-over"

    @define
    def is_in_store(self, checkpoint: Checkpoint) -> bool:
        """The newest that have completed, less the savepoints among them."""
        newer: int = sum(checkpoint < each and each.is_completed for each in self.checkpoints)
        return self.has_entered(checkpoint) and newer < self.retained

    @define
    def is_restorable(self, checkpoint: Checkpoint) -> bool:
        """A restart takes the newest checkpoint that the store still holds."""
        return self.is_in_store(checkpoint)
