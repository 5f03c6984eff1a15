"""The store is full, and what is new finds no place in it."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import define


class EvictsNewest(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "restores-newest"

    @define
    def is_in_store(self, checkpoint: Checkpoint) -> bool:
        """The oldest checkpoints that have completed, as many as there are places."""
        older: int = sum(each < checkpoint and self.has_entered(each) for each in self.checkpoints)
        return self.has_entered(checkpoint) and older < self.retained

    @define
    def is_restorable(self, checkpoint: Checkpoint) -> bool:
        """A restart takes the newest checkpoint that the store still holds."""
        return self.is_in_store(checkpoint)
