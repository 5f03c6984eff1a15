"""The coordinator triggers a task by RPC as soon as one of its producers has finished."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import define


class TriggersAtFirstEnd(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "triggered-tasks-are-heads"

    @define
    def is_head(self, task: Task) -> bool:
        """PL-2.4 with one producer for all."""
        some = any(self.counts_as_finished(producer) for producer in self.producers(task))
        return some or super().is_head(task)
