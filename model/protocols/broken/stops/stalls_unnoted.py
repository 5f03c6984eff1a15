"""A task stalls on a savepoint and does not note which one, so that no completion wakes it."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.sync_savepoint import SyncSavepoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Nothing, step


class StallsUnnoted(SyncSavepoint):
    """SyncSavepoint with one mistake."""

    must_fall: ClassVar[str] = "stalled-can-be-released"

    @step
    def _know(self, task: Task, savepoint: CheckpointId) -> None:
        """SS-2 without the id of the savepoint."""
        task.sync = Nothing
