"""The state of a task goes as soon as a plan counts it as finished, before that completes."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.restore import Restore
from finale.model.protocols.task.stateful import Stateful
from finale.model.rules import step


class ClearsWhatIsPlanned(Restore):
    """Restore with one mistake."""

    must_fall: ClassVar[str] = "each-record-is-kept"

    @step
    def compute_plan(self, checkpoint: Checkpoint) -> None:
        """PL-2.4, and what has finished gives its state back."""
        super().compute_plan(checkpoint)
        for task in self.tasks:
            if isinstance(task, Stateful):
                self.clear_if_counted(task, checkpoint)

    @step
    def clear_if_counted(self, task: Stateful, checkpoint: Checkpoint) -> None:
        """The state of a task that is counted as finished is cleared."""
        if checkpoint.finished.has(task):
            task.start_afresh()
