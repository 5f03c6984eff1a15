"""A task that knows a checkpoint to be aborted skips it without a word to those downstream.

So it was in Flink before 1.11 (FLINK-18238): they align it for ever.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class SkipsSilently(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "alignment-can-end"

    @step
    def perform(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-5 without the cancelled barrier."""
        if task.aborted.has(checkpoint):
            task.aborted.remove(checkpoint)
        else:
            super().perform(task, checkpoint)
