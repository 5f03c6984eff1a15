"""A task waits for a final checkpoint although checkpointing is not configured."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import define


class WaitsUnconfigured(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "no-deadlock"

    @define
    def may_close(self, task: Task) -> bool:
        """FC-6 for all jobs, also for those that take no checkpoint."""
        return task.inputs_ended and task.released and self.is_acknowledged(task)
