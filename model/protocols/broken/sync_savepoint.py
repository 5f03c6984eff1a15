"""Planted mistakes of `sync-savepoint`."""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.sync_savepoint import SyncSavepoint
from finale.model.protocols.task.execution import TaskExecution
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Nothing, step


class KeepsStopFlag(SyncSavepoint):
    """A task that was woken by an abort still takes its end for that of the stop.

    FLINK-21312: the flag that tells a stop from an end is not reset with the savepoint.
    """

    variant, must_fall = "keeps-stop-flag", "commit-completeness"

    @step
    def abort_arrived(self, task: Task, checkpoint: Checkpoint) -> None:
        """SS-7: the task wakes, and remembers the savepoint."""
        if task.sync == checkpoint:
            task.stalled = False


class RepeatsMaximal(SyncSavepoint):
    """A source that has drained says the maximal watermark once more when it ends."""

    variant, must_fall = "repeats-maximal", "maximal-watermark-is-last"

    @step
    def reach_end_of_time(self, task: Task) -> None:
        """LF-1, SS-2: a source emits the maximal watermark, also where the stop has ended it."""
        TaskExecution.reach_end_of_time(self, task)


class StallsUnnoted(SyncSavepoint):
    """A task stalls on a savepoint and does not note which one, so that no completion wakes it."""

    variant, must_fall = "stalls-unnoted", "stalled-can-be-released"

    @step
    def _know(self, task: Task, savepoint: CheckpointId) -> None:
        """SS-2 without the id of the savepoint."""
        task.sync = Nothing


class WakesForAny(SyncSavepoint):
    """A task that stalls wakes with the confirmation of any checkpoint, and ends.

    The checkpoint before the savepoint has completed, and its confirmation comes late.
    """

    variant, must_fall = "wakes-for-any", "closed-after-its-savepoint"

    @step
    def act_on_confirmation(self, task: Task, checkpoint: CheckpointId) -> None:
        """SS-5 without a look at which checkpoint has completed."""
        super().act_on_confirmation(task, checkpoint)
        if task.sync != Nothing:
            super().act_on_confirmation(task, task.sync)
