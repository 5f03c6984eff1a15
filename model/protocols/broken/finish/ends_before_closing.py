"""A task emits EndOfPartition when its mailbox closes, before the rest of its mail has run."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import EndOfPartition
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import STRONG, WEAK, require, rule


class EndsBeforeClosing(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "end-of-partition-after-close"

    @rule(fair=WEAK)
    def quiesce(self, task: Task) -> None:
        """FC-6, FC-8, and FC-9 with them."""
        super().quiesce(task)
        task.broadcast(EndOfPartition())

    @rule(fair=STRONG)
    def close(self, task: Task) -> None:
        """FC-8: with an empty mailbox the operators close."""
        require(task.status == TaskStatus.QUIESCED, task.mail.is_empty)
        task.status = TaskStatus.CLOSED
        self.close_operators(task)
        self.drop_messages(task)
