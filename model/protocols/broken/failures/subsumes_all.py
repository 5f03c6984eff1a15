"""A completed checkpoint aborts all others that are pending, newer ones, too."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import step


class SubsumesAll(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "only-older-are-subsumed"

    @step
    def subsume(self, older: Checkpoint, newer: Checkpoint) -> None:
        """CN-1 without a look at the ids."""
        super().subsume(older, newer)
        if older.is_pending:
            self.abort(older)
