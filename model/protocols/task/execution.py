"""The life of a task: it emits, reads, takes checkpoints, commits, closes, fails and is restored.

The main loop takes one element a step (6.2 of the fact sheet): a record, a watermark, a barrier, or
the end of a channel. The rules model AL-1 … AL-5 with gates of `barriers/`, snapshots and
confirmations of a sink (1.7), RC-1 (global restart), RC-4 at equal parallelism, RC-9, RC-10, LF-2.

A failure ends all attempts in one step: what another task still does between the first failure and
its own cancellation it can also do before that failure. Each task is then restored by itself, in
any order. Regional restart and the coordinator's crash are in `failures.py`.

Watermarks travel among the records, so a barrier may overtake them, and they are logged as records
are. A source emits the n-th one behind its n-th record, in the same step, as long as the bound
lasts; at the end of its data it emits the maximal one. The watermark of a task is the least of its
inputs. It is no state and begins anew with each attempt. If the bound is 0, the only watermark is
the maximal one, which is one with the end of data (decision 6). Sources that are aligned are one
group: a source pauses while it is ahead of the slowest.
Left out: records that come late, watermarks of the clock, inputs that are idle, and watermarks in a
log that is dealt out to other subtasks; of alignment the drift that is allowed, and the time that
a source needs to learn how far the others are.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import ClassVar, cast

from finale.model.errors import FinaleError, Place
from finale.model.language.protocol import kept
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.committer import CommittableChannel, Committer
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.channels import Channel, LoggedChannel
from finale.model.protocols.job.elements import (
    Barrier,
    CancelBarrier,
    CheckpointId,
    Committables,
    Data,
    Datum,
    EndOfPartition,
    Watermark,
)
from finale.model.protocols.sinks import BufferedSink
from finale.model.protocols.task.operators import ParkingTask, TickingTask
from finale.model.protocols.task.sources import FetchingSource, Source
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import (
    STRONG,
    WEAK,
    Bound,
    Nothing,
    Range,
    Setting,
    assumed,
    at_once,
    define,
    field,
    require,
    rule,
    step,
    within,
)


class Processing(enum.Enum):
    """Whether records are processed while a checkpoint is pending: F6, taken to its end."""

    NORMAL = "normal"
    STOPPED_WHILE_PENDING = "stopped-while-pending"


@dataclass(frozen=True)
class TaskOptions:
    """Options of the life of a task."""

    #: CN-4: a restored task takes the checkpoint that it is restored from for confirmed
    filters_from_restored: bool = True
    #: F6: whether records are processed while a checkpoint is pending
    processing: Processing = Processing.NORMAL
    #: 1.7: sources fetch a record without the checkpoint lock, and emit it in a later step
    fetches_apart: bool = False

    #: RC-10: a restarted source says at once how far it was; else it says nothing before its next
    repeats_watermark: bool = False
    #: FC-1: the timers of the maximal watermark fire in a mail of their own, so other mails, and
    #: records of another input, can come before them
    interruptible_timers: bool = False
    #: RC-10: sources read alike: one that is ahead of the slowest pauses (watermark alignment)
    aligns_sources: bool = False


class TaskExecution(JobProtocol):
    """Rules of the tasks of a job, whatever protocol it ends by."""

    explores: ClassVar[tuple[str, ...]] = ("ticks", "watermarks")

    @rule(fair=STRONG)
    def emit(self, task: Source) -> None:
        """1.5: a source emits its next record; its watermark follows, if there is one."""
        require(self.may_emit(task))
        task.emit_next()
        if self.has_watermarks:
            self.say_how_far(task)

    @define
    def may_emit(self, task: Source) -> bool:
        """RC-10: whether a source emits a record if it has one and its channels have space: not
        while it is ahead of the slowest source of its group."""
        if not (self.has_watermarks and self.aligns_sources):
            return task.is_running
        return task.is_running and not any(
            self.is_waited_for(other, task) for other in self.tasks if isinstance(other, Source)
        )

    @rule(fair=STRONG)
    def fetch(self, task: FetchingSource) -> None:
        """1.7: a source function fetches its next record, without the checkpoint lock."""
        task.fetch()

    @define
    def has_no_more(self, task: Source) -> bool:
        """Whether a source comes to the end of its data."""
        return task.subtask.bounded and task.remaining == 0

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
        """F6: back pressure at its worst: no record is processed while a checkpoint is pending."""
        if self.processing == Processing.NORMAL:
            return True
        return all(not checkpoint.is_pending for checkpoint in self.checkpoints)

    @property
    def source_class(self) -> type[Source]:
        return FetchingSource if self.fetches_apart else super().source_class

    def log_record(self, task: Task, channel: Channel, record: Datum) -> None:
        """A record is about to be processed: where it is in flight across a cut, it is logged."""

    @staticmethod
    def logged(channel: Channel) -> LoggedChannel:
        """A channel of a job with channel state."""
        return cast(LoggedChannel, channel)

    @step
    def process(self, task: Task, channel: Channel) -> None:
        """The record at the head of a channel is taken, logged if it is to be, and worked on."""
        element = channel.queue.take()
        assert isinstance(element, Data)
        self.log_record(task, channel, element.record)
        self.work_on(task, channel, element.record)

    @step
    def work_on(self, task: Task, channel: Channel, record: Datum) -> None:
        """A record of a channel goes to the operator, and a watermark to the task."""
        if not self.has_watermarks:
            self.work_on_record(task, channel, record)
        elif record.time > 0:
            self.take_watermark(task, channel, record.time)
        else:
            self.work_on_record(task, channel, record)
            if self.observes("watermarks"):
                task.met[record] = task.watermark

    @step
    def work_on_record(self, task: Task, channel: Channel, record: Datum) -> None:
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
        """Whether a task would process, or emit, one more record, and has processed its logs."""
        if isinstance(task, Source):
            return not task.subtask.bounded and self.may_emit(task)
        reads = all(channel.ended or self.reads(task, channel) for channel in task.inputs)
        return task.is_running and reads and self.is_recovered(task)

    # --- barriers --------------------------------------------------------------------------------

    @rule(fair=STRONG)
    def poll_barrier(self, channel: Channel) -> None:
        """AL-1: a task polls a barrier, and takes the checkpoint when the last one is there."""
        task = self.reader(channel)
        require(self.reads(task, channel), channel.queue.head == Barrier)
        barrier = channel.queue.take()
        assert isinstance(barrier, Barrier)
        task.gate.on_barrier(channel, barrier.checkpoint, Arrival.IN_ORDER)
        channel.barrier_left(barrier.checkpoint)

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

    @at_once(
        "SingleCheckpointBarrierHandler.triggerCheckpoint",
        apart="finale.model.protocols.apart:PerformsLater",
    )
    @step
    def perform(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-5: barrier out and snapshot, in one step; one known to be aborted is cancelled."""
        if self.is_known_aborted(task, checkpoint):
            task.aborted.remove(checkpoint)
            task.broadcast_event(CancelBarrier(checkpoint))
        else:
            task.before_barrier(checkpoint)
            task.broadcast_event(Barrier(checkpoint))
            self.snapshot_taken(task, checkpoint)

    @assumed("SubtaskCheckpointCoordinatorImpl.checkpointState", without=False)
    @define
    def is_known_aborted(self, task: Task, checkpoint: CheckpointId) -> bool:
        """AL-5, AB-3: whether a task has learned of the abort of a checkpoint before its part."""
        return task.aborted.has(checkpoint)

    @at_once(
        "StreamTask.performCheckpoint",
        apart="finale.model.protocols.apart:SnapshotsLater",
    )
    @step
    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """FC-4, 1.7: a sink's open transaction becomes pending; what a restore needs is kept."""
        super().snapshot_taken(task, checkpoint)
        self.keep_snapshot(task, checkpoint)
        task.take_part(checkpoint)
        if task.sink:
            task.sink.snapshot(checkpoint, opens=self.opens_transaction(task))
        if self.observes("taken"):
            task.remember(checkpoint)

    @step
    def keep_snapshot(self, task: Task, checkpoint: CheckpointId) -> None:
        """Where each channel is cut, and what a restore will need of this task."""
        if self.observes("cut"):
            for channel in task.outputs:
                channel.sent_before[checkpoint] = channel.sent
            for channel in task.inputs:
                channel.received_before[checkpoint] = channel.received
        if self.keeps_snapshots:
            task.keep(checkpoint)

    def opens_transaction(self, task: Task) -> bool:
        """Whether a sink has an open transaction when it takes a checkpoint."""
        return True

    @step
    def on_confirmation(self, task: Task, checkpoint: CheckpointId) -> None:
        """CN-4: a task acts on a confirmation, unless it has acted on a newer one."""
        if self.accepts(task, checkpoint):
            self.act_on_confirmation(task, checkpoint)

    @assumed("StreamTask.notifyCheckpointComplete")
    @define
    def accepts(self, task: Task, checkpoint: CheckpointId) -> bool:
        """CN-4: confirmations are acted on in increasing order."""
        return task.confirmed == Nothing or task.confirmed < checkpoint

    @step
    def act_on_confirmation(self, task: Task, checkpoint: CheckpointId) -> None:
        """1.7: a sink commits the pending transactions up to the checkpoint; operators are told."""
        task.confirmed = checkpoint
        task.on_completion(checkpoint)
        if task.sink:
            task.sink.commit_up_to(checkpoint)

    @step
    def close_task(self, task: Task) -> None:
        """A task emits EndOfPartition, its operators close, and nothing reaches it any more."""
        task.broadcast_event(EndOfPartition())
        task.status = TaskStatus.CLOSED
        self.close_operators(task)
        self.drop_messages(task)

    @step
    def close_operators(self, task: Task) -> None:
        """CN-7: a sink aborts its open transaction and leaves the pending ones."""
        if task.sink:
            task.sink.close()

    #: CN-4: a restored task takes the checkpoint that it is restored from for confirmed.
    filters_from_restored: bool = True

    failures = field(Range(0, Bound("failures")), 0, ghost="recovery")

    @property
    def recovers(self) -> bool:
        """Whether failures are explored: a plain truth value."""
        return int(self.bounds.failures) > 0

    @property
    def restarts(self) -> bool:
        """Whether tasks are started from checkpoints: a plain truth value."""
        return self.recovers

    @property
    def keeps_snapshots(self) -> bool:
        """Whether what a start from a checkpoint needs is kept: a plain truth value."""
        return self.restarts

    def keeps(self) -> frozenset[str]:
        has_time = self.has_watermarks or self.observes("watermarks")
        return super().keeps() | kept(
            {
                "recovery": self.keeps_snapshots,
                "logs": self.keeps_snapshots,
                "event-time": has_time,
                "deferred": self.interruptible_timers,
            }
        )

    @rule
    def fail(self) -> None:
        """RC-1: a task fails: pending checkpoints are aborted, and all attempts end."""
        require(int(self.bounds.failures) > 0, not self.has_regions)
        require(self.runs())
        require(any(not task.reported_finished for task in self.tasks))
        self.count_failure()
        self.restart_all()

    @define
    def runs(self) -> bool:
        """The job has not ended and is not about to."""
        return True

    @property
    def has_regions(self) -> bool:
        """Whether failures are those of regions: a plain truth value."""
        return False

    @step
    def task_failed(self, task: Task) -> None:
        """RC-1: a task fails by itself, and all are restarted."""
        self.restart_all()

    @define
    def goes_on(self) -> bool:
        """Whether what fails is started again: not where the job has ended or is about to."""
        return not self.has_ended_otherwise()

    def connected(self) -> tuple[tuple[Task, ...], ...]:
        """RC-1: the tasks that are connected with each other, group by group."""
        groups: list[set[Task]] = []
        for task in self.tasks:
            near = {task, *self.producers(task)}
            joined = [group for group in groups if group & near]
            groups = [group for group in groups if not group & near]
            groups.append(near.union(*joined))
        ordered = [tuple(task for task in self.tasks if task in group) for group in groups]
        return tuple(sorted(ordered, key=lambda group: self.tasks.index(group[0])))

    @step
    def count_failure(self) -> None:
        """One more of the failures that the bounds allow."""
        within(self.failures, self.bounds.failures)
        self.failures += 1

    @step
    def restart_all(self) -> None:
        """RC-1: pending checkpoints are aborted, messages are lost, all attempts end."""
        for checkpoint in self.checkpoints:
            self._lose(checkpoint)
        self.refuse_queued()
        self.end_attempts(self.tasks)

    @step
    def end_attempts(self, tasks: tuple[Task, ...]) -> None:
        """RC-1: new attempts, those of FINISHED tasks included; channels between them are empty."""
        for task in tasks:
            for channel in task.outputs:
                channel.reset()
            self.start_attempt(task)

    @step
    def start_attempt(self, task: Task) -> None:
        """What the attempt before knew is gone, and the new one is to be restored."""
        task.forget()
        task.status = TaskStatus.RESTORING
        if self.observes("taken"):
            task.taken.clear()

    @step
    def _lose(self, checkpoint: Checkpoint) -> None:
        if checkpoint.is_pending:
            self.abort(checkpoint)
        self.fence(checkpoint)

    @assumed("TaskExecutor.confirmCheckpoint", "TaskExecutor.triggerCheckpoint")
    @step
    def fence(self, checkpoint: Checkpoint) -> None:
        """RC-1: calls to the attempts that end reach no later attempt."""
        checkpoint.triggers.clear()
        checkpoint.confirmations.clear()
        checkpoint.aborts.clear()
        checkpoint.latest = Nothing

    @rule(fair=WEAK)
    def restore(self, task: Task) -> None:
        """RC-1, RC-4: a task starts again from the newest completed checkpoint, or from nothing."""
        require(self.restarts, lambda: task.status == TaskStatus.RESTORING)
        task.status = TaskStatus.RUNNING
        checkpoint = self.restore_point()
        if checkpoint == Nothing:
            self.restart_from_nothing(task)
        else:
            self.restore_from(task, checkpoint)

    @step
    def restart_from_nothing(self, task: Task) -> None:
        """No checkpoint has completed: the attempt starts as the first one did."""
        task.start_afresh()
        if task.sink:
            task.sink.restart()
        self._count_from_nothing(task)

    @step
    def _count_from_nothing(self, task: Task) -> None:
        if self.observes("cut"):
            for channel in task.outputs:
                channel.sent = 0
            for channel in task.inputs:
                channel.received = 0

    @step
    def restore_from(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-4, RC-10: a task gets its state, and on each input what was in flight there.

        Watermarks are no state; a source may know from its position how far it was.
        """
        self.load_snapshot(task, checkpoint)
        if self.has_watermarks and self.repeats_watermark and isinstance(task, Source):
            self.say_how_far(task)
        for channel in task.inputs:
            channel.replay(checkpoint)

    @step
    def load_snapshot(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-4: a task gets its state; what had finished has nothing left to emit.

        So a task of a fully finished vertex, which Flink restores without its operators (RC-7),
        only passes the end of its data on.
        """
        if self.filters_from_restored:
            task.confirmed = checkpoint
        task.load(checkpoint, finished=self.known(checkpoint).finished.has(task))
        if task.sink:
            task.sink.restore(checkpoint)
        self._count_from(task, checkpoint)

    def process_recovered(self, channel: LoggedChannel) -> None:
        """The reader processes the next record of the log of a channel."""
        task = self.reader(channel)
        require(task.is_alive, self.processes_records())
        record = channel.recovered.take()
        self.log_record(task, channel, record)
        self.work_on(task, channel, record)

    @step
    def _count_from(self, task: Task, checkpoint: CheckpointId) -> None:
        if self.observes("cut"):
            for channel in task.outputs:
                known = self.known(checkpoint)
                gone = known.finished.has(task)
                before, after = channel.sent_before[checkpoint], channel.received_before[checkpoint]
                channel.sent = after if gone else before
            for channel in task.inputs:
                channel.received = channel.received_before[checkpoint]

    #: F6: whether records are processed while a checkpoint is pending.
    processing: Processing = Processing.NORMAL
    #: 1.7: sources fetch a record without the checkpoint lock, and emit it in a later step.
    fetches_apart: bool = False
    #: RC-10: whether a restarted source says at once how far it was.
    repeats_watermark: bool = False
    #: FC-1: whether the timers of the maximal watermark fire in a mail of their own.
    interruptible_timers: bool = False
    #: RC-10: whether a source that is ahead of the slowest pauses.
    aligns_sources: bool = False

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        if self.has_watermarks:
            self._refuse_unmodelled()
        for each in (*self.tasks, *self.channels):
            each.has_watermarks = self.has_watermarks
        for task in self.tasks:
            task.interruptible_timers = self.interruptible_timers
        for channel in self.channels:
            channel.keeps_log = self.keeps_snapshots
        self._refuse_idle()

    def _refuse_idle(self) -> None:
        """Refuse options that no task of the job can use. Raises `option-without-effect`."""
        late = self.has_watermarks and any(task.inputs for task in self.tasks)
        sources = [task for task in self.tasks if isinstance(task, Source)]
        several = self.has_watermarks and len(sources) > 1
        fetched = any(isinstance(task, FetchingSource) and task.data for task in sources)
        for name, used, lacks in (
            ("interruptible_timers", late, "no task gets a watermark"),
            ("repeats_watermark", self.has_watermarks, "no source emits a watermark"),
            ("aligns_sources", several, "no two sources emit watermarks"),
            ("fetches_apart", fetched, "no source has records"),
        ):
            if getattr(self, name) and not used:
                raise FinaleError(
                    "option-without-effect",
                    f'the option "{name}" changes nothing here: {lacks}',
                    place=Place(key=f"options.{name}"),
                    advice="leave it out, or choose a job and bounds with which it matters",
                )

    def _refuse_unmodelled(self) -> None:
        unmodelled = "writers hand over to committers" if self.tags else ""
        if any(vertex.chained for vertex in self.job.vertices):
            unmodelled = "sources chained into a task emit"
        if unmodelled:
            raise FinaleError(
                "watermarks-not-modelled",
                f"watermarks are not modelled among what {unmodelled}",
                place=Place(key="bounds.watermarks"),
                advice="leave it out, or choose another job",
            )

    @property
    def maximal(self) -> Watermark:
        """The last one of all sources: no time is behind it."""
        return self.watermarks[-1]

    @define
    def is_waited_for(self, slower: Source, task: Source) -> bool:
        """RC-10: whether a source pauses until another one of its group has come as far."""
        return self.holds_group(slower) and slower.watermark < task.watermark

    @define
    def holds_group(self, task: Source) -> bool:
        """RC-10: whether other sources wait for this one: a source reports how far it is with its
        first watermark, and a finished source is never behind."""
        return task.watermark > 0 and not task.has_finished

    @step
    def say_how_far(self, task: Source) -> None:
        """A source emits the watermark behind its last record, if it has not in this attempt.

        That it has emitted the maximal one, as it does when it is to drain, it does not remember.
        """
        emitted = min(len(task.data) - task.remaining, self.maximal.time - 1)
        for mark in self.watermarks[:-1]:
            self.advance_if(emitted == mark.time, task, mark)

    @step
    def reach_end_of_time(self, task: Task) -> None:
        """LF-1, FC-1: a source emits the maximal watermark; others have been told, or are now."""
        if not self.has_watermarks:
            task.on_maximal_watermark()
        elif isinstance(task, Source):
            self.pass_on(task, self.maximal)
        elif self.interruptible_timers:
            self.finish_deferred(task)

    @step
    def take_watermark(self, task: Task, channel: Channel, time: int) -> None:
        """RC-10, LF-2: a task is as far as the least of its inputs, and passes that on."""
        self.note_watermark(channel, time)
        channel.watermark = max(channel.watermark, time)
        reached = self.least_of(task)
        for mark in self.watermarks:
            self.advance_if(reached == mark.time, task, mark)

    @define
    def least_of(self, task: Task) -> int:
        """How far the inputs of a task are, all of them."""
        return min(channel.watermark for channel in task.inputs)

    @step
    def advance_if(self, wanted: bool, task: Task, mark: Watermark) -> None:
        """A task that has not been so far passes a watermark on; the maximal one fires timers."""
        if wanted and task.watermark < mark.time:
            task.watermark = mark.time
            if mark == self.maximal and self.interruptible_timers:
                task.deferred = True
            else:
                self.reach(task, mark)

    @step
    def reach(self, task: Task, mark: Watermark) -> None:
        """A task has come to a watermark; the maximal one fires timers."""
        if mark == self.maximal:
            task.on_maximal_watermark()
        self.pass_on(task, mark)

    @rule(fair=STRONG)
    def run_deferred(self, task: Task) -> None:
        """FC-1: the mailbox runs the deferred mail: timers fire, and the watermark goes on."""
        require(self.interruptible_timers, lambda: task.deferred, task.is_alive)
        self.run_mail(task)

    @step
    def run_mail(self, task: Task) -> None:
        """What is deferred is done."""
        task.deferred = False
        self.reach(task, self.maximal)

    @step
    def finish_deferred(self, task: Task) -> None:
        """FC-1: what is deferred is done before the operators finish."""
        if task.deferred:
            self.run_mail(task)

    @step
    def pass_on(self, task: Task, mark: Watermark) -> None:
        """A watermark goes to all consumers of a task."""
        for channel in task.outputs:
            channel.put_data(mark)

    @step
    def note_watermark(self, channel: Channel, time: int) -> None:
        """History: which watermark came, and whether the maximal one had come before it."""
        if self.observes("watermarks"):
            channel.last_watermark = time
            if channel.watermark == self.maximal.time:
                channel.after_maximal = True


# Views of properties: a property on one of them applies to the protocols that derive from it.


class EndOfDataView(JobProtocol):
    """Protocols in which EndOfData precedes EndOfPartition and is acknowledged (FLIP-147)."""


class WatermarkView(TaskExecution):
    """Protocols that explore watermarks."""


class ChannelStateView(TaskExecution):
    """Protocols whose checkpoints hold records in flight."""
