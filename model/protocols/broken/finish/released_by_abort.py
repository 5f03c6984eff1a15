"""A task that waits for its final checkpoint takes the abort of it for its release."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import WEAK, rule


class ReleasedByAbort(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "closed-after-final-checkpoint"

    @rule(fair=WEAK)
    def deliver_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        """CN-3, and a task that has taken the checkpoint after its end waits no longer."""
        super().deliver_abort(task, checkpoint)
        if self.releases(task, checkpoint):
            task.released = True
