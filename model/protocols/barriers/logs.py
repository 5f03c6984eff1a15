"""A channel whose records can become part of a snapshot: what is logged, and what is replayed.

Models channel state of the fact sheet (1.5, CL-2, CL-3, CL-5). A marker that overtakes keeps its
place in the one queue of the channel, and the reader notices it there before its turn: what stands
before it is logged. Whether that part lay in the sender's buffers or in the reader's is not told
apart: the log of a channel is that of both its ends, the reader's part first. A marker needs no
credit, so there is room for it behind a channel that is full.
"""

from __future__ import annotations

from finale.model.protocols.job.channels import Channel, Element, RecordCount
from finale.model.protocols.job.elements import Barrier, CheckpointId, Data, Datum
from finale.model.protocols.sinks.committer import CommittableChannel, HandedOver
from finale.model.rules import (
    Bound,
    Nothing,
    Option,
    PerEntity,
    Queue,
    Ref,
    assumed,
    count,
    define,
    field,
    require,
    step,
)


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


class LoggedCommittableChannel(LoggedChannel, CommittableChannel):
    """The channel from a writer to its committer. What is handed over is not logged."""

    queue = field(Queue(HandedOver, Bound("slots")), (), messages="held")
