"""A checkpoint that was given up waits for nobody any more: it is taken for complete."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import ABORTED, Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import WEAK, rule


class CompletesGivenUp(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "decided-once"

    @rule(fair=WEAK)
    def complete(self, checkpoint: Checkpoint) -> None:
        """CN-1, and what nobody is awaited for is stored, whatever became of it."""
        if checkpoint.status == ABORTED:
            self.store(checkpoint)
        else:
            super().complete(checkpoint)
