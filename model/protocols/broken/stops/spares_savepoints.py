"""A stop aborts the checkpoints that are pending and spares savepoints, that of a stop, too.

No checkpoint subsumes a savepoint (CN-1). A stop, which aborts whatever is pending, is none.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.rules import step


class SparesSavepoints(StopWithSavepoint):
    """StopWithSavepoint with one mistake."""

    must_fall: ClassVar[str] = "one-sync-savepoint"

    @step
    def abort_for_stop(self, checkpoint: Checkpoint) -> None:
        """SP-1 for checkpoints alone."""
        if checkpoint.kind == CheckpointKind.CHECKPOINT:
            super().abort_for_stop(checkpoint)
