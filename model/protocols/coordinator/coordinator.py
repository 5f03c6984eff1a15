"""The checkpoint coordinator: trigger, acknowledgement, completion, the end of the job.

With `plan.py`, `notices.py` and `store.py` it models PL-1 … PL-9, CN-1 … CN-5 and AB-1 … AB-6 of
the fact sheet for periodic aligned checkpoints with one completed checkpoint retained. Steps that
the atomicity map (1.8) keeps apart stay apart: the plan and each RPC, the mail and its run, the
acknowledgement and its application, completion and each confirmation, EndOfPartition and the
coordinator learning FINISHED. Merged are the plan, the id and the pending checkpoint: a task that
ends in between is found so by its trigger, and a failure in between aborts what it would have
refused. A message to a closed task has no effect and is dropped with it, except a trigger, whose
failure is the point (PL-5).
The counter of failed checkpoints (AB-4) is in `tolerance.py`.
Left out: savepoints, coordinators of operators, master hooks, storage failures.
"""

from __future__ import annotations

import enum

from model.protocols.coordinator.checkpoints import PENDING, UNUSED, Checkpoint, CheckpointKind
from model.protocols.coordinator.store import Storing
from model.protocols.job.elements import CheckpointId
from model.protocols.task.tasks import Task, TaskStatus
from model.rules import STRONG, WEAK, count, define, require, rule, step, within


class Acknowledgement(enum.Enum):
    """What becomes of an acknowledgement on its way; if it is answered, its loss is noticed."""

    RELIABLE = "reliable"
    LOSSY = "lossy"
    ANSWERED = "answered"


class Checkpointing(Storing):
    """A job and its coordinator. What a task does when it ends is its subclasses' to say."""

    #: UN-4: whether a task's part is complete once its snapshot is taken; not so where logs follow.
    acknowledges_snapshots = True
    #: PL-2.1: whether checkpoints are taken after tasks have finished (Flink's flag).
    checkpoints_after_finish: bool
    #: PL-4: a trigger to a task without a slot counts as sent, and nobody declines.
    unassigned_counts_as_triggered: bool = False
    #: LF-7: a trigger that finds its task ended is not answered at all.
    unanswered_triggers: bool = False
    #: 1.6: what becomes of acknowledgements on their way.
    acknowledgement: Acknowledgement = Acknowledgement.RELIABLE

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
        require(self.may_be_pending())
        require(any(not task.reported_finished for task in self.tasks))
        require(self.those_wanted_run())
        require(self.accepts_finished())
        self.make_room()
        within(count(self.checkpoints, lambda each: each.status != UNUSED), self.id_limit)

    @define
    def may_be_pending(self) -> bool:
        """PL-1: whether fewer checkpoints are pending than may be."""
        return count(self.checkpoints, lambda each: each.is_pending) < self.concurrent

    @define
    def accepts_finished(self) -> bool:
        """PL-2.1, LF-6: whether no task has finished, or checkpoints are taken all the same."""
        if self.checkpoints_after_finish:
            return True
        return all(not task.reported_finished for task in self.tasks)

    @define
    def those_wanted_run(self) -> bool:
        """PL-2.5: whether no task that would take part is still to be restored."""
        return all(self.counts_as_running(task) for task in self.tasks)

    @define
    def counts_as_running(self, task: Task) -> bool:
        """PL-2.5: whether a task can be asked for its part: not before it is restored."""
        return task.status != TaskStatus.RESTORING

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

    @rule(fair=WEAK)
    def deliver_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-4: a trigger RPC arrives: the mailbox takes it, or the call fails."""
        require(checkpoint.triggers.has(task))
        checkpoint.triggers.remove(task)
        if task.status in (TaskStatus.QUIESCED, TaskStatus.CLOSED):
            if not self.unanswered_triggers:
                self.trigger_failed(task, checkpoint)
        else:
            task.mail.add(checkpoint)

    @rule
    def find_no_slot(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-4: a task has given its slot back when it is to be triggered: its call counts as sent.

        Only a time-out helps then.
        """
        require(self.unassigned_counts_as_triggered, lambda: checkpoint.triggers.has(task))
        require(task.reported_finished)
        checkpoint.triggers.remove(task)

    @step
    def trigger_failed(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-5, LF-7, AB-6: a task that no longer runs is not triggered: the checkpoint is aborted.

        The cancel marker of one that is being cancelled is lost with its channels.
        """
        if checkpoint.is_pending:
            self.abort(checkpoint)

    @rule(fair=STRONG)
    def run_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-7: the mailbox runs a trigger, also while it drains (FC-8)."""
        require(task.mail.has(checkpoint), task.is_alive)
        task.mail.remove(checkpoint)
        task.gate.on_trigger(checkpoint)

    # --- acknowledgement and completion ----------------------------------------------------------

    @step
    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """The task's part is taken: its acknowledgement is on its way, unless logs are missing."""
        known = self.known(checkpoint)
        if self.acknowledges_snapshots:
            self.acknowledge(task, checkpoint)
        if self.unions and known.is_pending and task.has_finished:
            known.operators_finished.add(task)

    @step
    def acknowledge(self, task: Task, checkpoint: CheckpointId) -> None:
        """AB-2: the task's part is complete: its acknowledgement is on its way."""
        known = self.known(checkpoint)
        if known.is_pending:
            known.acknowledgements.add(task)

    @rule(fair=WEAK)
    def apply_acknowledgement(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-2: an acknowledgement arrives; acknowledgements of several tasks in any order.

        AB-5: nothing else makes the coordinator stop waiting for a task.
        """
        require(checkpoint.acknowledgements.has(task))
        checkpoint.acknowledgements.remove(task)
        checkpoint.awaited.remove(task)

    @rule
    def lose_acknowledgement(self, task: Task, checkpoint: Checkpoint) -> None:
        """1.6: an acknowledgement is lost; its task does not know, or sees it and declines."""
        require(self.acknowledgement != Acknowledgement.RELIABLE, int(self.bounds.declines) > 0)
        require(checkpoint.acknowledgements.has(task), task.is_alive)
        self.count_decline()
        checkpoint.acknowledgements.remove(task)
        if self.acknowledgement == Acknowledgement.ANSWERED:
            checkpoint.declined = True

    @rule(fair=WEAK)
    def complete(self, checkpoint: Checkpoint) -> None:
        """CN-1: all have acknowledged: the checkpoint is stored, older ones are subsumed."""
        require(checkpoint.is_pending, checkpoint.awaited.is_empty)
        if self.may_not_complete(checkpoint):
            self.abort(checkpoint)
        else:
            self.store(checkpoint)
            self.note_completion(checkpoint)
            for task in self.tasks:
                self.confirm(task, checkpoint)
            if self.observes("progress"):
                self.progress = True

    # --- the end ---------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def learn_finished(self, task: Task) -> None:
        """1.8: the coordinator learns that a task is FINISHED, before or after those downstream."""
        require(task.is_closed, not task.reported_finished)
        task.reported_finished = True
        if all(each.reported_finished for each in self.tasks):
            self.shut_down()
