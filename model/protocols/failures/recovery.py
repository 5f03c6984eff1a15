"""Failure and restart: everything is cancelled, and every task restored from the newest checkpoint.

Models RC-1 (global restart) and RC-4 at equal parallelism of the fact sheet. A failure ends all
attempts in one step: what another task still does between the first failure and its own
cancellation it can also do before that failure. Each task is then restored by itself, in any order.
Regional restart, the delay before it and the coordinator's crash are in `failover.py`, rescaling
and changed graphs in `restore`.
"""

from __future__ import annotations

from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.job.elements import CheckpointId
from model.protocols.task.processing import Processing
from model.protocols.task.tasks import Task, TaskStatus
from model.rules import (
    WEAK,
    Bound,
    Nothing,
    Range,
    define,
    field,
    require,
    rule,
    step,
    within,
)


class Recovery(Processing):
    """Rules of failure and restart. Nothing of it is in the system when no failure is allowed."""

    #: CN-4: a restored task takes the checkpoint that it is restored from for confirmed.
    filters_from_restored: bool = True

    failures = field(Range(0, Bound("failures")), 0, ghost="recovery")

    @property
    def recovers(self) -> bool:
        """Whether failures are explored: a plain truth value."""
        return int(self.bounds.failures) > 0

    @property
    def restarts(self) -> bool:
        """Whether tasks are started from checkpoints: a plain truth value."""
        return self.recovers

    @property
    def keeps_snapshots(self) -> bool:
        """Whether what a start from a checkpoint needs is kept: a plain truth value."""
        return self.restarts

    def keeps(self) -> frozenset[str]:
        own = {"recovery"} if self.keeps_snapshots else set[str]()
        return super().keeps() | own

    @step
    def keep_snapshot(self, task: Task, checkpoint: CheckpointId) -> None:
        """What a restore will need of this task."""
        super().keep_snapshot(task, checkpoint)
        if self.keeps_snapshots:
            task.keep(checkpoint)

    @rule
    def fail(self) -> None:
        """RC-1: a task fails: pending checkpoints are aborted, and all attempts end."""
        require(int(self.bounds.failures) > 0)
        require(any(not task.reported_finished for task in self.tasks))
        self.count_failure()
        self.restart_all()

    @step
    def task_failed(self, task: Task) -> None:
        """RC-1: a task fails by itself, and all are restarted."""
        self.restart_all()

    @define
    def goes_on(self) -> bool:
        """Whether what fails is started again: not where the job has ended or is about to."""
        return not self.has_ended_otherwise()

    def connected(self) -> tuple[tuple[Task, ...], ...]:
        """RC-1: the tasks that are connected with each other, group by group."""
        groups: list[set[Task]] = []
        for task in self.tasks:
            near = {task, *self.producers(task)}
            joined = [group for group in groups if group & near]
            groups = [group for group in groups if not group & near]
            groups.append(near.union(*joined))
        ordered = [tuple(task for task in self.tasks if task in group) for group in groups]
        return tuple(sorted(ordered, key=lambda group: self.tasks.index(group[0])))

    @step
    def count_failure(self) -> None:
        """One more of the failures that the bounds allow."""
        within(self.failures, self.bounds.failures)
        self.failures += 1

    @step
    def restart_all(self) -> None:
        """RC-1: pending checkpoints are aborted, messages are lost, all attempts end."""
        for checkpoint in self.checkpoints:
            self._lose(checkpoint)
        self.refuse_queued()
        self.end_attempts(self.tasks)

    @step
    def end_attempts(self, tasks: tuple[Task, ...]) -> None:
        """RC-1: new attempts, those of FINISHED tasks included; channels between them are empty."""
        for task in tasks:
            for channel in task.outputs:
                channel.reset()
            self.start_attempt(task)

    @step
    def start_attempt(self, task: Task) -> None:
        """What the attempt before knew is gone, and the new one is to be restored."""
        task.forget()
        task.status = TaskStatus.RESTORING
        if self.observes("taken"):
            task.taken.clear()

    @step
    def _lose(self, checkpoint: Checkpoint) -> None:
        if checkpoint.is_pending:
            self.abort(checkpoint)
        checkpoint.triggers.clear()
        checkpoint.confirmations.clear()
        checkpoint.aborts.clear()
        checkpoint.latest = Nothing

    @rule(fair=WEAK)
    def restore(self, task: Task) -> None:
        """RC-1, RC-4: a task starts again from the newest completed checkpoint, or from nothing."""
        require(self.restarts, lambda: task.status == TaskStatus.RESTORING)
        task.status = TaskStatus.RUNNING
        checkpoint = self.restore_point()
        if checkpoint == Nothing:
            self.restart_from_nothing(task)
        else:
            self.restore_from(task, checkpoint)

    @step
    def restart_from_nothing(self, task: Task) -> None:
        """No checkpoint has completed: the attempt starts as the first one did."""
        task.start_afresh()
        if task.sink:
            task.sink.restart()
        self._count_from_nothing(task)

    @step
    def _count_from_nothing(self, task: Task) -> None:
        if self.observes("cut"):
            for channel in task.outputs:
                channel.sent = 0
            for channel in task.inputs:
                channel.received = 0

    @step
    def restore_from(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-4: a task gets its state; what had finished has nothing left to emit.

        So a task of a fully finished vertex, which Flink restores without its operators (RC-7),
        only passes the end of its data on.
        """
        if self.filters_from_restored:
            task.confirmed = checkpoint
        task.load(checkpoint, finished=self.known(checkpoint).finished.has(task))
        if task.sink:
            task.sink.restore(checkpoint)
        self._count_from(task, checkpoint)

    @step
    def _count_from(self, task: Task, checkpoint: CheckpointId) -> None:
        if self.observes("cut"):
            for channel in task.outputs:
                known = self.known(checkpoint)
                gone = known.finished.has(task)
                before, after = channel.sent_before[checkpoint], channel.received_before[checkpoint]
                channel.sent = after if gone else before
            for channel in task.inputs:
                channel.received = channel.received_before[checkpoint]
