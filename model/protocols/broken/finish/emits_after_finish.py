"""A buffering operator flushes only when its task closes, after EndOfData."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import EndOfData
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import step


class EmitsAfterFinish(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "no-record-after-finish"

    @step
    def finish_operators(self, task: Task) -> None:
        """FC-1 without the flush."""
        task.broadcast(EndOfData(drain=True))
        task.status = TaskStatus.WAITING_FOR_FINAL_CP

    @step
    def close_operators(self, task: Task) -> None:
        """The flush comes when the operators close."""
        task.finish()
        super().close_operators(task)
