"""A sink that has finished opens a transaction again when the job is stopped without drain.

A sink whose data the stop has ended may go on, and opens one with each checkpoint (1.7). This one
asks whether the job is stopped so, and not whether its own data are ended so.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import CheckpointKind
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import define


class OpensForAnySuspension(StopWithSavepoint):
    """StopWithSavepoint with one mistake."""

    must_fall: ClassVar[str] = "opens-nothing-after-finish"

    @define
    def opens_transaction(self, task: Task) -> bool:
        """1.7 for a job that is suspended, and not for a task whose data are ended so."""
        suspended = any(each.kind == CheckpointKind.SUSPEND for each in self.checkpoints)
        return suspended or super().opens_transaction(task)
