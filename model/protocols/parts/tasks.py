"""A task: its life cycle, its mailbox, and the handler that aligns barriers.

Models 1.3, 1.4 (exactly-once handler, aligned) and AL-1 … AL-5 of the fact sheet. The wiki's states
and today's Flink: RUNNING is a StreamTask that processes; WAITING_FOR_FINAL_CP one whose operators
have finished and which waits in `afterInvoke` (Flink has no such state: it is RUNNING with two
futures); QUIESCED is the time in which the mailbox refuses new mail and the rest of it still runs
(FC-8); CLOSED is a task whose operators are closed, whose EndOfPartition is out and which the task
manager knows as FINISHED. RESTORING is Flink's INITIALIZING.

The asynchronous part of a snapshot and its acknowledgement on the way are one: it is waited for
before the task closes, so it cannot fail afterwards.
"""

from __future__ import annotations

import enum
from typing import Protocol

from model.protocols.parts.channels import Channel, RecordCount
from model.protocols.parts.elements import (
    TOO_OFTEN,
    AnyElement,
    Barrier,
    CancelBarrier,
    CheckpointId,
    Datum,
    Effects,
    clear_effects,
)
from model.protocols.parts.sinks import Sink
from model.rules import (
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
    each,
    field,
    require,
    step,
)
from model.topology import Edge, Subtask


class TaskStatus(enum.Enum):
    """The life cycle of a task."""

    RESTORING = "restoring"
    RUNNING = "running"
    WAITING_FOR_FINAL_CP = "waiting for the final checkpoint"
    QUIESCED = "quiesced"
    CLOSED = "closed"


class Ports(Protocol):
    """What a task asks of its surroundings; a scenario binds it to a recorder."""

    aborts_on_end: bool
    """Whether an EndOfPartition aborts the alignment under way (AL-2 with the flag off)."""

    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """The task has taken its part of a checkpoint: it will be acknowledged."""

    def give_up_alignment(self, task: Task, checkpoint: CheckpointId) -> None:
        """The task aborts the alignment of a checkpoint (AL-4)."""


class Task(Entity):
    """A subtask of the job."""

    status = field(Enum(TaskStatus), TaskStatus.RUNNING)
    reported_finished = field(Bool, False)
    """The coordinator has learned that the task is FINISHED."""
    mail = field(Set(Ref(CheckpointId)), EMPTY)
    """Triggers that the mailbox has accepted and not yet run."""
    newest = field(Option(Ref(CheckpointId)), Nothing)
    """The newest checkpoint that the task has begun, taken or cancelled."""
    aligning = field(Bool, False)
    """`newest` is begun, and barriers are missing."""
    aborted = field(Set(Ref(CheckpointId)), EMPTY)
    """Checkpoints known to be aborted before they were taken (AB-3)."""
    confirmed = field(Option(Ref(CheckpointId)), Nothing)
    """The newest confirmation that was acted on (`latestReportCheckpointId`)."""
    final_from = field(Option(Ref(CheckpointId)), Nothing)
    """The first checkpoint taken after the operators finished (FC-4)."""
    released = field(Bool, False)
    """A final checkpoint is confirmed (FC-7)."""
    taken = field(Set(Ref(CheckpointId)), EMPTY, ghost="taken")
    """History: the checkpoints that this attempt has taken."""
    taken_after_finish = field(Set(Ref(CheckpointId)), EMPTY, ghost="taken")
    """History: those that some attempt took after its operators had finished."""

    inputs: tuple[Channel, ...] = ()
    outputs: tuple[Channel, ...] = ()
    sink: Sink | None = None

    def __init__(self, subtask: Subtask, ports: Ports) -> None:
        super().__init__(subtask.name)
        self.subtask = subtask
        self.ports = ports

    @property
    def is_running(self) -> bool:
        return self.status == TaskStatus.RUNNING

    @property
    def is_closed(self) -> bool:
        return self.status == TaskStatus.CLOSED

    @property
    @define
    def is_alive(self) -> bool:
        """Its main loop runs."""
        return self.status not in (TaskStatus.RESTORING, TaskStatus.CLOSED)

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
    def broadcast(self, element: AnyElement) -> None:
        """Put a control element on every output; blocked while one of them is full."""
        for channel in self.outputs:
            channel.put(element)

    @step
    def emit(self, record: Datum) -> None:
        """Put a record on one channel of each edge out, which its number chooses, or on all."""
        for edge in dict.fromkeys(channel.edge.edge for channel in self.outputs):
            self._emit_along(record, edge)

    @step
    def _emit_along(self, record: Datum, edge: Edge) -> None:
        among = tuple(channel for channel in self.outputs if channel.edge.edge == edge)
        chosen = among if edge.broadcast else (among[record.number % len(among)],)
        for channel in chosen:
            channel.put_record(record.on(edge))

    # --- the barrier handler ---------------------------------------------------------------------

    @step
    def on_barrier(self, channel: Channel, checkpoint: CheckpointId, *, virtual: bool) -> None:
        """AL-1: a barrier on a channel; a virtual one comes by RPC (PL-7) and does not block."""
        if self.is_past(checkpoint):
            return
        if self.newest == Nothing or self.newest < checkpoint:
            if self.aligning:
                self.ports.give_up_alignment(self, self.newest)
            self._begin(checkpoint)
        channel.aligned = True
        if not virtual:
            channel.blocked = True
        self._perform_if_aligned()

    @define
    def is_past(self, checkpoint: CheckpointId) -> bool:
        """Whether the checkpoint was taken or given up here, or a newer one begun."""
        if self.newest == Nothing:
            return False
        return self.newest > checkpoint or (self.newest == checkpoint and not self.aligning)

    @step
    def _begin(self, checkpoint: CheckpointId) -> None:
        self.newest = checkpoint
        self.aligning = True
        for channel in self.inputs:
            channel.aligned = channel.ended

    @step
    def _perform_if_aligned(self) -> None:
        if all(channel.aligned for channel in self.inputs):
            checkpoint = self.newest
            self.resume()
            self.perform(checkpoint)

    @step
    def resume(self) -> None:
        """The alignment ends: all inputs are read again."""
        self.aligning = False
        for channel in self.inputs:
            channel.aligned = False
            channel.blocked = False

    @step
    def on_end_of_partition(self, channel: Channel) -> None:
        """AL-2: a channel has ended; it counts as aligned, or ends the alignment (flag off)."""
        channel.ended = True
        channel.blocked = False
        if self.aligning:
            if self.ports.aborts_on_end:
                self.ports.give_up_alignment(self, self.newest)
            else:
                channel.aligned = True
                self._perform_if_aligned()

    @step
    def on_cancel_barrier(self, checkpoint: CheckpointId) -> None:
        """AL-3: the producer gives a checkpoint up that this task has not taken."""
        if not self.is_past(checkpoint):
            self.ports.give_up_alignment(self, checkpoint)

    @step
    def on_trigger(self, checkpoint: CheckpointId) -> None:
        """PL-7: a trigger by RPC: at a source, or with all inputs ended, the checkpoint at once."""
        if self.is_past(checkpoint):
            return
        if self.inputs_ended:
            self.newest = checkpoint
            self.perform(checkpoint)
        else:
            each(self.inputs, lambda channel: self._virtual_barrier(channel, checkpoint))

    @step
    def _virtual_barrier(self, channel: Channel, checkpoint: CheckpointId) -> None:
        if not channel.ended:
            self.on_barrier(channel, checkpoint, virtual=True)

    @step
    def perform(self, checkpoint: CheckpointId) -> None:
        """AL-5: barrier out and snapshot, in one step; one known to be aborted is cancelled."""
        if self.aborted.has(checkpoint):
            self.aborted.remove(checkpoint)
            self.broadcast(CancelBarrier(checkpoint))
        else:
            self.broadcast(Barrier(checkpoint))
            self.ports.snapshot_taken(self, checkpoint)

    @define
    def refers_to(self, checkpoint: CheckpointId) -> bool:
        """Whether the task may still do something about a checkpoint."""
        return self.mail.has(checkpoint) or (self.aligning and self.newest == checkpoint)

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
        self.aligning = False
        self.aborted.clear()
        self.confirmed = Nothing
        self.final_from = Nothing
        self.released = False


def _records(task: Task) -> int:
    return task.subtask.records


class Source(Task):
    """A task that emits records; `remaining` of them are still to come."""

    remaining = field(RecordCount, _records)
    offset = field(PerEntity(CheckpointId, RecordCount), 0, ghost="recovery")
    """What remained when a checkpoint was taken."""

    data: tuple[Datum, ...] = ()

    @step
    def emit_next(self) -> None:
        """Emit the next record."""
        require(self.remaining > 0)
        for record in self.data:
            self._emit_if_next(record)
        self.remaining -= 1

    @step
    def _emit_if_next(self, record: Datum) -> None:
        if self.remaining == len(self.data) - record.number + 1:
            self.emit(record)


class Buffering(Task):
    """A task whose operator holds records back until it finishes."""

    buffer = field(Effects, 0)
    buffered = field(PerEntity(CheckpointId, Effects), 0, ghost="recovery")
    """What was held back when a checkpoint was taken."""

    data: tuple[Datum, ...] = ()

    @step
    def flush(self) -> None:
        """Emit what was held back, in the order of the records."""
        for record in self.data:
            for times in range(TOO_OFTEN):
                self._emit_if_held(record, times)
        clear_effects(self.buffer, self.data)

    @step
    def _emit_if_held(self, record: Datum, times: int) -> None:
        if self.buffer[record] > times:
            self.emit(record)
