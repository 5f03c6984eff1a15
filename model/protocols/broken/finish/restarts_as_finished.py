"""A task that a checkpoint counts as finished is restored as one that has finished already.

It does not pass the end of its data on again, as RC-7 has it: its consumers never hear of it.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import step


class RestartsAsFinished(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "finish-before-close"

    @step
    def restore_from(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-4, and what has finished waits for its final checkpoint again."""
        super().restore_from(task, checkpoint)
        if self.known(checkpoint).finished.has(task):
            task.status = TaskStatus.WAITING_FOR_FINAL_CP
