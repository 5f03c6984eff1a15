"""A task that fails by itself is started again, in a job that is being cancelled, too."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class RestartsCancelled(StopWithSavepoint):
    """StopWithSavepoint with one mistake."""

    must_fall: ClassVar[str] = "cancelled-starts-nothing"

    @step
    def task_failed(self, task: Task) -> None:
        """RC-1: a task fails by itself, and all are restarted, whatever the user has asked for."""
        self.restart_all()
