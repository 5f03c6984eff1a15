"""Atomic steps taken apart: one class for each step that the rules take at once.

A mark `@at_once("Class.method", apart="module:Class")` on a step names its class here. The class
keeps what is to be done, and does it in a rule of its own, so that other rules can come between.
A failure of the task forgets what is still to be done. The mailbox of a task runs each of its steps
as one mail; the coordinator takes its steps under its lock, or in its one thread.
"""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.requests import Requests
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.stopping import Stopping
from finale.model.protocols.task.execution import TaskExecution
from finale.model.protocols.task.tasks import Task
from finale.model.rules import (
    EMPTY,
    STRONG,
    WEAK,
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


class SubsumesLater(Requests):
    """The coordinator subsumes older checkpoints some time after it has completed a newer one."""

    to_subsume = field(PerEntity(Checkpoint, Set(Ref(Checkpoint))), EMPTY)

    @step
    def subsume(self, older: Checkpoint, newer: Checkpoint) -> None:
        """CN-1: an older checkpoint is to be subsumed, if anything names it still."""
        if older < newer and not self.is_unnamed(older):
            self.to_subsume[older].add(newer)

    @define
    def is_unnamed(self, checkpoint: Checkpoint) -> bool:
        """A checkpoint that is to be subsumed, or subsumes another one, is named."""
        waits = not self.to_subsume[checkpoint].is_empty
        subsumes = any(self.to_subsume[older].has(checkpoint) for older in self.checkpoints)
        return not waits and not subsumes and super().is_unnamed(checkpoint)

    @rule(fair=WEAK)
    def subsume_later(self, older: Checkpoint, newer: Checkpoint) -> None:
        """CN-1: an older checkpoint is subsumed, after other steps."""
        require(self.to_subsume[older].has(newer))
        self.to_subsume[older].remove(newer)
        super().subsume(older, newer)


class AbortsLater(Stopping):
    """A stop triggers its savepoint before it aborts what is pending."""

    to_abort = field(Set(Ref(Checkpoint)), EMPTY)

    @step
    def abort_for_stop(self, checkpoint: Checkpoint) -> None:
        """SP-1: what is pending is to be aborted."""
        if checkpoint.is_pending:
            self.to_abort.add(checkpoint)

    @define
    def is_unnamed(self, checkpoint: Checkpoint) -> bool:
        """A checkpoint that is to be aborted is named."""
        return not self.to_abort.has(checkpoint) and super().is_unnamed(checkpoint)

    @rule(fair=WEAK)
    def abort_later(self, checkpoint: Checkpoint) -> None:
        """SP-1: what was pending is aborted, after other steps."""
        require(self.to_abort.has(checkpoint))
        self.to_abort.remove(checkpoint)
        super().abort_for_stop(checkpoint)
