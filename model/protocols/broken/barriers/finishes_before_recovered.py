"""The end of its input ends a task that has not processed what was in flight at the restart.

So it was in Flink 2.3 with checkpoints during recovery (FLINK-39522): the restart counted as over.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.job.channels import Channel
from finale.model.protocols.task.tasks import Task
from finale.model.protocols.unaligned import Unaligned
from finale.model.rules import STRONG, define, require, rule, step


class FinishesBeforeRecovered(Unaligned):
    """Unaligned with one mistake."""

    must_fall: ClassVar[str] = "recovered-first"

    @define
    def reads(self, task: Task, channel: Channel) -> bool:
        """Whether a task takes the next element of a channel, RC-9 left aside."""
        return task.is_alive and not channel.blocked

    @rule(fair=STRONG)
    def poll_data(self, channel: Channel) -> None:
        """A task processes the record at the head of a channel, after all that was in flight."""
        require(self.is_recovered(self.reader(channel)))
        super().poll_data(channel)

    @step
    def finish_operators(self, task: Task) -> None:
        """FC-1, and what was in flight and not processed is forgotten."""
        super().finish_operators(task)
        for channel in task.inputs:
            self.logged(channel).recovered.clear()
