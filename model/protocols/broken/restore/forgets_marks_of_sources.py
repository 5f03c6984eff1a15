"""A source that was started as finished is not marked so in the checkpoints that follow.

Only what reads others is: the next start from one of them runs the source again, for nobody.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.restore import Restore
from finale.model.rules import step


class ForgetsMarksOfSources(Restore):
    """Restore with one mistake."""

    must_fall: ClassVar[str] = "finished-set-is-closed"

    @step
    def mark_finished_on_restore(self, checkpoint: Checkpoint) -> None:
        """PL-8 for tasks that have inputs."""
        for task in self.tasks:
            if task.inputs and self.skipping.has(task):
                checkpoint.finished.add(task)
