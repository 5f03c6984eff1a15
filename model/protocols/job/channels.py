"""A channel: the bounded queue from one subtask to another, and what its two ends know of it.

Models 1.5 of the fact sheet for aligned checkpoints. That a consumer has polled EndOfData is at
once the acknowledgement AckAllUserRecordsProcessed at the producer: the producer alone reads it,
and may be late for any other reason, so a separate message adds no behaviour.
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
    PerEntity,
    Queue,
    Range,
    Union,
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
        if self.counts_cancellations:
            self._count_if_cancels(element)

    @step
    def _count_if_cancels(self, element: AnyElement) -> None:
        match element:
            case CancelBarrier(checkpoint=checkpoint):
                self._count_cancellation(checkpoint)
            case _:
                pass

    @step
    def _count_cancellation(self, checkpoint: CheckpointId) -> None:
        if self.cancelled[checkpoint] < 2:
            self.cancelled[checkpoint] += 1

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

    # --- channel state: `barriers/logs.py` -------------------------------------------------------

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
