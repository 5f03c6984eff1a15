"""A channel: the bounded queue from one subtask to another, and what its two ends know of it.

Models 1.5 of the fact sheet for aligned checkpoints. That a consumer has polled EndOfData is at
once the acknowledgement AckAllUserRecordsProcessed at the producer: the producer alone reads it,
and may be late for any other reason, so a separate message adds no behaviour.

A `LoggedChannel` has channel state (CL-2, CL-3, CL-5): its records can become part of a snapshot.
A marker that overtakes keeps its place in the one queue of the channel, and the reader notices the
marker there before its turn: what stands before the marker is logged. The log of a channel is that
of both its ends, the reader's part first: whether a record lay in the sender's buffers or in the
reader's makes no difference. A marker needs no credit, so a full channel has room for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from finale.model.protocols.job.elements import (
    AnyElement,
    Barrier,
    CancelBarrier,
    CheckpointId,
    Data,
    Datum,
    EndOfData,
    EndOfPartition,
)
from finale.model.rules import (
    Bool,
    Bound,
    Entity,
    Nothing,
    Option,
    PerEntity,
    Queue,
    Range,
    Ref,
    Union,
    assumed,
    count,
    define,
    field,
    require,
    step,
)
from finale.model.topology import Channel as Edge

if TYPE_CHECKING:
    from finale.model.scalars import Domain

Element = cast("Domain[AnyElement]", Union(Data, EndOfData, Barrier, CancelBarrier, EndOfPartition))
"""What a channel holds, but that of a writer, which holds what it hands over, too."""
RecordCount = Range(0, Bound("data"))
Time = Range(0, Bound("times"))
"""How far watermarks have come: 0 is before all times, the greatest is the maximal watermark."""


class Channel(Entity):
    """One logical channel. `reader` and `writer` are its tasks, set when the job is laid out."""

    queue = field(Queue(Element, Bound("channel")), (), messages="held")
    end_of_data = field(Bool, False)
    """The reader has polled EndOfData; the writer knows."""
    stopped = field(Bool, False, ghost="stops")
    """The EndOfData that was polled came of a stop without drain (FC-3)."""
    ended = field(Bool, False)
    """The reader has polled EndOfPartition."""
    aligned = field(Bool, False)
    """The reader counts it as arrived at the barrier that it is aligning."""
    blocked = field(Bool, False)
    """The reader does not read it until the alignment ends."""

    watermark = field(Time, 0, ghost="event-time")
    """The latest watermark that the reader has taken from it; 0 before the first."""
    last_watermark = field(Time, 0, ghost="watermarks")
    """History: the watermark that the reader has taken last."""
    after_maximal = field(Bool, False, ghost="watermarks")
    """History: a watermark came after the maximal one, in some attempt."""

    sent = field(RecordCount, 0, ghost="cut")
    received = field(RecordCount, 0, ghost="cut")
    sent_before = field(PerEntity(CheckpointId, RecordCount), 0, ghost="cut")
    received_before = field(PerEntity(CheckpointId, RecordCount), 0, ghost="cut")

    #: Whether there are watermarks: a plain truth value.
    has_watermarks = False

    cancelled = field(PerEntity(CheckpointId, Range(0, 2)), 0, ghost="cancellations")
    """History: how often a checkpoint was cancelled here, in all attempts; 2 stands for more."""

    #: Whether cancellations are counted: a plain truth value.
    counts_cancellations = False
    #: Whether records in flight are logged for a restart: a plain truth value.
    keeps_log = False

    def __init__(self, edge: Edge, *, cut: bool) -> None:
        super().__init__(edge.name)
        self.edge = edge
        self.cut = cut

    @step
    def put(self, element: AnyElement) -> None:
        """Add an element: the writer's step is blocked while the channel is full."""
        require(self.queue.has_space)
        self.queue.put(element)
        if self.counts_cancellations and isinstance(element, CancelBarrier):
            self.cancelled[element.checkpoint] = min(self.cancelled[element.checkpoint] + 1, 2)

    @step
    def put_record(self, record: Datum) -> None:
        """Add a record, and count it."""
        self.put_data(record)
        if self.cut:
            self.sent += 1

    @step
    def put_data(self, datum: Datum) -> None:
        """Add a record or a watermark."""
        self.put(Data(datum))

    @define
    def holds_data(self) -> bool:
        """Whether records are on their way."""
        return self.queue.holds(Data)

    @define
    def refers_to(self, checkpoint: CheckpointId) -> bool:
        """Whether a barrier of the checkpoint is on its way."""
        return self.queue.holds(Barrier(checkpoint)) or self.queue.holds(CancelBarrier(checkpoint))

    @step
    def reset(self) -> None:
        """A new attempt: the channel is empty and open."""
        self.queue.clear()
        self.end_of_data = False
        self.ended = False
        self.aligned = False
        self.blocked = False
        if self.has_watermarks:
            self.watermark = 0

    # --- channel state ---------------------------------------------------------------------------

    def barrier_left(self, checkpoint: CheckpointId) -> None:
        """A barrier has left the queue in its turn."""

    @property
    def is_replayed(self) -> bool:
        """Whether the reader has processed all that a restart took from a log."""
        return True

    def replay(self, checkpoint: CheckpointId) -> None:
        """A restart takes what was in flight here from the log of a checkpoint."""

    def drop_log(self, checkpoint: CheckpointId) -> None:
        """Nothing will be replayed from a checkpoint."""


class LoggedChannel(Channel):
    """One logical channel with channel state."""

    queue = field(Queue(Element, Bound("slots")), (), messages="held")
    log = field(PerEntity(CheckpointId, Queue(Ref(Datum), Bound("in_flight"))), (), ghost="logs")
    """The records that were in flight here when a checkpoint was taken."""
    recovered = field(Queue(Ref(Datum), Bound("in_flight")), ())
    """What a restart has taken from a log, and the reader has not processed yet."""

    logged = field(PerEntity(CheckpointId, RecordCount), 0, ghost="cut")
    """History: how many records a checkpoint has logged here."""
    logged_after = field(PerEntity(CheckpointId, RecordCount), 0, ghost="cut")
    """History: how many records the reader had processed when the first of them was logged."""

    @property
    @define
    def has_credit(self) -> bool:
        """Whether one more record may be sent."""
        records = count(range(self.queue.capacity), lambda i: self.queue.at(i) == Data)
        return records < self.world.scope.bounds["channel"]

    @step
    def put_data(self, datum: Datum) -> None:
        """Add a record or a watermark: the writer's step is blocked while it has no credit."""
        require(self.has_credit)
        super().put_data(datum)

    @define
    def is_before(self, position: int, checkpoint: CheckpointId) -> bool:
        """Whether a place of the queue is before the marker of a checkpoint."""
        behind = range(position + 1, self.queue.capacity)
        return any(self.queue.at(i) == Barrier(checkpoint) for i in behind)

    @assumed("PipelinedSubpartition.processPriorityBuffer")
    @step
    def log_overtaken(self, checkpoint: CheckpointId) -> None:
        """CL-2, UN-1, UN-2: the marker counts before its turn; what it has overtaken is logged."""
        for position in range(self.recovered.capacity):
            self._log_if_recovered(position, checkpoint)
        for position in range(self.queue.capacity - 1):
            self._log_if_overtaken(position, checkpoint)

    @step
    def _log_if_recovered(self, position: int, checkpoint: CheckpointId) -> None:
        if position < self.recovered.length:
            self.add_to_log(checkpoint, self.recovered.at(position))

    @step
    def _log_if_overtaken(self, position: int, checkpoint: CheckpointId) -> None:
        element = self.queue.at(position)
        if self.is_before(position, checkpoint):
            match element:
                case Data(record=record):
                    self.add_to_log(checkpoint, record)
                case _:
                    pass

    @step
    def add_to_log(self, checkpoint: CheckpointId, record: Datum) -> None:
        """CL-3: a record is in flight across the cut: it becomes part of the snapshot."""
        if self.cut and self.counts(record):
            if self.logged[checkpoint] == 0:
                self.logged_after[checkpoint] = self.received
            self.logged[checkpoint] += 1
        if self.keeps_log:
            self.log[checkpoint].put(record)

    @define
    def counts(self, datum: Datum) -> bool:
        """Whether it is a record, and no watermark."""
        return not self.has_watermarks or datum.time == 0

    @step
    def replay(self, checkpoint: CheckpointId) -> None:
        """CL-5: what the checkpoint has logged here is there again, before all that is sent."""
        self.recovered = self.log[checkpoint]

    @property
    @define
    def is_replayed(self) -> bool:
        """Whether the reader has processed all that a restart took from a log."""
        return self.recovered.is_empty

    @assumed("ChannelStatePersister.stopPersisting")
    @step
    def drop_log(self, checkpoint: CheckpointId) -> None:
        """UN-7, CN-1: the log of a checkpoint that is aborted or discarded is dropped."""
        if self.keeps_log:
            self.log[checkpoint].clear()

    @step
    def reset(self) -> None:
        """A new attempt: the channel is empty and open."""
        super().reset()
        self.recovered.clear()


class TimedChannel(LoggedChannel):
    """A channel whose sender may let barriers overtake that it has already queued."""

    hurried = field(Option(Ref(CheckpointId)), Nothing)
    """AT-6: the newest barrier whose time is over at the sender; earlier ones' time is, too."""

    @step
    def reset(self) -> None:
        """A new attempt: the channel is empty and open."""
        super().reset()
        self.hurried = Nothing

    @step
    def barrier_left(self, checkpoint: CheckpointId) -> None:
        """AT-3: a barrier has left the queue in its turn: no time runs for it any more."""
        if self.hurried == checkpoint:
            self.hurried = Nothing
