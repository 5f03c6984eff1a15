"""A source that has drained says the maximal watermark once more when it ends."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.sync_savepoint import SyncSavepoint
from finale.model.protocols.task.execution import TaskExecution
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class RepeatsMaximal(SyncSavepoint):
    """SyncSavepoint with one mistake."""

    must_fall: ClassVar[str] = "maximal-watermark-is-last"

    @step
    def reach_end_of_time(self, task: Task) -> None:
        """LF-1, SS-2: a source emits the maximal watermark, also where the stop has ended it."""
        TaskExecution.reach_end_of_time(self, task)
