"""The plan counts a task as finished once its operators are, while it still runs."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import define


class PlansByEndOfData(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "counted-finished-are-finished"

    @define
    def counts_as_finished(self, task: Task) -> bool:
        """PL-2.4 with the wrong state of the task."""
        return task.has_finished
