"""V-4: without EndOfData, operators finish only when their inputs have ended.

The savepoint of a stop with drain is then taken before they flush: what they flush is not in it.
"""

from __future__ import annotations

from typing import ClassVar

from model.protocols.parts.channels import Channel
from model.protocols.parts.tasks import Task, TaskStatus
from model.protocols.stop_with_savepoint import StopWithSavepoint
from model.rules import WEAK, require, rule, step


class StopsWithoutEndOfData(StopWithSavepoint):
    """StopWithSavepoint with one mistake."""

    must_fall: ClassVar[str] = "commit-completeness"

    @step
    def finish_operators(self, task: Task) -> None:
        """The operators finish, if the job drains; those downstream do not hear of it."""
        if self.drains(task):
            task.finish()
        task.status = TaskStatus.WAITING_FOR_FINAL_CP
        for channel in task.outputs:
            channel.end_of_data = True

    @rule(fair=WEAK)
    def poll_end_of_data(self, channel: Channel) -> None:
        """FC-2 does not exist."""
        require(False)

    @rule(fair=WEAK)
    def finish_at_end(self, task: Task) -> None:
        """A task all of whose inputs have ended finishes its operators."""
        require(task.inputs)
        require(task.is_running, task.inputs_ended)
        self.finish_operators(task)
