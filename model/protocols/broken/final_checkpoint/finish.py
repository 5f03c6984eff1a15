"""Mistakes in finishing: what a task does at its end, and the checkpoints around it."""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import (
    CancelBarrier,
    CheckpointId,
    Data,
    EndOfData,
    EndOfPartition,
    Watermark,
)
from finale.model.protocols.sinks import Transaction, TwoPhaseSink
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import STRONG, WEAK, Nothing, define, require, rule, step
from finale.model.topology import Sink


class AlignsWithinVertex(FinalCheckpoint):
    """Sources of one vertex wait for each other, and not for those of other vertices in their
    group."""

    variant, must_fall = "aligns-within-vertex", "sources-keep-together"

    @define
    def is_waited_for(self, slower: Source, task: Source) -> bool:
        """A source pauses only for another one of its own vertex."""
        alike = slower.subtask.vertex == task.subtask.vertex
        return alike and super().is_waited_for(slower, task)


class AnswersAfterClosing(FinalCheckpoint):
    """A trigger that finds its task closed is still run: the barrier follows the end of the
    channel."""

    variant, must_fall = "answers-after-closing", "nothing-after-end-of-partition"

    @step
    def trigger_failed(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-5, but a closed task takes its part as if it were there."""
        if task.is_closed and checkpoint.is_pending:
            task.gate.on_trigger(checkpoint)
        else:
            super().trigger_failed(task, checkpoint)


class CloseAbortsPending(FinalCheckpoint):
    """V-16: close() aborts every pending transaction, as the wiki's note on 42, 43 and 44 has it.

    A checkpoint that was acknowledged before may still complete and be restored.
    """

    variant, must_fall = "close-aborts-pending", "no-abort-of-recoverable"

    @step
    def close_operators(self, task: Task) -> None:
        """The sink aborts what is open and what is pending."""
        super().close_operators(task)
        if isinstance(task.sink, TwoPhaseSink):
            for checkpoint in self.checkpoints:
                self.abort_pending(task.sink, checkpoint)

    @step
    def abort_pending(self, sink: TwoPhaseSink, checkpoint: CheckpointId) -> None:
        """Abort the checkpoint's transaction if it is pending."""
        if sink.transaction[checkpoint] == Transaction.PRECOMMITTED:
            sink.roll_back(checkpoint)


class ClosesBeforeFinish(FinalCheckpoint):
    """A task whose inputs have ended closes though its operators have not finished."""

    variant, must_fall = "closes-before-finish", "finish-before-close"

    @rule(fair=WEAK)
    def quiesce(self, task: Task) -> None:
        """FC-6 without its conditions, as a cancelled task would leave."""
        require(task.is_running or task.status == TaskStatus.WAITING_FOR_FINAL_CP)
        require(task.inputs_ended)
        task.status = TaskStatus.QUIESCED


class ClosesWithOpenInputs(FinalCheckpoint):
    """A task that a final checkpoint has released closes, though its producers still run."""

    variant, must_fall = "closes-with-open-inputs", "end-of-partition-after-close"

    @define
    def may_close(self, task: Task) -> bool:
        """FC-6 without FC-5."""
        return task.released and self.is_acknowledged(task)


class ConfirmsAborted(FinalCheckpoint):
    """An abort is taken for a completion: the task acts on a checkpoint that it has not taken."""

    variant, must_fall = "confirms-aborted", "confirms-what-was-taken"

    @rule(fair=WEAK)
    def deliver_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        """CN-3 with the aborted id in place of the completed one."""
        require(checkpoint.aborts.has(task))
        checkpoint.notified_of_abort(task)
        self.on_confirmation(task, checkpoint)


class EmitsAfterFinish(FinalCheckpoint):
    """A buffering operator flushes only when its task closes, after EndOfData."""

    variant, must_fall = "emits-after-finish", "no-record-after-finish"

    @step
    def finish_operators(self, task: Task) -> None:
        """FC-1 without the flush."""
        task.broadcast_event(EndOfData(drain=True))
        task.status = TaskStatus.WAITING_FOR_FINAL_CP

    @step
    def close_operators(self, task: Task) -> None:
        """The flush comes when the operators close."""
        task.finish()
        super().close_operators(task)


class EndsAbruptly(FinalCheckpoint):
    """A task that may close is simply gone: its mail is not run, and its consumers are told
    nothing."""

    variant, must_fall = "ends-abruptly", "end-of-partition-after-close"

    @rule(fair=WEAK)
    def quiesce(self, task: Task) -> None:
        """FC-6, and then nothing of FC-8 and FC-9."""
        super().quiesce(task)
        task.status = TaskStatus.CLOSED
        task.mail.clear()
        self.drop_messages(task)


class EndsBeforeClosing(FinalCheckpoint):
    """A task emits EndOfPartition when its mailbox closes, before the rest of its mail has run."""

    variant, must_fall = "ends-before-closing", "end-of-partition-after-close"

    @rule(fair=WEAK)
    def quiesce(self, task: Task) -> None:
        """FC-6, FC-8, and FC-9 with them."""
        super().quiesce(task)
        task.broadcast_event(EndOfPartition())

    @rule(fair=STRONG)
    def close(self, task: Task) -> None:
        """FC-8: with an empty mailbox the operators close."""
        require(task.status == TaskStatus.QUIESCED, task.mail.is_empty)
        task.status = TaskStatus.CLOSED
        self.close_operators(task)
        self.drop_messages(task)


class EndsBeforeDeferred(FinalCheckpoint):
    """The end of data does not wait for the mail in which the timers of the last watermark fire.

    So the maximal watermark, and what the timers emit, come behind EndOfData or not at all. Flink's
    `UnalignedCheckpointsInterruptibleTimersTest.testDeferredWatermarkIsEmittedBeforeEndOfData`.
    """

    variant, must_fall = "ends-before-deferred", "last-watermark-comes-first"

    @step
    def reach_end_of_time(self, task: Task) -> None:
        """LF-1, and what is deferred stays so."""
        if isinstance(task, Source):
            super().reach_end_of_time(task)


class FinishesAgain(FinalCheckpoint):
    """A task whose final checkpoint is aborted runs again, and finishes its operators once more."""

    variant, must_fall = "finishes-again", "finish-before-close"

    @rule(fair=WEAK)
    def deliver_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        """CN-3, and a task that waits for the checkpoint goes back."""
        super().deliver_abort(task, checkpoint)
        if task.status == TaskStatus.WAITING_FOR_FINAL_CP and self.releases(task, checkpoint):
            task.status = TaskStatus.RUNNING


class KeepsSubsumed(FinalCheckpoint):
    """A completed checkpoint does not subsume the older ones that are pending."""

    variant, must_fall = "keeps-subsumed", "completed-in-order"

    def subsume(self, older: Checkpoint, newer: Checkpoint) -> None:
        """CN-1 without subsumption."""


class NoEndOfData(FinalCheckpoint):
    """V-4: without EndOfData, a task finishes its operators only when its inputs have ended.

    Each level of the job then needs a final checkpoint of its own, one after the other.
    """

    variant, must_fall = "no-end-of-data", "one-checkpoint-for-all"

    @step
    def send_end_of_data(self, task: Task, drain: bool) -> None:
        """The operators have finished, and nobody downstream hears of it."""
        for channel in task.outputs:
            channel.end_of_data = True

    @rule(fair=WEAK)
    def poll_end_of_data(self, channel: Channel) -> None:
        """FC-2 does not exist."""
        require(False)

    @rule(fair=WEAK)
    def finish_at_end(self, task: Task) -> None:
        """A task all of whose inputs have ended finishes its operators."""
        require(task.inputs)
        require(task.is_running, task.inputs_ended)
        self.finish_operators(task)


class OnlySinksWait(FinalCheckpoint):
    """Only tasks with a two-phase sink wait for the final checkpoint; all others end with their
    inputs.

    A plan that counts such a task as finished triggers its consumers by RPC, and a trigger by RPC
    assumes that nothing but EndOfPartition is left on their inputs (PL-7, S11). The task ends with
    a record, EndOfData and EndOfPartition behind each other in one channel, if they fit.
    """

    variant, must_fall = "only-sinks-wait", "consistent-cut"

    @define
    def may_close(self, task: Task) -> bool:
        """FC-6: only a two-phase sink waits for a final checkpoint."""
        if task.subtask.vertex.sink == Sink.TWO_PHASE:
            return super().may_close(task)
        return task.inputs_ended


class PassesEachWatermark(FinalCheckpoint):
    """A task passes the watermarks of each input on as they come, and does not wait for the
    least."""

    variant, must_fall = "passes-each-watermark", "watermarks-rise"

    @step
    def take_watermark(self, task: Task, channel: Channel, time: int) -> None:
        """RC-10, LF-2: a watermark is passed on, whatever the other inputs have said."""
        self.note_watermark(channel, time)
        channel.watermark = max(channel.watermark, time)
        for mark in self.watermarks:
            self.pass_on_if(time == mark.time, task, mark)

    @step
    def pass_on_if(self, wanted: bool, task: Task, mark: Watermark) -> None:
        """The one that came goes out."""
        if wanted:
            self.pass_on(task, mark)


class PlansByEndOfData(FinalCheckpoint):
    """The plan counts a task as finished once its operators are, while it still runs."""

    variant, must_fall = "plans-by-end-of-data", "counted-finished-are-finished"

    @define
    def counts_as_finished(self, task: Task) -> bool:
        """PL-2.4 with the wrong state of the task."""
        return task.has_finished


class ReadsBlockedChannels(FinalCheckpoint):
    """A task goes on processing a channel whose barrier has arrived while it waits for the others.

    The gate of at-least-once does so; with exactly-once it breaks the cut.
    """

    variant, must_fall = "reads-blocked-channels", "consistent-cut"

    @rule(fair=WEAK)
    def poll_data(self, channel: Channel) -> None:
        """A task processes the record at the head of a channel, blocked or not."""
        task = self.reader(channel)
        require(task.is_alive, channel.queue.head == Data)
        self.process(task, channel)


class ReleasedByAbort(FinalCheckpoint):
    """A task that waits for its final checkpoint takes the abort of it for its release."""

    variant, must_fall = "released-by-abort", "closed-after-final-checkpoint"

    @rule(fair=WEAK)
    def deliver_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        """CN-3, and a task that has taken the checkpoint after its end waits no longer."""
        super().deliver_abort(task, checkpoint)
        if self.releases(task, checkpoint):
            task.released = True


class RestartsAsFinished(FinalCheckpoint):
    """A task that a checkpoint counts as finished is restored as one that has finished already.

    It does not pass the end of its data on again, as RC-7 has it: its consumers never hear of it.
    """

    variant, must_fall = "restarts-as-finished", "finish-before-close"

    @step
    def restore_from(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-4, and what has finished waits for its final checkpoint again."""
        super().restore_from(task, checkpoint)
        if self.known(checkpoint).finished.has(task):
            task.status = TaskStatus.WAITING_FOR_FINAL_CP


class RestoresOldest(FinalCheckpoint):
    """A restart takes the oldest completed checkpoint instead of the newest."""

    variant, must_fall = "restores-oldest", "restores-newest"

    @define
    def restore_point(self) -> CheckpointId:
        """The first completed checkpoint that is found."""
        oldest: CheckpointId = Nothing
        for checkpoint in reversed(self.checkpoints):
            oldest = checkpoint if checkpoint.is_completed else oldest
        return oldest


class StaysBlocked(FinalCheckpoint):
    """An alignment that is given up leaves the channels blocked whose barrier had arrived."""

    variant, must_fall = "stays-blocked", "unblocked-without-alignment"

    @step
    def give_up_alignment(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-4 without unblocking."""
        task.newest = checkpoint
        task.gate.aligning = False
        self.decline(checkpoint)
        task.broadcast_event(CancelBarrier(checkpoint))


class TakesOldestForNewest(FinalCheckpoint):
    """The oldest completed checkpoint is taken for the newest, by all who ask."""

    variant, must_fall = "takes-oldest-for-newest", "restores-newest"

    @define
    def newest_completed(self) -> CheckpointId:
        """The first completed checkpoint that is found."""
        oldest: CheckpointId = Nothing
        for checkpoint in reversed(self.checkpoints):
            oldest = checkpoint if checkpoint.is_completed else oldest
        return oldest


class TriggersAll(FinalCheckpoint):
    """The coordinator triggers every running task by RPC, not only those without running
    producers."""

    variant, must_fall = "triggers-all", "triggered-tasks-are-heads"

    @define
    def is_head(self, task: Task) -> bool:
        """PL-2.4 without its condition."""
        return True


class TriggersAtFirstEnd(FinalCheckpoint):
    """The coordinator triggers a task by RPC as soon as one of its producers has finished."""

    variant, must_fall = "triggers-at-first-end", "triggered-tasks-are-heads"

    @define
    def is_head(self, task: Task) -> bool:
        """PL-2.4 with one producer for all."""
        some = any(self.counts_as_finished(producer) for producer in self.producers(task))
        return some or super().is_head(task)


class TriggersOnce(FinalCheckpoint):
    """The coordinator triggers no checkpoint any more after the first that completed."""

    variant, must_fall = "triggers-once", "triggers-go-on"

    @step
    def admit(self) -> None:
        """PL-1 with one condition too many."""
        require(self.newest_completed() == Nothing)
        super().admit()


class WaitsForFinishedSources(FinalCheckpoint):
    """A source that has finished still counts for its group, with the last watermark that it
    said."""

    variant, must_fall = "waits-for-finished-sources", "job-finishes"

    @define
    def holds_group(self, task: Source) -> bool:
        """Every source, however it ended."""
        return True


class WaitsForLostAck(FinalCheckpoint):
    """The coordinator waits for the acknowledgement of a task that had ended before its trigger
    came.

    V-9's lesson and the proof-of-concept mail's second point: a failed trigger must end the
    checkpoint.
    """

    variant, must_fall = "waits-for-lost-ack", "checkpoint-ends"

    def trigger_failed(self, task: Task, checkpoint: Checkpoint) -> None:
        """The failed call is not looked at: the task's acknowledgement never comes."""


class WaitsForTheFinished(FinalCheckpoint):
    """The plan counts a task as finished, and waits for its acknowledgement all the same."""

    variant, must_fall = "waits-for-the-finished", "plan-is-a-partition"

    @step
    def compute_plan(self, checkpoint: Checkpoint) -> None:
        """PL-2.4, but all tasks are waited for, as before tasks could finish (PL-2.3)."""
        super().compute_plan(checkpoint)
        for task in self.tasks:
            checkpoint.awaited.add(task)


class WaitsUnconfigured(FinalCheckpoint):
    """A task waits for a final checkpoint although checkpointing is not configured."""

    variant, must_fall = "waits-unconfigured", "no-deadlock"

    @define
    def may_close(self, task: Task) -> bool:
        """FC-6 for all jobs, also for those that take no checkpoint."""
        return task.inputs_ended and task.released and self.is_acknowledged(task)


class WritesTwice(FinalCheckpoint):
    """A sink writes each record twice into its transaction."""

    variant, must_fall = "writes-twice", "commit-at-most-once"

    @step
    def process(self, task: Task, channel: Channel) -> None:
        """The record is written once before its time."""
        head = channel.queue.head
        if task.sink:
            assert isinstance(head, Data)
            task.sink.write(head.record)
        super().process(task, channel)
