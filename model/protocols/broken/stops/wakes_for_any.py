"""A task that stalls wakes with the confirmation of any checkpoint, and ends.

The checkpoint before the savepoint has completed, and its confirmation comes late.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.sync_savepoint import SyncSavepoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Nothing, step


class WakesForAny(SyncSavepoint):
    """SyncSavepoint with one mistake."""

    must_fall: ClassVar[str] = "closed-after-its-savepoint"

    @step
    def confirmed(self, task: Task, checkpoint: CheckpointId) -> None:
        """SS-5 without a look at which checkpoint has completed."""
        super().confirmed(task, checkpoint)
        if task.sync != Nothing:
            super().confirmed(task, task.sync)
