"""V-4: without EndOfData, a task finishes its operators only when its inputs have ended.

Each level of the job then needs a final checkpoint of its own, one after the other.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.task.tasks import Task
from finale.model.rules import WEAK, require, rule, step


class NoEndOfData(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "one-checkpoint-for-all"

    @step
    def send_end_of_data(self, task: Task, drain: bool) -> None:
        """The operators have finished, and nobody downstream hears of it."""
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
