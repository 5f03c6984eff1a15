"""A task: its life cycle, its mailbox, and what it knows of checkpoints.

Models 1.3 of the fact sheet; what comes of barriers is its gate's to say. The wiki's states
and today's Flink: RUNNING is a StreamTask that processes; WAITING_FOR_FINAL_CP one whose operators
have finished and which waits in `afterInvoke` (Flink has no such state: it is RUNNING with two
futures); QUIESCED is the time in which the mailbox refuses new mail and the rest of it still runs
(FC-8); CLOSED is a task whose operators are closed, whose EndOfPartition is out and which the task
manager knows as FINISHED. RESTORING is Flink's INITIALIZING. FAILED is an attempt that failed or
was cancelled and is not, or not yet, followed by another; CANCELED is not told apart.

The asynchronous part of a snapshot and its acknowledgement on the way are one: it is waited for
before the task closes, so it cannot fail afterwards.
"""

from __future__ import annotations

import enum

from finale.model.protocols.barriers.handler import BarrierHandler
from finale.model.protocols.job.channels import Channel, Time
from finale.model.protocols.job.elements import AnyElement, CheckpointId, Datum
from finale.model.protocols.sinks import Sink
from finale.model.protocols.task.chained_source import ChainedSource
from finale.model.rules import (
    EMPTY,
    Bool,
    Entity,
    Enum,
    Nothing,
    Option,
    PerEntity,
    Ref,
    Set,
    define,
    field,
    step,
)
from finale.model.topology import Edge, OperatorKind, Subtask


class TaskStatus(enum.Enum):
    """The life cycle of a task."""

    RESTORING = "restoring"
    RUNNING = "running"
    WAITING_FOR_FINAL_CP = "waiting for the final checkpoint"
    QUIESCED = "quiesced"
    CLOSED = "closed"
    FAILED = "failed"


class Task(Entity):
    """A subtask of the job."""

    status = field(Enum(TaskStatus), TaskStatus.RUNNING)
    reported_finished = field(Bool, False)
    """The coordinator has learned that the task is FINISHED."""
    mail = field(Set(Ref(CheckpointId)), EMPTY)
    """Triggers that the mailbox has accepted and not yet run."""
    newest = field(Option(Ref(CheckpointId)), Nothing)
    """The newest checkpoint that the task has begun, taken or cancelled."""
    aborted = field(Set(Ref(CheckpointId)), EMPTY)
    """Checkpoints known to be aborted before they were taken (AB-3)."""
    confirmed = field(Option(Ref(CheckpointId)), Nothing)
    """The newest confirmation that was acted on (`latestReportCheckpointId`)."""
    final_from = field(Option(Ref(CheckpointId)), Nothing)
    """The first checkpoint taken after the operators finished (FC-4)."""
    released = field(Bool, False)
    """A final checkpoint is confirmed (FC-7)."""
    sync = field(Option(Ref(CheckpointId)), Nothing, ghost="stops")
    """The savepoint that ends the job, once the task knows of it (`syncSavepoint`)."""
    stalled = field(Bool, False, ghost="stalls")
    """It has taken the savepoint that ends the job, and does nothing but wait for its end."""
    forgot = field(Bool, False, ghost="forgets")
    """It knows of the savepoint (`activeSyncSavepointId`), and does not wait for it any more."""
    called_end = field(Bool, False, ghost="calls")
    """History: the operators of this attempt have ended their input and finished."""
    watermark = field(Time, 0, ghost="event-time")
    """How far it is: the latest watermark that its inputs, or its records, have brought."""
    deferred = field(Bool, False, ghost="deferred")
    """A mail waits in which the timers of the maximal watermark fire."""
    met = field(PerEntity(Datum, Time), 0, ghost="watermarks")
    """History: how far it was when it processed a record last."""
    taken = field(Set(Ref(CheckpointId)), EMPTY, ghost="taken")
    """History: the checkpoints that this attempt has taken."""
    taken_after_finish = field(Set(Ref(CheckpointId)), EMPTY, ghost="taken")
    """History: those that some attempt took after its operators had finished."""

    inputs: tuple[Channel, ...] = ()
    outputs: tuple[Channel, ...] = ()
    chained: tuple[ChainedSource, ...] = ()
    sink: Sink | None = None
    gate: BarrierHandler

    #: Whether there are watermarks: a plain truth value.
    has_watermarks = False
    #: Whether timers fire in a mail of their own: a plain truth value.
    interruptible_timers = False
    #: Whether stops are explored: a plain truth value.
    stops = False

    def __init__(self, subtask: Subtask) -> None:
        super().__init__(subtask.name)
        self.subtask = subtask

    @define
    def knows(self, checkpoint: CheckpointId) -> bool:
        """Whether a checkpoint is the savepoint of a stop that the task knows of."""
        return self.stops and self.sync == checkpoint

    @property
    @define
    def knows_savepoint(self) -> bool:
        """Whether the task knows of the savepoint of some stop."""
        return self.stops and self.sync != Nothing

    @property
    def is_running(self) -> bool:
        return self.status == TaskStatus.RUNNING

    @property
    def is_closed(self) -> bool:
        return self.status == TaskStatus.CLOSED

    @property
    @define
    def is_gone(self) -> bool:
        """Nobody is there to be told anything: it has closed, or failed."""
        return self.status in (TaskStatus.CLOSED, TaskStatus.FAILED)

    @property
    @define
    def is_alive(self) -> bool:
        """Its main loop runs."""
        return self.status not in (TaskStatus.RESTORING, TaskStatus.CLOSED, TaskStatus.FAILED)

    @property
    @define
    def has_finished(self) -> bool:
        """Its operators have finished."""
        return self.status in (
            TaskStatus.WAITING_FOR_FINAL_CP,
            TaskStatus.QUIESCED,
            TaskStatus.CLOSED,
        )

    @property
    @define
    def inputs_ended(self) -> bool:
        """EndOfPartition was polled on every input."""
        return all(channel.ended for channel in self.inputs)

    @step
    def broadcast_event(self, element: AnyElement) -> None:
        """Put a control element on every output; blocked while one of them is full."""
        for channel in self.outputs:
            channel.put(element)

    @step
    def collect(self, record: Datum) -> None:
        """Put a record on one channel of each edge out, which its number or key chooses, or all."""
        for edge in dict.fromkeys(channel.edge.edge for channel in self.outputs):
            self._emit_along(record, edge)

    @step
    def _emit_along(self, record: Datum, edge: Edge) -> None:
        among = tuple(channel for channel in self.outputs if channel.edge.edge == edge)
        for channel in among if edge.broadcast else (among[_place(record, among)],):
            channel.put_record(record.on(edge))

    # --- the operator ----------------------------------------------------------------------------

    @step
    def work(self, record: Datum) -> None:
        """The operator's work on a record: here it is passed on."""
        self.collect(record)

    def on_maximal_watermark(self) -> None:
        """The last watermark has come over all inputs: event-time timers fire (LF-2, FC-1)."""

    def quiesce_timers(self) -> None:
        """No timer of the clock fires any more."""

    def finish(self, *, clears: bool = True) -> None:
        """finish() of the operator; `clears`: what it emits there it does not hold any more."""

    def before_barrier(self, checkpoint: CheckpointId) -> None:
        """A barrier is about to go out: what belongs in front of it goes first."""

    def take_part(self, checkpoint: CheckpointId) -> None:
        """A checkpoint is taken: what is done under its id later is put aside."""

    def on_completion(self, checkpoint: CheckpointId) -> None:
        """The operator is told that a checkpoint is complete."""

    def keep(self, checkpoint: CheckpointId) -> None:
        """Put the operator's state into a snapshot, for a restart."""

    def load(self, checkpoint: CheckpointId, *, finished: bool) -> None:
        """A new attempt starts from a snapshot; `finished`: in which the task counts as such."""

    def start_afresh(self) -> None:
        """A new attempt starts from nothing."""

    @define
    def refers_to(self, checkpoint: CheckpointId) -> bool:
        """Whether the task may still do something about a checkpoint."""
        return self.mail.has(checkpoint) or self.gate.awaits_barriers_of(checkpoint)

    # --- the life of an attempt ------------------------------------------------------------------

    @step
    def remember(self, checkpoint: CheckpointId) -> None:
        """History: a checkpoint is taken."""
        self.taken.add(checkpoint)
        if self.has_finished:
            self.taken_after_finish.add(checkpoint)

    @step
    def forget(self) -> None:
        """The attempt ends: what its main loop knew is gone."""
        self.reported_finished = False
        self.mail.clear()
        self.newest = Nothing
        self.gate.forget()
        self.aborted.clear()
        self.confirmed = Nothing
        self.final_from = Nothing
        self.released = False
        if self.has_watermarks:
            self.watermark = 0
        if self.interruptible_timers:
            self.deferred = False


def _place(record: Datum, among: tuple[Channel, ...]) -> int:
    """Which of the channels of an edge a record takes."""
    if among[0].edge.receiver.vertex.kind is OperatorKind.KEYED:
        return record.owner_among(len(among))
    return record.number % len(among)
