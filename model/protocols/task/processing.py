"""The work of a task's main loop: records, barriers and the ends of channels, one element a step.

Models the polling of 6.2 of the fact sheet with aligned barriers (AL-1 … AL-5) and what a snapshot
and a confirmation are for a sink (1.7).
"""

from __future__ import annotations

from typing import ClassVar

from model.protocols.barriers.gate import Arrival
from model.protocols.coordinator.coordinator import JobProtocol
from model.protocols.job.channels import Channel
from model.protocols.job.elements import (
    Barrier,
    CancelBarrier,
    CheckpointId,
    Committables,
    Data,
    Datum,
    EndOfPartition,
)
from model.protocols.sinks.committer import CommittableChannel, Committer
from model.protocols.sinks.outside_sinks import BufferedSink
from model.protocols.task.operators import ParkingTask, TickingTask
from model.protocols.task.sources import FetchingSource, Source
from model.protocols.task.tasks import Task, TaskStatus
from model.rules import STRONG, Nothing, define, require, rule, step, within


class Processing(JobProtocol):
    """What tasks do between their start and their end."""

    explores: ClassVar[tuple[str, ...]] = ("ticks",)

    @rule(fair=STRONG)
    def emit(self, task: Source) -> None:
        """A source emits its next record."""
        require(self.may_emit(task))
        task.emit_next()
        self.emitted(task)

    @define
    def may_emit(self, task: Source) -> bool:
        """Whether a source emits a record if it has one and its channels have space."""
        return task.is_running

    @rule(fair=STRONG)
    def fetch(self, task: FetchingSource) -> None:
        """1.7: a source function fetches its next record, without the checkpoint lock."""
        task.fetch()

    @define
    def has_no_more(self, task: Source) -> bool:
        """Whether a source comes to the end of its data."""
        return task.subtask.bounded and task.remaining == 0

    def emitted(self, task: Source) -> None:
        """A source has emitted a record; what follows it at once comes now."""

    @rule(fair=STRONG)
    def emit_parked(self, task: ParkingTask, record: Datum) -> None:
        """1.3: the answer to a record that a task has parked is there; answers in any order."""
        require(record in task.data)
        task.emit_parked(record)

    @rule
    def flush(self, sink: BufferedSink) -> None:
        """A sink writes its batch before it must: it is full, or old."""
        sink.flush_some()

    @rule
    def tick(self, task: TickingTask) -> None:
        """1.3: a timer of the clock fires, and the task emits a record of its own."""
        require(int(self.bounds.ticks) > 0)
        within(task.ticked, self.bounds.ticks)
        task.tick()

    @define
    def reads(self, task: Task, channel: Channel) -> bool:
        """Whether a task takes the next element of a channel when there is one."""
        return task.is_alive and not channel.blocked

    @rule(fair=STRONG)
    def poll_data(self, channel: Channel) -> None:
        """A task processes the record at the head of a channel."""
        task = self.reader(channel)
        require(self.processes_records(), self.reads(task, channel), channel.queue.head == Data)
        self.process(task, channel)

    @define
    def processes_records(self) -> bool:
        """Whether tasks are fast enough to process records now (F6)."""
        return True

    @step
    def process(self, task: Task, channel: Channel) -> None:
        """The record at the head of a channel is taken and worked on."""
        element = channel.queue.take()
        assert isinstance(element, Data)
        self.work_on(task, channel, element.record)

    @step
    def work_on(self, task: Task, channel: Channel, record: Datum) -> None:
        """A record of a channel is counted, and worked on."""
        if channel.cut:
            channel.received += 1
        self.operate(task, record)

    @step
    def operate(self, task: Task, record: Datum) -> None:
        """The operator's work on a record: hold it back, write it, or pass it on."""
        task.work(record)
        if task.sink:
            task.sink.write(record)

    @rule(fair=STRONG)
    def poll_committables(self, channel: CommittableChannel) -> None:
        """1.7: a committer is handed what its writer has staged."""
        task = self.reader(channel)
        require(self.reads(task, channel), channel.queue.head == Committables)
        element = channel.queue.take()
        assert isinstance(element, Committables)
        if isinstance(task.sink, Committer):
            task.sink.receive(element.tag)

    # --- waiting for records ---------------------------------------------------------------------

    @define
    def waits_for_records(self) -> bool:
        """Whether some source never ends, and nothing else is missing but its next record.

        A task that has not closed could go on, no channel holds an element that nobody reads, and
        no checkpoint is pending: else the job is stuck, though its source would never end.
        """
        endless = any(task.is_running and not task.subtask.bounded for task in self.tasks)
        quiet = all(channel.queue.is_empty for channel in self.channels)
        decided = all(not checkpoint.is_pending for checkpoint in self.checkpoints)
        idle = all(task.is_closed or self.is_idle(task) for task in self.tasks)
        return endless and quiet and decided and idle

    @define
    def is_idle(self, task: Task) -> bool:
        """Whether a task would process, or emit, one more record."""
        if isinstance(task, Source):
            return not task.subtask.bounded and self.may_emit(task)
        reads = all(channel.ended or self.reads(task, channel) for channel in task.inputs)
        return task.is_running and reads

    # --- barriers --------------------------------------------------------------------------------

    @rule(fair=STRONG)
    def poll_barrier(self, channel: Channel) -> None:
        """AL-1: a task polls a barrier, and takes the checkpoint when the last one is there."""
        task = self.reader(channel)
        require(self.reads(task, channel), channel.queue.head == Barrier)
        barrier = channel.queue.take()
        assert isinstance(barrier, Barrier)
        task.gate.on_barrier(channel, barrier.checkpoint, Arrival.IN_ORDER)

    @rule(fair=STRONG)
    def poll_cancel_barrier(self, channel: Channel) -> None:
        """AL-3: a task polls the news that a checkpoint is given up upstream."""
        task = self.reader(channel)
        require(self.reads(task, channel), channel.queue.head == CancelBarrier)
        barrier = channel.queue.take()
        assert isinstance(barrier, CancelBarrier)
        task.gate.on_cancel_barrier(barrier.checkpoint)

    @rule(fair=STRONG)
    def poll_end_of_partition(self, channel: Channel) -> None:
        """AL-2: a channel has ended: it counts as aligned or, flag off, aborts the alignment."""
        task = self.reader(channel)
        require(self.reads(task, channel), channel.queue.head == EndOfPartition)
        channel.queue.take()
        task.gate.on_end_of_partition(channel)

    # --- what a checkpoint is for an operator ----------------------------------------------------

    @step
    def perform(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-5: barrier out and snapshot, in one step; one known to be aborted is cancelled."""
        if task.aborted.has(checkpoint):
            task.aborted.remove(checkpoint)
            task.broadcast(CancelBarrier(checkpoint))
        else:
            task.before_barrier(checkpoint)
            task.broadcast(Barrier(checkpoint))
            self.snapshot_taken(task, checkpoint)

    @step
    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """1.7: a sink's open transaction becomes pending; what a restore needs is kept."""
        super().snapshot_taken(task, checkpoint)
        self.keep_snapshot(task, checkpoint)
        task.take_part(checkpoint)
        if task.sink:
            task.sink.snapshot(checkpoint, opens=self.opens_transaction(task))
        if self.observes("taken"):
            task.remember(checkpoint)

    @step
    def keep_snapshot(self, task: Task, checkpoint: CheckpointId) -> None:
        """Where each channel is cut."""
        if self.observes("cut"):
            for channel in task.outputs:
                channel.sent_before[checkpoint] = channel.sent
            for channel in task.inputs:
                channel.received_before[checkpoint] = channel.received

    def opens_transaction(self, task: Task) -> bool:
        """Whether a sink has an open transaction when it takes a checkpoint."""
        return True

    @step
    def on_confirmation(self, task: Task, checkpoint: CheckpointId) -> None:
        """CN-4: a task acts on a confirmation, unless it has acted on a newer one."""
        if self.accepts(task, checkpoint):
            self.confirmed(task, checkpoint)

    @define
    def accepts(self, task: Task, checkpoint: CheckpointId) -> bool:
        """CN-4: confirmations are acted on in increasing order."""
        return task.confirmed == Nothing or task.confirmed < checkpoint

    @step
    def confirmed(self, task: Task, checkpoint: CheckpointId) -> None:
        """1.7: a sink commits the pending transactions up to the checkpoint; operators are told."""
        task.confirmed = checkpoint
        task.on_completion(checkpoint)
        if task.sink:
            task.sink.confirm(checkpoint)

    @step
    def close_task(self, task: Task) -> None:
        """A task emits EndOfPartition, its operators close, and nothing reaches it any more."""
        task.broadcast(EndOfPartition())
        task.status = TaskStatus.CLOSED
        self.close_operators(task)
        self.drop_messages(task)

    @step
    def close_operators(self, task: Task) -> None:
        """CN-7: a sink aborts its open transaction and leaves the pending ones."""
        if task.sink:
            task.sink.close()
