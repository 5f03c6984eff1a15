"""The plan counts a task as finished, and waits for its acknowledgement all the same."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import step


class WaitsForTheFinished(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "plan-is-a-partition"

    @step
    def compute_plan(self, checkpoint: Checkpoint) -> None:
        """PL-2.4, but all tasks are waited for, as before tasks could finish (PL-2.3)."""
        super().compute_plan(checkpoint)
        for task in self.tasks:
            checkpoint.awaited.add(task)
