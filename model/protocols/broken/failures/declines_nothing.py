"""A task whose snapshot fails keeps it to itself: the coordinator waits for it.

V-9's lesson once more: what nobody ends but a time-out is a wait.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import rule


class DeclinesNothing(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "checkpoint-ends"

    @rule
    def fail_snapshot(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-1 without the decline."""
        super().fail_snapshot(task, checkpoint)
        checkpoint.declined = False
