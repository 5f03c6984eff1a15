"""A task that knows of a savepoint takes each confirmation for that of the savepoint."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Nothing, define


class TakesAnyForItsSavepoint(StopWithSavepoint):
    """StopWithSavepoint with one mistake."""

    must_fall: ClassVar[str] = "closed-after-its-savepoint"

    @define
    def releases(self, task: Task, checkpoint: CheckpointId) -> bool:
        """SP-8 without a look at which checkpoint has completed."""
        return task.sync != Nothing or super().releases(task, checkpoint)
