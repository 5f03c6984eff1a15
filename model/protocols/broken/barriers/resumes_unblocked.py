"""A call's barriers mark open inputs as blocked, though nobody has blocked them.

So it was in Flink before 1.14 (FLINK-23938): the end of the alignment resumes such an input, which
it may not, and the task fails.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import STRONG, define, require, rule


class ResumesUnblocked(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "legal-never-fails"

    @property
    def recovers(self) -> bool:
        """A task can fail by itself."""
        return True

    @rule(fair=STRONG)
    def run_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-7: with an open input the alignment that ends at once makes the task fail."""
        if self.resumes_an_input(task, checkpoint):
            require(task.mail.has(checkpoint), task.is_alive)
            self.restart_all()
        else:
            super().run_trigger(task, checkpoint)

    @define
    def resumes_an_input(self, task: Task, checkpoint: Checkpoint) -> bool:
        """Whether a call finds an open input, and a checkpoint that is new to the task."""
        return not task.inputs_ended and not task.gate.is_past(checkpoint)
