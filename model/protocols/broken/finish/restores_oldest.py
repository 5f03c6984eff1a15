"""A restart takes the oldest completed checkpoint instead of the newest."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.rules import Nothing, define


class RestoresOldest(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "restores-newest"

    @define
    def restore_point(self) -> CheckpointId:
        """The first completed checkpoint that is found."""
        oldest: CheckpointId = Nothing
        for checkpoint in reversed(self.checkpoints):
            oldest = checkpoint if checkpoint.is_completed else oldest
        return oldest
