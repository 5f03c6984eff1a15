"""The oldest completed checkpoint is taken for the newest, by all who ask."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.rules import Nothing, define


class TakesOldestForNewest(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "restores-newest"

    @define
    def newest_completed(self) -> CheckpointId:
        """The first completed checkpoint that is found."""
        oldest: CheckpointId = Nothing
        for checkpoint in reversed(self.checkpoints):
            oldest = checkpoint if checkpoint.is_completed else oldest
        return oldest
