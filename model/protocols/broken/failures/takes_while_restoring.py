"""A task runs the call for a checkpoint before it has the state that it is restored with."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import STRONG, require, rule


class TakesWhileRestoring(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "commit-completeness"

    @rule(fair=STRONG)
    def run_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-7: the mailbox runs a trigger, as long as there is an attempt."""
        require(task.mail.has(checkpoint), not task.is_gone)
        task.mail.remove(checkpoint)
        task.gate.on_trigger(checkpoint)
