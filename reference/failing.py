"""Failures of a job and its restart, each limited by a bound."""

from __future__ import annotations

from finale.reference.coordinator import Call
from finale.reference.running import Running
from finale.reference.steps import Guarded, action
from finale.reference.task import Phase, Task


class Failing(Running):
    """An engine whose job may fail, and is restarted as a whole."""

    @action("task", "checkpoint")
    def lose_confirmation(self, task: Task, checkpoint: int) -> Guarded:
        call = task.name, checkpoint
        left = self.happened.lost_confirmations < self.faults.lost_confirmations
        yield left and call in self.network.confirmations
        self.happened.lost_confirmations += 1
        self.network.confirmations.discard(call)

    @action("task", "checkpoint")
    def fail_snapshot(self, task: Task, checkpoint: int) -> Guarded:
        """The background write of a snapshot fails after the barrier was sent."""
        yield task.lives and self.may_decline((task.name, checkpoint))
        self.happened.declines += 1
        self.network.acknowledgements.discard((task.name, checkpoint))
        self.network.declines.add(checkpoint)

    def may_decline(self, call: Call) -> bool:
        """Whether an acknowledgement is under way that can still fail."""
        left = self.happened.declines < self.faults.declines
        return left and call in self.network.acknowledgements

    @action("checkpoint")
    def expire(self, checkpoint: int) -> Guarded:
        left = self.happened.expiries < self.faults.expiries
        yield left and self.coordinator.checkpoints[checkpoint].is_pending
        self.happened.expiries += 1
        self.coordinator.abort(checkpoint)

    @action()
    def fail(self) -> Guarded:
        """A task fails: all attempts end, and with them all that was under way."""
        left = self.happened.failures < self.faults.failures
        yield left and not self.coordinator.job_finished
        self.happened.failures += 1
        self.restart()

    def fails(self, task: Task) -> None:
        """A task fails by itself, and all are restarted."""
        self.restart()

    def restart(self) -> None:
        """All attempts end, and are restored."""
        self.attempt += 1
        self.coordinator.restart()
        for channel in self.channels.values():
            channel.reset()
        for task in self.tasks.values():
            task.begin(Phase.RESTORING)

    @action("task")
    def restore(self, task: Task) -> Guarded:
        """A new operator restores the newest complete checkpoint."""
        yield task.phase is Phase.RESTORING
        task.phase = Phase.RUNNING
        task.operator = task.make()
        checkpoint = self.store.newest
        if checkpoint is None:
            task.operator.start()
            return
        task.confirmed = checkpoint
        part, finished = self.store.load(checkpoint, task.name), self.store.finished(checkpoint)
        if task.name in finished:
            task.operator = task.operator.restore_finished()
            task.was_finished = True
        elif part is None:
            task.operator.start()
        else:
            beside = self.store.beside(task.name)
            task.operator.beside = tuple(each for each in beside if each not in finished)
            task.operator.restore(part["operator"])
