"""A new coordinator goes on without the newest checkpoint of the store, which it cannot read.

FLINK-22502: an error of the storage can be transient, and what is older repeats what was committed.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.rules import Nothing, define


class SkipsUnreadable(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "restores-newest"

    @define
    def restore_point(self) -> CheckpointId:
        """Once the coordinator has crashed: the newest that the store holds behind the first."""
        newest = super().restore_point()
        if self.crashes == 0:
            return newest
        second: CheckpointId = Nothing
        for checkpoint in self.checkpoints:
            held = self.is_in_store(checkpoint) and checkpoint != newest
            second = checkpoint if held else second
        return second
