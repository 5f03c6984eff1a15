"""A coordinator that knows one checkpoint at a time starts a stop's savepoint over a pending one.

Arroyo 24: acknowledgements of the savepoint are counted for the checkpoint that was pending before,
and are no longer wanted there.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import WEAK, require, rule, step


class StartsOverPending(StopWithSavepoint):
    """StopWithSavepoint with one mistake."""

    must_fall: ClassVar[str] = "stop-is-answered"

    @step
    def abort_for_stop(self, checkpoint: Checkpoint) -> None:
        """SP-1 without the abort of what is pending."""

    @rule(fair=WEAK)
    def apply_acknowledgement(self, task: Task, checkpoint: Checkpoint) -> None:
        """An acknowledgement arrives; it is thrown away if an older checkpoint is pending."""
        require(checkpoint.acknowledgements.has(task))
        checkpoint.acknowledgements.remove(task)
        if not any(older < checkpoint and older.is_pending for older in self.checkpoints):
            checkpoint.awaited.remove(task)
