"""Steps of a task's main loop, taken apart: its mailbox runs them as one mail."""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.execution import TaskExecution
from finale.model.protocols.task.tasks import Task
from finale.model.rules import (
    EMPTY,
    STRONG,
    PerEntity,
    Ref,
    Set,
    define,
    field,
    require,
    rule,
    step,
)


class PerformsLater(TaskExecution):
    """A task that has all barriers reads on before it takes its part."""

    to_perform = field(PerEntity(Task, Set(Ref(CheckpointId))), EMPTY)

    @step
    def perform(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-5: the task is to take its part."""
        self.to_perform[task].add(checkpoint)

    @define
    def is_unnamed(self, checkpoint: Checkpoint) -> bool:
        """A checkpoint is named as long as a task is about to act for it."""
        waits = any(self.to_perform[task].has(checkpoint) for task in self.tasks)
        return not waits and super().is_unnamed(checkpoint)

    @rule(fair=STRONG)
    def perform_later(self, task: Task, checkpoint: Checkpoint) -> None:
        """AL-5: the task sends its barrier and takes its part, after other steps."""
        require(self.to_perform[task].has(checkpoint), task.is_alive)
        self.to_perform[task].remove(checkpoint)
        super().perform(task, checkpoint)

    @step
    def start_attempt(self, task: Task) -> None:
        """A new attempt has nothing to do."""
        super().start_attempt(task)
        self.to_perform[task].clear()


class SnapshotsLater(TaskExecution):
    """A task reads on between its barrier and its snapshot."""

    to_snapshot = field(PerEntity(Task, Set(Ref(CheckpointId))), EMPTY)

    @step
    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-5: the barrier is out, and the task is to take its snapshot."""
        self.to_snapshot[task].add(checkpoint)

    @define
    def is_unnamed(self, checkpoint: Checkpoint) -> bool:
        """A checkpoint is named as long as a task is about to act for it."""
        waits = any(self.to_snapshot[task].has(checkpoint) for task in self.tasks)
        return not waits and super().is_unnamed(checkpoint)

    @rule(fair=STRONG)
    def snapshot_later(self, task: Task, checkpoint: Checkpoint) -> None:
        """AL-5: the task takes its snapshot, after other steps."""
        require(self.to_snapshot[task].has(checkpoint), task.is_alive)
        self.to_snapshot[task].remove(checkpoint)
        super().snapshot_taken(task, checkpoint)

    @step
    def start_attempt(self, task: Task) -> None:
        """A new attempt has nothing to do."""
        super().start_attempt(task)
        self.to_snapshot[task].clear()


class FinishesLater(FinalCheckpoint):
    """A task does other steps between the end of its data and the finish of its operators."""

    to_finish = field(Set(Ref(Task)), EMPTY)

    @step
    def finish_operators(self, task: Task) -> None:
        """FC-1: the operators are to finish."""
        self.to_finish.add(task)

    @rule(fair=STRONG)
    def finish_later(self, task: Task) -> None:
        """FC-1: the operators finish, after other steps."""
        require(self.to_finish.has(task), task.is_running)
        self.to_finish.remove(task)
        super().finish_operators(task)

    @step
    def start_attempt(self, task: Task) -> None:
        """A new attempt has nothing to do."""
        super().start_attempt(task)
        self.to_finish.remove(task)


class FailsLater(StopWithSavepoint):
    """A task does other steps between the abort of its savepoint and its failure."""

    to_fail = field(PerEntity(Task, Set(Ref(CheckpointId))), EMPTY)

    @step
    def savepoint_aborted(self, task: Task, checkpoint: CheckpointId) -> None:
        """SP-10: the task is to fail."""
        self.to_fail[task].add(checkpoint)

    @define
    def is_unnamed(self, checkpoint: Checkpoint) -> bool:
        """A checkpoint is named as long as a task is about to act for it."""
        waits = any(self.to_fail[task].has(checkpoint) for task in self.tasks)
        return not waits and super().is_unnamed(checkpoint)

    @rule(fair=STRONG)
    def fail_later(self, task: Task, checkpoint: Checkpoint) -> None:
        """SP-10: the task fails, after other steps."""
        require(self.to_fail[task].has(checkpoint), task.is_alive)
        self.to_fail[task].remove(checkpoint)
        super().savepoint_aborted(task, checkpoint)

    @step
    def start_attempt(self, task: Task) -> None:
        """A new attempt has nothing to do."""
        super().start_attempt(task)
        self.to_fail[task].clear()
