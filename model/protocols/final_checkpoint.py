"""FLIP-147: every task waits, after its operators have finished, for a checkpoint that commits all.

"FLIP-147: Support Checkpoints After Tasks Finished - Part Two" (blog, 2022), the wiki's life-cycle
tables, and rules FC-1, FC-2, FC-4 … FC-11 of the fact sheet with aligned barriers; trigger plan,
acknowledgements and notifications are in `coordinator/`, alignment is in `barriers/gate.py`,
failure and restart are in `failures/`.
Left out: stops with a savepoint (FC-3), unaligned barriers (FC-12), operators that are chained.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from model.properties.views import EndOfDataView, WatermarkView
from model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from model.protocols.coordinator.coordinator import Acknowledgement, UnionCheck
from model.protocols.coordinator.modes import ModeOptions, Modes
from model.protocols.coordinator.owing import Owing, OwingOptions
from model.protocols.coordinator.queueing import Queueing, QueueingOptions
from model.protocols.coordinator.reporting import Reporting, ReportingOptions
from model.protocols.job.channels import Channel
from model.protocols.job.elements import CheckpointId, EndOfData
from model.protocols.job.idle import refuse_idle
from model.protocols.sinks.committer import ConstantTagWriter, Writer
from model.protocols.task.execution import WatermarkOptions
from model.protocols.task.operators import Buffering, FlushingStableTask, StableTask
from model.protocols.task.sources import FetchingSource, Source
from model.protocols.task.tasks import Task, TaskStatus
from model.rules import (
    STRONG,
    WEAK,
    Nothing,
    Setting,
    define,
    each,
    require,
    rule,
    step,
)
from model.topology import Kind


class FinishRace(enum.Enum):
    """What happens to a checkpoint whose trigger finds its task already ended."""

    ABORT = "abort"
    RETRIGGER = "retrigger"


class Release(enum.Enum):
    """Which checkpoint, of those after the operators finished, releases a task."""

    ANY = "any"
    FIRST = "first"


class FinalWait(enum.Enum):
    """From when a checkpoint counts as final: the two readings of the blog's step 4.

    NONE is FLIP-147's first half alone: checkpoints go on after tasks have finished, and tasks
    finish without waiting for one.
    """

    AFTER_END_OF_DATA = "after-end-of-data"
    AFTER_END_OF_PARTITION = "after-end-of-partition"
    NONE = "none"


class VirtualBarrier(enum.Enum):
    """Where a trigger by RPC puts the barrier on an input that has not ended (PL-7)."""

    NOW = "now"
    BEFORE_END_OF_PARTITION = "before-end-of-partition"


class Processing(enum.Enum):
    """Whether records are processed while a checkpoint is pending: F6, taken to its end."""

    NORMAL = "normal"
    STOPPED_WHILE_PENDING = "stopped-while-pending"


class HeldUntil(enum.Enum):
    """Until when an operator that buffers holds its records back.

    CONFIRMATION: until a checkpoint that has them is confirmed, whatever else has ended by then.
    """

    FINISH = "finish"
    CONFIRMATION = "confirmation"
    CONFIRMATION_OR_FINISH = "confirmation-or-finish"


class EndTag(enum.Enum):
    """How a writer calls what it hands over at the end: by the next id, or always the same."""

    LAST_PLUS_ONE = "last+1"
    CONSTANT = "constant"


@dataclass(frozen=True)
class FinalCheckpointOptions(
    QueueingOptions, OwingOptions, ReportingOptions, WatermarkOptions, ModeOptions
):
    """The toggles of section 6 that concern these rules; the defaults are today's Flink."""

    #: PL-2.1: checkpoints are taken after tasks have finished, and tasks wait for one (the flag)
    checkpoints_after_finish: bool = True
    #: PL-1: how many checkpoints may be pending at once
    concurrent: int = 1
    #: PL-5, PL-6: what becomes of a checkpoint whose trigger finds its task ended
    finish_race: FinishRace = FinishRace.ABORT
    #: FC-7: which checkpoint, of those after the operators finished, releases a task
    release: Release = Release.ANY
    #: FC-4: from when a checkpoint counts as final
    final_wait: FinalWait = FinalWait.AFTER_END_OF_DATA
    #: PL-7: where a trigger by RPC puts the barrier on an input that has not ended
    virtual_barrier: VirtualBarrier = VirtualBarrier.NOW
    #: FC-6: a task closes only after its consumers have polled its EndOfData
    waits_for_acknowledgement: bool = True
    #: CN-4: confirmations older than the newest one are dropped
    filters_confirmations: bool = True
    #: CN-3: an abort carries the newest completed id
    aborts_carry_latest: bool = True
    #: checkpoints are triggered again and again
    periodic: bool = True
    #: 1.7: a sink opens a transaction in each checkpoint, also after its operators finished
    opens_after_finish: bool = False
    #: PL-8: which checkpoints of unevenly finished union state are aborted
    union_check: UnionCheck = UnionCheck.FINISHED_OR_FINISHING
    #: H12: what finish() of an operator emits it does not hold any more
    clears_on_finish: bool = True
    #: H10: until when an operator that buffers holds its records back
    held_until: HeldUntil = HeldUntil.FINISH
    #: 1.7: how a writer calls what it hands over at the end of its data
    end_tag: EndTag = EndTag.LAST_PLUS_ONE
    #: CN-2: a savepoint is kept among the checkpoints that a failed job starts again from
    savepoint_stored: bool = False
    #: CN-2: the completion of a savepoint is confirmed to the tasks
    savepoint_confirmed: bool = False
    #: 1.6: trigger calls to a task arrive and run in their order
    calls_in_order: bool = False
    #: CN-5: confirmations of checkpoints reach a task in their order; else in any
    confirmations_in_order: bool = False
    #: F6: whether records are processed while a checkpoint is pending
    processing: Processing = Processing.NORMAL
    #: CN-4: a restored task takes the checkpoint that it is restored from for confirmed
    filters_from_restored: bool = True
    #: PL-4: a trigger to a task without a slot counts as sent
    unassigned_counts_as_triggered: bool = False
    #: 1.7: sources fetch a record without the checkpoint lock, and emit it in a later step
    fetches_apart: bool = False
    #: 1.6: what becomes of acknowledgements on their way
    acknowledgement: Acknowledgement = Acknowledgement.RELIABLE


class FinalCheckpoint(Modes, Queueing, Owing, Reporting, WatermarkView, EndOfDataView):
    """The finish of FLIP-147 for natural ends."""

    key = "final-checkpoint"
    Options: ClassVar[type] = FinalCheckpointOptions
    options: FinalCheckpointOptions

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.checkpoints_after_finish = self.options.checkpoints_after_finish
        self.aborts_on_end = not self.options.checkpoints_after_finish
        self.aborts_carry_latest = self.options.aborts_carry_latest
        self.concurrent = self.options.concurrent
        self.union_check = self.options.union_check
        self.savepoint_stored = self.options.savepoint_stored
        self.savepoint_confirmed = self.options.savepoint_confirmed
        self.calls_in_order = self.options.calls_in_order
        self.confirmations_in_order = self.options.confirmations_in_order
        self.filters_from_restored = self.options.filters_from_restored
        self.unassigned_counts_as_triggered = self.options.unassigned_counts_as_triggered
        self.acknowledgement = self.options.acknowledgement
        self.repeats_watermark = self.options.repeats_watermark
        self.aligns_sources = self.options.aligns_sources
        self.interruptible_timers = self.options.interruptible_timers
        for task in self.tasks:
            task.interruptible_timers = self.interruptible_timers
        refuse_idle(self.options, self.tasks, has_watermarks=self.has_watermarks)

    @property
    def source_class(self) -> type[Source]:
        return FetchingSource if self.options.fetches_apart else super().source_class

    @property
    def task_classes(self) -> Mapping[Kind, type[Task]]:
        held: dict[HeldUntil, type[Task]] = {
            HeldUntil.FINISH: Buffering,
            HeldUntil.CONFIRMATION: StableTask,
            HeldUntil.CONFIRMATION_OR_FINISH: FlushingStableTask,
        }
        constant = self.options.end_tag == EndTag.CONSTANT
        return {
            **super().task_classes,
            Kind.BUFFERING: held[self.options.held_until],
            Kind.WRITER: ConstantTagWriter if constant else Writer,
        }

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

    @define
    def ends_data_of(self, task: Task, channel: Channel) -> bool:
        """FC-2: whether the end of a channel's data is the end of the task's."""
        return all(each.end_of_data for each in task.inputs)

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
            self.end_input(task)
        task.broadcast(EndOfData(drain=drain))
        task.status = TaskStatus.WAITING_FOR_FINAL_CP
        if drain:
            self.report_end(task)

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
    def confirmed(self, task: Task, checkpoint: CheckpointId) -> None:
        """FC-7: a newer confirmation commits, and releases a task whose final checkpoint it is."""
        super().confirmed(task, checkpoint)
        if self.releases(task, checkpoint):
            task.released = True

    @define
    def accepts(self, task: Task, checkpoint: CheckpointId) -> bool:
        """CN-4: confirmations are acted on in increasing order, or without that filter in any."""
        if not self.options.filters_confirmations:
            return True
        return super().accepts(task, checkpoint)

    @define
    def releases(self, task: Task, checkpoint: CheckpointId) -> bool:
        """FC-7, CN-6: any checkpoint from the first final one on, or that one only."""
        if task.final_from == Nothing:
            return False
        if self.options.release == Release.FIRST:
            return task.final_from == checkpoint
        return task.final_from <= checkpoint

    @define
    def waits_for_exactly(self, task: Task, checkpoint: Checkpoint) -> bool:
        """With `release = first`, the task's first final checkpoint must keep its id."""
        return self.options.release == Release.FIRST and task.final_from == checkpoint

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
        return task.inputs_ended and task.released and self.is_acknowledged(task)

    @define
    def is_acknowledged(self, task: Task) -> bool:
        """Whether every consumer has polled the task's EndOfData."""
        if not self.options.waits_for_acknowledgement:
            return True
        return all(channel.end_of_data for channel in task.outputs)

    @rule(fair=STRONG)
    def close(self, task: Task) -> None:
        """FC-8, FC-9: with an empty mailbox the operators close and EndOfPartition is emitted."""
        require(task.status == TaskStatus.QUIESCED, task.mail.is_empty)
        self.close_task(task)

    @define
    def processes_records(self) -> bool:
        """F6: back pressure at its worst: no record is processed while a checkpoint is pending."""
        if not self.stops_processing:
            return True
        return all(not checkpoint.is_pending for checkpoint in self.checkpoints)

    @property
    def stops_processing(self) -> bool:
        """Whether no record is processed while a checkpoint is pending: a plain truth value."""
        return self.options.processing == Processing.STOPPED_WHILE_PENDING

    @define
    def is_held_up(self, checkpoint: Checkpoint) -> bool:
        """F6: whether a checkpoint is pending and records that are not processed hold it up."""
        if not self.stops_processing:
            return False
        return checkpoint.is_pending and any(channel.holds_data() for channel in self.channels)

    @define
    def counts_on_expiry(self, checkpoint: Checkpoint) -> bool:
        """AB-4: savepoints of users and of stops do not count when they time out."""
        return not self.has_kinds or checkpoint.kind == CheckpointKind.CHECKPOINT

    # --- triggers of this protocol ---------------------------------------------------------------

    @rule(fair=WEAK)
    def trigger_checkpoint(self) -> None:
        """PL-1, PL-2, PL-3: the coordinator plans the next checkpoint and makes it pending."""
        require(self.options.periodic)
        super().trigger_checkpoint()

    @rule(fair=STRONG)
    def run_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-7: the mailbox runs a trigger, also while it drains (FC-8)."""
        if self.options.virtual_barrier == VirtualBarrier.BEFORE_END_OF_PARTITION:
            require(task.inputs_ended)
        super().run_trigger(task, checkpoint)

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
