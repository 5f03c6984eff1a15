"""A trigger that finds its task closed is still run: the barrier follows the end of the channel."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class AnswersAfterClosing(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "nothing-after-end-of-partition"

    @step
    def trigger_failed(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-5, but a closed task takes its part as if it were there."""
        if task.is_closed and checkpoint.is_pending:
            task.gate.on_trigger(checkpoint)
        else:
            super().trigger_failed(task, checkpoint)
