"""FLIP-147: every task waits, after its operators have finished, for a checkpoint that commits all.

"FLIP-147: Support Checkpoints After Tasks Finished - Part Two" (blog, 2022), the wiki's life-cycle
tables, and rules FC-1, FC-2, FC-4 … FC-9, FC-11 of the fact sheet with aligned barriers. The rules
of the coordinator are in `coordinator/coordinator.py`, those of a task's life in
`task/execution.py`, FC-10 is in `failures.py`, FC-5 in `requests.py`.
Left out: stops with a savepoint (FC-3), unaligned barriers (FC-12), operators that are chained.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.failures import Failures
from finale.model.protocols.finish_options import (
    FinalCheckpointOptions,
    FinalWait,
    FinishRace,
    HeldUntil,
    ReleasedBy,
    task_classes_of,
)
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId, EndOfData
from finale.model.protocols.requests import Requests
from finale.model.protocols.task.execution import EndOfDataView, WatermarkView
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import (
    STRONG,
    WEAK,
    Nothing,
    assumed,
    at_once,
    define,
    each,
    require,
    rule,
    step,
)
from finale.model.topology import OperatorKind


class FinalCheckpoint(Requests, Failures, WatermarkView, EndOfDataView):
    """The finish of FLIP-147 for natural ends."""

    key = "final-checkpoint"
    Options: ClassVar[type] = FinalCheckpointOptions
    options: FinalCheckpointOptions

    # --- the end of data -------------------------------------------------------------------------

    @rule(fair=STRONG)
    def end_source(self, task: Source) -> None:
        """FC-1: a bounded source without further records finishes its operators."""
        require(task.is_running, self.has_no_more(task))
        self.finish_operators(task)

    @step
    def process(self, task: Task, channel: Channel) -> None:
        """FC-2: a record that comes after EndOfData is dropped: nothing more is expected there."""
        if self.options.held_until != HeldUntil.CONFIRMATION:
            super().process(task, channel)
        elif channel.end_of_data:
            channel.queue.take()
        else:
            super().process(task, channel)

    @define
    def drains(self, task: Task) -> bool:
        """FC-2: whether a task's data have come to their end, so that its operators finish."""
        return True

    @rule(fair=STRONG)
    def poll_end_of_data(self, channel: Channel) -> None:
        """FC-2: a task polls EndOfData; with the last one its operators finish."""
        task = self.reader(channel)
        require(self.reads(task, channel), channel.queue.head == EndOfData)
        element = channel.queue.take()
        assert isinstance(element, EndOfData)
        self.end_data(channel, element.drain)
        if self.ends_data_of(task, channel):
            self.finish_operators(task)

    @step
    def end_data(self, channel: Channel, drain: bool) -> None:
        """FC-2: the reader knows that no record comes any more, and so does the writer."""
        channel.end_of_data = True

    @assumed("StreamTask.endData")
    @define
    def ends_data_of(self, task: Task, channel: Channel) -> bool:
        """FC-2: whether the end of a channel's data is the end of the task's."""
        return all(each.end_of_data for each in task.inputs)

    @at_once("StreamTask.endData", apart="finale.model.protocols.apart:FinishesLater")
    @step
    def finish_operators(self, task: Task) -> None:
        """FC-1, FC-11: the last watermark, endInput and finish of the operators, also if they had
        finished in an earlier attempt; then EndOfData on every output."""
        drain = self.drains(task)
        if drain:
            self.reach_end_of_time(task)
        task.quiesce_timers()
        if drain:
            task.finish(clears=self.options.clears_on_finish)
            if task.sink:
                task.sink.end_input(commits=not self.is_configured)
        self.send_end_of_data(task, drain)
        task.status = TaskStatus.WAITING_FOR_FINAL_CP
        if drain:
            self.report_end(task)

    @step
    def send_end_of_data(self, task: Task, drain: bool) -> None:
        """FC-2: EndOfData follows the last record on every output."""
        task.broadcast_event(EndOfData(drain=drain))

    @step
    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """FC-4: the first checkpoint after the operators finished is the first that is final."""
        super().snapshot_taken(task, checkpoint)
        if task.final_from == Nothing and self.is_final(task):
            task.final_from = checkpoint

    @define
    def opens_transaction(self, task: Task) -> bool:
        """1.7: the last transaction is open when the operators finish; then no other is opened."""
        if self.options.opens_after_finish:
            return True
        return not task.has_finished or task.final_from == Nothing

    @define
    def is_final(self, task: Task) -> bool:
        """Whether a checkpoint taken now is final for the task."""
        if self.options.final_wait == FinalWait.AFTER_END_OF_PARTITION:
            return task.has_finished and task.inputs_ended
        return task.has_finished

    # --- release and close -----------------------------------------------------------------------

    @step
    def act_on_confirmation(self, task: Task, checkpoint: CheckpointId) -> None:
        """FC-7: a newer confirmation commits, and releases a task whose final checkpoint it is."""
        super().act_on_confirmation(task, checkpoint)
        if self.releases(task, checkpoint):
            task.released = True

    @define
    def accepts(self, task: Task, checkpoint: CheckpointId) -> bool:
        """CN-4: confirmations are acted on in increasing order, or without that filter in any."""
        if not self.options.filters_confirmations:
            return True
        return super().accepts(task, checkpoint)

    @assumed("StreamTask.notifyCheckpointComplete")
    @define
    def releases(self, task: Task, checkpoint: CheckpointId) -> bool:
        """FC-7, CN-6: any checkpoint from the first final one on, or that one only."""
        if task.final_from == Nothing:
            return False
        if self.options.release == ReleasedBy.FIRST:
            return task.final_from == checkpoint
        return task.final_from <= checkpoint

    @define
    def waits_for_exactly(self, task: Task, checkpoint: Checkpoint) -> bool:
        """With `release = first`, the task's first final checkpoint must keep its id."""
        return self.options.release == ReleasedBy.FIRST and task.final_from == checkpoint

    @rule(fair=WEAK)
    def quiesce(self, task: Task) -> None:
        """FC-6, FC-8: nothing holds the task any more: its mailbox refuses new mail."""
        require(task.status == TaskStatus.WAITING_FOR_FINAL_CP, self.may_close(task))
        task.status = TaskStatus.QUIESCED

    @define
    def may_close(self, task: Task) -> bool:
        """FC-5, FC-6: the inputs have ended, and with the flag on all data is processed downstream
        and a final checkpoint is confirmed."""
        waits = self.is_configured and self.options.final_wait != FinalWait.NONE
        if not self.options.checkpoints_after_finish or not waits:
            return task.inputs_ended
        return task.inputs_ended and self.is_released(task) and self.is_acknowledged(task)

    @assumed("StreamTask.afterInvoke")
    @define
    def is_released(self, task: Task) -> bool:
        """FC-6: whether a final checkpoint of the task is confirmed."""
        return task.released

    @assumed("ResultPartition.getAllDataProcessedFuture")
    @define
    def is_acknowledged(self, task: Task) -> bool:
        """FC-6: whether every consumer has polled the task's EndOfData."""
        if not self.options.waits_for_acknowledgement:
            return True
        return all(channel.end_of_data for channel in task.outputs)

    @rule(fair=STRONG)
    def close(self, task: Task) -> None:
        """FC-8, FC-9: with an empty mailbox the operators close and EndOfPartition is emitted."""
        require(task.status == TaskStatus.QUIESCED, self.is_mailbox_drained(task))
        self.close_task(task)

    @assumed("MailboxProcessor.drain")
    @define
    def is_mailbox_drained(self, task: Task) -> bool:
        """FC-8: whether the mailbox of a task is empty."""
        return task.mail.is_empty

    # --- a trigger that comes too late -----------------------------------------------------------

    @step
    def trigger_failed(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-5: the checkpoint is aborted; PL-6: or the consumers of a task that is found finished
        are triggered instead (one that is only closing declines in either case)."""
        if self.options.finish_race == FinishRace.ABORT or not task.is_closed:
            super().trigger_failed(task, checkpoint)
        elif checkpoint.is_pending:
            checkpoint.awaited.remove(task)
            checkpoint.finished.add(task)
            each(self.consumers(task), lambda below: self._retrigger(below, checkpoint))

    @step
    def _retrigger(self, task: Task, checkpoint: Checkpoint) -> None:
        heads = all(checkpoint.finished.has(producer) for producer in self.producers(task))
        if heads and checkpoint.awaited.has(task):
            checkpoint.triggers.add(task)

    @property
    def task_classes(self) -> Mapping[OperatorKind, type[Task]]:
        chosen = task_classes_of(self.options.held_until, self.options.end_tag)
        return {**super().task_classes, **chosen}
