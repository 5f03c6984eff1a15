"""A sink is told to commit as soon as its own acknowledgement is in, and others are missing."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import WEAK, rule


class CommitsOnAcknowledgement(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "commit-only-durable"

    @rule(fair=WEAK)
    def apply_acknowledgement(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-2, and the confirmation is on its way at once."""
        super().apply_acknowledgement(task, checkpoint)
        checkpoint.confirmations.add(task)
