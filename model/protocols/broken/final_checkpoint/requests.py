"""Mistakes in what users ask for, and in their savepoints."""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.requests import Request
from finale.model.protocols.sinks import Transaction, TwoPhaseSink
from finale.model.protocols.task.tasks import Task
from finale.model.rules import WEAK, Nothing, define, require, rule, step


class QueuesAll(FinalCheckpoint):
    """There is always room for one more request."""

    variant, must_fall = "queues-all", "queue-has-a-limit"

    @define
    def is_full(self) -> bool:
        """PL-1 without its limit."""
        return False


class RequiresPending(FinalCheckpoint):
    """A two-phase sink takes it for a failure when a confirmation finds nothing to commit.

    FLINK-10377: savepoints are not subsumed, so the completion of a savepoint can come after that
    of a newer checkpoint, which has committed the savepoint's transaction already. Confirmations of
    checkpoints arrive here in their order, so that nothing but a savepoint comes late.
    """

    variant, must_fall = "requires-pending", "legal-never-fails"

    @property
    def recovers(self) -> bool:
        """A task can fail by itself."""
        return True

    @rule(fair=WEAK)
    def deliver_confirmation(self, task: Task, checkpoint: Checkpoint) -> None:
        """FC-7, CN-5: a confirmation arrives; those of checkpoints in their order."""
        require(
            all(
                older >= checkpoint
                or not self.can_be_subsumed(older)
                or not older.confirmations.has(task)
                for older in self.checkpoints
            )
        )
        super().deliver_confirmation(task, checkpoint)

    @step
    def on_confirmation(self, task: Task, checkpoint: CheckpointId) -> None:
        """1.7: a confirmation that finds no pending transaction makes the task fail."""
        if self.finds_nothing(task, checkpoint):
            self.restart_all()
        else:
            super().on_confirmation(task, checkpoint)

    @define
    def finds_nothing(self, task: Task, checkpoint: CheckpointId) -> bool:
        """Whether nothing up to a checkpoint is pending at a task's sink, which still runs."""
        sink = task.sink
        if not isinstance(sink, TwoPhaseSink) or task.has_finished or checkpoint == Nothing:
            return False
        return all(
            other > checkpoint or sink.transaction[other] != Transaction.PRECOMMITTED
            for other in self.checkpoints
        )


class ServesPeriodicFirst(FinalCheckpoint):
    """What the timer asked for is served before what users wait for, and they wait for ever."""

    variant, must_fall = "serves-periodic-first", "who-waits-is-served"

    @define
    def is_in_front(self, request: Request) -> bool:
        """PL-1 with the timer's request before all others."""
        return not self.periodic_waits and super().is_in_front(request)

    @define
    def is_behind(self) -> bool:
        """PL-1 the wrong way round: the timer's request is behind nobody."""
        return False
