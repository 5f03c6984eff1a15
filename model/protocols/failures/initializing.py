"""A restore that takes time: checkpoints that are triggered before all tasks are restored.

Models PL-2.5 and PL-4 of the fact sheet. Tasks are restored one by one, and a failure can come in
between. Flink's coordinator waits until all of them run. Up to 1.12 a task counted as running from
its deployment on (FLINK-17012), so a call could reach a task without its state.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.failures.failover import Failover, FailoverOptions
from model.protocols.task.tasks import Task, TaskStatus
from model.rules import WEAK, define, require, rule


class DuringRestore(enum.Enum):
    """What becomes of a checkpoint while some task is being restored.

    REFUSED: it is not triggered. Else it is, and a task that is being restored DECLINES the call,
    or leaves it in its mailbox until it has its state.
    """

    REFUSED = "refused"
    DECLINED = "declined"
    DEFERRED = "deferred"


@dataclass(frozen=True)
class InitializingOptions(FailoverOptions):
    """Options of restores that take time."""

    #: PL-2.5: what becomes of a checkpoint while some task is being restored
    during_restore: DuringRestore = DuringRestore.REFUSED


class Initializing(Failover):
    """A job whose tasks are called while they are restored. Optional."""

    @property
    def during_restore(self) -> DuringRestore:
        """What becomes of a checkpoint while some task is being restored: a plain value."""
        chosen: DuringRestore = self.options.during_restore
        return chosen

    @define
    def counts_as_running(self, task: Task) -> bool:
        """PL-2.5: whether a task can be asked for its part, restored or not."""
        if self.during_restore == DuringRestore.REFUSED:
            return super().counts_as_running(task)
        return True

    @rule(fair=WEAK)
    def deliver_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-4: a trigger RPC arrives; a task without its state can decline it."""
        declines = self.during_restore == DuringRestore.DECLINED
        if declines and task.status == TaskStatus.RESTORING:
            require(checkpoint.triggers.has(task))
            checkpoint.triggers.remove(task)
            self.declined(checkpoint)
        else:
            super().deliver_trigger(task, checkpoint)
