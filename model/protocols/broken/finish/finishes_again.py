"""A task whose final checkpoint is aborted runs again, and finishes its operators once more."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import WEAK, rule


class FinishesAgain(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "finish-before-close"

    @rule(fair=WEAK)
    def deliver_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        """CN-3, and a task that waits for the checkpoint goes back."""
        super().deliver_abort(task, checkpoint)
        if task.status == TaskStatus.WAITING_FOR_FINAL_CP and self.releases(task, checkpoint):
            task.status = TaskStatus.RUNNING
