"""A restarted task still counts as released by the final checkpoint of the attempt before."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class StaysReleased(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "closed-after-final-checkpoint"

    @step
    def start_attempt(self, task: Task) -> None:
        """RC-1, and the release is not forgotten."""
        released = task.released
        super().start_attempt(task)
        task.released = released
