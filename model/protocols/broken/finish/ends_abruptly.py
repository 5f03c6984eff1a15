"""A task that may close is simply gone: its mail is not run, and its consumers are told nothing."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import WEAK, rule


class EndsAbruptly(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "end-of-partition-after-close"

    @rule(fair=WEAK)
    def quiesce(self, task: Task) -> None:
        """FC-6, and then nothing of FC-8 and FC-9."""
        super().quiesce(task)
        task.status = TaskStatus.CLOSED
        task.mail.clear()
        self.drop_messages(task)
