"""An alignment that is given up leaves the channels blocked whose barrier had arrived."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CancelBarrier, CheckpointId
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class StaysBlocked(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "unblocked-without-alignment"

    @step
    def give_up_alignment(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-4 without unblocking."""
        task.newest = checkpoint
        task.gate.aligning = False
        self.declined(checkpoint)
        task.broadcast(CancelBarrier(checkpoint))
