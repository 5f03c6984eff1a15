"""A completed checkpoint does not subsume the older ones that are pending."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint


class KeepsSubsumed(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "completed-in-order"

    def subsume(self, older: Checkpoint, newer: Checkpoint) -> None:
        """CN-1 without subsumption."""
