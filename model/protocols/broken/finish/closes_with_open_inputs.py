"""A task that a final checkpoint has released closes, though its producers still run."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import define


class ClosesWithOpenInputs(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "end-of-partition-after-close"

    @define
    def may_close(self, task: Task) -> bool:
        """FC-6 without FC-5."""
        return task.released and self.is_acknowledged(task)
