"""An abort is taken for a completion: the task acts on a checkpoint that it has not taken."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import WEAK, require, rule


class ConfirmsAborted(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "confirms-what-was-taken"

    @rule(fair=WEAK)
    def deliver_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        """CN-3 with the aborted id in place of the completed one."""
        require(checkpoint.aborts.has(task))
        checkpoint.notified_of_abort(task)
        self.on_confirmation(task, checkpoint)
