"""A task that was woken by an abort still takes its end for that of the stop.

FLINK-21312: the flag that tells a stop from an end is not reset with the savepoint.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.sync_savepoint import SyncSavepoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class KeepsStopFlag(SyncSavepoint):
    """SyncSavepoint with one mistake."""

    must_fall: ClassVar[str] = "commit-completeness"

    @step
    def abort_arrived(self, task: Task, checkpoint: Checkpoint) -> None:
        """SS-7: the task wakes, and remembers the savepoint."""
        if task.sync == checkpoint:
            task.stalled = False
