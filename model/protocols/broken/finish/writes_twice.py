"""A sink writes each record twice into its transaction."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Data
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class WritesTwice(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "commit-at-most-once"

    @step
    def process(self, task: Task, channel: Channel) -> None:
        """The record is written once before its time."""
        head = channel.queue.head
        if task.sink:
            assert isinstance(head, Data)
            task.sink.write(head.record)
        super().process(task, channel)
