"""A task that gives an alignment up does not tell those downstream, which wait for its barrier."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class CancelsNoFurther(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "blocked-channel-resumes"

    @step
    def give_up_alignment(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-4 without the news to those downstream."""
        task.newest = checkpoint
        task.gate.resume()
        self.declined(checkpoint)
