"""What was started as finished is not marked as finished in the checkpoints that follow.

The next start from one of them runs the operators of the vertex again.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.restore import Restore
from finale.model.rules import step


class ForgetsMarks(Restore):
    """Restore with one mistake."""

    must_fall: ClassVar[str] = "finished-stays-marked"

    @step
    def mark_finished_on_restore(self, checkpoint: Checkpoint) -> None:
        """Nobody looks at how the task was started."""
