"""What the coordinator tells tasks of a checkpoint's end, and they the coordinator of failures.

Models AB-1 … AB-3, CN-3 … CN-5 and the confirmations of FC-7 of the fact sheet.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from model.protocols.coordinator.checkpoints import ABORTED, Checkpoint
from model.protocols.coordinator.plan import Planning
from model.protocols.job.elements import CancelBarrier, CheckpointId
from model.protocols.task.tasks import Task
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


class Notifying(Planning, ABC):
    """A job whose tasks hear of the completion and of the abort of checkpoints."""

    #: CN-3: whether an abort carries the newest completed id.
    aborts_carry_latest: bool
    #: CN-5: whether confirmations reach a task in the order in which checkpoints complete.
    confirmations_in_order: bool = False

    losses = field(Range(0, Bound("lost_confirmations")), 0)
    declines = field(Range(0, Bound("declines")), 0)
    expiries = field(Range(0, Bound("expiries")), 0)

    # --- abort -----------------------------------------------------------------------------------

    @step
    def abort(self, checkpoint: Checkpoint) -> None:
        """AB-1: dispose of a pending checkpoint and tell those that it waited for."""
        checkpoint.status = ABORTED
        for task in self.tasks:
            self._notify_abort(task, checkpoint)
        if not checkpoint.aborts.is_empty:
            checkpoint.latest = self.newest_completed()
        checkpoint.finished.clear()
        checkpoint.awaited.clear()
        checkpoint.acknowledgements.clear()
        checkpoint.declined = False

    @step
    def _notify_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        if not checkpoint.finished.has(task) and not task.is_gone:
            checkpoint.aborts.add(task)

    @step
    def give_up_alignment(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-4: a task unblocks its inputs, declines the checkpoint, and tells those downstream."""
        task.newest = checkpoint
        task.gate.resume()
        self.declined(checkpoint)
        task.broadcast(CancelBarrier(checkpoint))

    @step
    def declined(self, checkpoint: CheckpointId) -> None:
        """A task gives a checkpoint up: its decline is on its way."""
        known = self.known(checkpoint)
        if known.is_pending:
            known.declined = True

    @rule(fair=WEAK)
    def apply_decline(self, checkpoint: Checkpoint) -> None:
        """AB-1: a decline arrives and aborts the checkpoint."""
        require(checkpoint.declined)
        self.abort(checkpoint)

    @rule
    def fail_snapshot(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-1: the asynchronous part of a snapshot fails, and the task declines."""
        require(checkpoint.acknowledgements.has(task), task.is_alive)
        self.count_decline()
        checkpoint.acknowledgements.remove(task)
        self.snapshot_failed(checkpoint)

    @step
    def count_decline(self) -> None:
        """One more of the declines that the bounds allow."""
        within(self.declines, self.bounds.declines)
        self.declines += 1

    @step
    def snapshot_failed(self, checkpoint: Checkpoint) -> None:
        """AB-1: a decline for a failed snapshot is on its way."""
        checkpoint.declined = True

    @rule
    def expire(self, checkpoint: Checkpoint) -> None:
        """AB-1: a pending checkpoint times out."""
        require(self.is_timed(checkpoint))
        within(self.expiries, self.bounds.expiries)
        self.expiries += 1
        self.abort(checkpoint)

    @define
    def is_timed(self, checkpoint: Checkpoint) -> bool:
        """AB-1: whether the timer of a checkpoint runs: until it completes, or is aborted."""
        return checkpoint.is_pending

    # --- notifications ---------------------------------------------------------------------------

    @step
    def confirm(self, task: Task, checkpoint: Checkpoint) -> None:
        """CN-1: a task that took part will be told that the checkpoint is complete."""
        if not checkpoint.finished.has(task) and not task.is_gone:
            checkpoint.confirmations.add(task)

    @rule(fair=WEAK)
    def deliver_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-3, CN-3: an abort arrives; first the completion that it carries, then the abort."""
        require(checkpoint.aborts.has(task))
        latest = checkpoint.latest
        checkpoint.notified_of_abort(task)
        if self.aborts_carry_latest and latest != Nothing:
            self.on_confirmation(task, latest)
        task.gate.on_abort(checkpoint)

    @rule(fair=WEAK)
    def deliver_confirmation(self, task: Task, checkpoint: Checkpoint) -> None:
        """FC-7, 1.6: a confirmation arrives; confirmations of several checkpoints in any order."""
        require(checkpoint.confirmations.has(task))
        if self.confirmations_in_order:
            require(self.is_confirmed_next(task, checkpoint))
        checkpoint.confirmations.remove(task)
        self.on_confirmation(task, checkpoint)

    @define
    def is_confirmed_next(self, task: Task, checkpoint: Checkpoint) -> bool:
        """CN-5: whether the task has been told of each checkpoint that completed before."""
        return all(
            not other.confirmations.has(task) or not self.completed_before(other, checkpoint)
            for other in self.checkpoints
        )

    @define
    def completed_before(self, one: Checkpoint, other: Checkpoint) -> bool:
        """CN-1: which of two completed first: the older one, for a newer one subsumes it."""
        return one < other

    @step
    def note_completion(self, checkpoint: Checkpoint) -> None:
        """CN-5: a protocol whose checkpoints complete in any order keeps the order."""

    @rule
    def lose_confirmation(self, task: Task, checkpoint: Checkpoint) -> None:
        """1.6, CN-5: a confirmation is lost."""
        require(checkpoint.confirmations.has(task))
        within(self.losses, self.bounds.lost_confirmations)
        self.losses += 1
        checkpoint.confirmations.remove(task)

    @abstractmethod
    def on_confirmation(self, task: Task, checkpoint: CheckpointId) -> None:
        """What a task does with a confirmation."""

    @step
    def drop_messages(self, task: Task) -> None:
        """A task closes: no notification reaches it any more."""
        for checkpoint in self.checkpoints:
            checkpoint.drop(task)
