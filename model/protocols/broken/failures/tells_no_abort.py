"""The coordinator aborts a checkpoint and tells no task.

H4: where a confirmation was lost, the abort of the next checkpoint is what brings its news (CN-3).
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import Nothing, step


class TellsNoAbort(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "waiting-task-closes"

    @step
    def abort(self, checkpoint: Checkpoint) -> None:
        """AB-1 without notifications."""
        super().abort(checkpoint)
        checkpoint.aborts.clear()
        checkpoint.latest = Nothing
