"""A failure does not lose the confirmations on their way: a new attempt acts on them."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import Nothing, step


class KeepsConfirmations(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "confirms-what-was-taken"

    @step
    def _lose(self, checkpoint: Checkpoint) -> None:
        """RC-1, without what fences a confirmation by the attempt that it is sent to."""
        if checkpoint.is_pending:
            self.abort(checkpoint)
        checkpoint.triggers.clear()
        checkpoint.aborts.clear()
        checkpoint.latest = Nothing
