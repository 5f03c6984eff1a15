"""The checkpoint coordinator: plan, trigger, acknowledgement, completion, subsumption, abort.

Models PL-1 … PL-9, CN-1 … CN-5 and AB-1 … AB-6 of the fact sheet for periodic aligned checkpoints
with one completed checkpoint retained. Steps that the atomicity map (1.8) keeps apart stay apart:
the plan and each RPC, the mail and its run, the acknowledgement and its application, completion and
each confirmation, EndOfPartition and the coordinator learning FINISHED. Merged are the plan, the id
and the pending checkpoint: a task that ends in between is found so by its trigger, and a failure in
between aborts what it would have refused. A message to a closed
task has no effect and is dropped with it, except a trigger, whose failure is the point (PL-5).
PL-9's metadata is the set of tasks that a checkpoint counts as finished.
Left out: that a call to a task without a slot counts as sent (PL-4; then only the time-out helps),
savepoints, coordinators of operators, master hooks, storage failures, and the counter of
failed checkpoints (AB-4): a failure of the job can follow at any time anyway.
"""

from __future__ import annotations

import enum

from model.protocols.parts.checkpoints import (
    ABORTED,
    COMPLETED,
    PENDING,
    UNUSED,
    Checkpoint,
    CheckpointKind,
)
from model.protocols.parts.elements import CancelBarrier, CheckpointId
from model.protocols.parts.recycling import Recycling
from model.protocols.parts.tasks import Task, TaskStatus
from model.rules import (
    STRONG,
    WEAK,
    Bound,
    Nothing,
    Range,
    count,
    define,
    field,
    require,
    rule,
    step,
    within,
)


class UnionCheck(enum.Enum):
    """PL-8: when a vertex with union state may not be part of a completed checkpoint."""

    NONE = "none"
    FINISHED = "finished"
    FINISHED_OR_FINISHING = "finished-or-finishing"


class Checkpointing(Recycling):
    """A job and its coordinator. What a task does when it ends is its subclasses' to say."""

    #: PL-2.1: whether checkpoints are taken after tasks have finished (Flink's flag).
    checkpoints_after_finish: bool
    #: CN-3: whether an abort carries the newest completed id.
    aborts_carry_latest: bool

    #: PL-8: which checkpoints of unevenly finished union state are aborted.
    union_check: UnionCheck = UnionCheck.FINISHED_OR_FINISHING

    losses = field(Range(0, Bound("lost_confirmations")), 0)
    declines = field(Range(0, Bound("declines")), 0)
    expiries = field(Range(0, Bound("expiries")), 0)

    # --- trigger ---------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def trigger_checkpoint(self) -> None:
        """PL-1, PL-2, PL-3: the coordinator plans the next checkpoint and makes it pending."""
        self.admit()
        self.begin()
        if self.observes("progress"):
            self.progress = False

    @step
    def admit(self) -> None:
        """PL-1, PL-2.1, PL-2.5: whether a checkpoint can be triggered now at all."""
        require(count(self.checkpoints, lambda each: each.is_pending) < self.concurrent)
        require(any(not task.reported_finished for task in self.tasks))
        require(all(task.status != TaskStatus.RESTORING for task in self.tasks))
        if not self.checkpoints_after_finish:
            require(all(not task.reported_finished for task in self.tasks))
        self.make_room()
        within(count(self.checkpoints, lambda each: each.status != UNUSED), self.id_limit)

    @step
    def begin(self, kind: CheckpointKind = CheckpointKind.CHECKPOINT) -> None:
        """Make the next id pending, with the plan of this moment."""
        # From the last id down, so that one that has just begun is not taken for a used one.
        for position in reversed(range(len(self.checkpoints))):
            self._begin_if_next(position, kind)

    @step
    def _begin_if_next(self, position: int, kind: CheckpointKind) -> None:
        checkpoint = self.checkpoints[position]
        is_next = position == 0 or self.checkpoints[position - 1].status != UNUSED
        if is_next and checkpoint.status == UNUSED:
            checkpoint.status = PENDING
            self.note_kind(checkpoint, kind)
            self.compute_plan(checkpoint)

    def note_kind(self, checkpoint: Checkpoint, kind: CheckpointKind) -> None:
        """Where a protocol has several kinds of checkpoints, it keeps the kind of each."""

    @step
    def compute_plan(self, checkpoint: Checkpoint) -> None:
        """PL-2.3, PL-2.4: wait for all that run; trigger those whose producers have all ended."""
        for task in self.tasks:
            self._plan(checkpoint, task)

    @step
    def _plan(self, checkpoint: Checkpoint, task: Task) -> None:
        if self.counts_as_finished(task):
            checkpoint.finished.add(task)
        else:
            checkpoint.awaited.add(task)
            if self.is_head(task):
                checkpoint.triggers.add(task)

    @define
    def counts_as_finished(self, task: Task) -> bool:
        """PL-2.4: whether a task need not take part."""
        return task.reported_finished

    @define
    def is_head(self, task: Task) -> bool:
        """PL-2.4: whether no producer of a task takes part, so that it must be triggered itself."""
        return all(self.counts_as_finished(producer) for producer in self.producers(task))

    @rule(fair=WEAK)
    def deliver_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-4: a trigger RPC arrives: the mailbox takes it, or the call fails."""
        require(checkpoint.triggers.has(task))
        checkpoint.triggers.remove(task)
        if task.status in (TaskStatus.QUIESCED, TaskStatus.CLOSED):
            self.trigger_failed(task, checkpoint)
        else:
            task.mail.add(checkpoint)

    @step
    def trigger_failed(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-5: a task that has ended meanwhile cannot be triggered: the checkpoint is aborted."""
        if checkpoint.is_pending:
            self.abort(checkpoint)

    @rule(fair=STRONG)
    def run_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-7: the mailbox runs a trigger, also while it drains (FC-8)."""
        require(task.mail.has(checkpoint), task.is_alive)
        task.mail.remove(checkpoint)
        task.on_trigger(checkpoint)

    # --- acknowledgement and completion ----------------------------------------------------------

    @step
    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """The task's part is taken: its acknowledgement is on its way."""
        known = self.known(checkpoint)
        if known.is_pending:
            known.acknowledgements.add(task)
            if self.unions and task.has_finished:
                known.operators_finished.add(task)

    @rule(fair=WEAK)
    def apply_acknowledgement(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-2: an acknowledgement arrives; acknowledgements of several tasks in any order."""
        require(checkpoint.acknowledgements.has(task))
        checkpoint.acknowledgements.remove(task)
        checkpoint.awaited.remove(task)

    @rule(fair=WEAK)
    def complete(self, checkpoint: Checkpoint) -> None:
        """CN-1: all have acknowledged: the checkpoint is stored, older ones are subsumed."""
        require(checkpoint.is_pending, checkpoint.awaited.is_empty)
        if self.may_not_complete(checkpoint):
            self.abort(checkpoint)
        else:
            checkpoint.status = COMPLETED
            for older in self.checkpoints:
                self.subsume(older, checkpoint)
            for task in self.tasks:
                self._confirm(task, checkpoint)
            if self.observes("progress"):
                self.progress = True

    @step
    def subsume(self, older: Checkpoint, newer: Checkpoint) -> None:
        """CN-1: an older checkpoint that is pending is aborted, a completed one is discarded."""
        if older < newer:
            if older.is_pending:
                self.abort(older)
            older.finished.clear()

    @step
    def _confirm(self, task: Task, checkpoint: Checkpoint) -> None:
        if not checkpoint.finished.has(task) and not task.is_closed:
            checkpoint.confirmations.add(task)

    @define
    def may_not_complete(self, checkpoint: Checkpoint) -> bool:
        """PL-8: a vertex with union state has finished in part, or its operators have."""
        return any(self._is_uneven(checkpoint, subtasks) for subtasks in self.unions)

    @define
    def _is_uneven(self, checkpoint: Checkpoint, subtasks: tuple[Task, ...]) -> bool:
        if self.union_check == UnionCheck.NONE:
            return False
        if checkpoint.has_some(subtasks, checkpoint.finished):
            return not checkpoint.has_all(subtasks, checkpoint.finished)
        if self.union_check == UnionCheck.FINISHED:
            return False
        some = checkpoint.has_some(subtasks, checkpoint.operators_finished)
        return some and not checkpoint.has_all(subtasks, checkpoint.operators_finished)

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
        if not checkpoint.finished.has(task) and not task.is_closed:
            checkpoint.aborts.add(task)

    @step
    def give_up_alignment(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-4: a task unblocks its inputs, declines the checkpoint, and tells those downstream."""
        task.newest = checkpoint
        task.resume()
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
        within(self.declines, self.bounds.declines)
        self.declines += 1
        checkpoint.acknowledgements.remove(task)
        checkpoint.declined = True

    @rule
    def expire(self, checkpoint: Checkpoint) -> None:
        """AB-1: a pending checkpoint times out."""
        require(checkpoint.is_pending)
        within(self.expiries, self.bounds.expiries)
        self.expiries += 1
        self.abort(checkpoint)

    # --- notifications ---------------------------------------------------------------------------

    @rule(fair=WEAK)
    def deliver_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-3, CN-3: an abort arrives; first the completion that it carries, then the abort."""
        require(checkpoint.aborts.has(task))
        latest = checkpoint.latest
        checkpoint.notified_of_abort(task)
        if self.aborts_carry_latest and latest != Nothing:
            self.on_confirmation(task, latest)
        if not task.is_past(checkpoint):
            task.aborted.add(checkpoint)

    @rule(fair=WEAK)
    def deliver_confirmation(self, task: Task, checkpoint: Checkpoint) -> None:
        """FC-7, 1.6: a confirmation arrives; confirmations of several checkpoints in any order."""
        require(checkpoint.confirmations.has(task))
        checkpoint.confirmations.remove(task)
        self.on_confirmation(task, checkpoint)

    @rule
    def lose_confirmation(self, task: Task, checkpoint: Checkpoint) -> None:
        """1.6: a confirmation is lost."""
        require(checkpoint.confirmations.has(task))
        within(self.losses, self.bounds.lost_confirmations)
        self.losses += 1
        checkpoint.confirmations.remove(task)

    def on_confirmation(self, task: Task, checkpoint: CheckpointId) -> None:
        """What a task does with a confirmation."""
        raise AssertionError("a subclass says it")

    # --- the end ---------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def learn_finished(self, task: Task) -> None:
        """1.8: the coordinator learns that a task is FINISHED, before or after those downstream."""
        require(task.is_closed, not task.reported_finished)
        task.reported_finished = True
        if all(each.reported_finished for each in self.tasks):
            self.shut_down()

    @step
    def shut_down(self) -> None:
        """RC-3: the job has FINISHED: what is pending is aborted."""
        for checkpoint in self.checkpoints:
            self._give_up(checkpoint)

    @step
    def _give_up(self, checkpoint: Checkpoint) -> None:
        if checkpoint.is_pending:
            self.abort(checkpoint)
        checkpoint.triggers.clear()

    @step
    def drop_messages(self, task: Task) -> None:
        """A task closes: no notification reaches it any more."""
        for checkpoint in self.checkpoints:
            checkpoint.drop(task)
