"""One channel with both of its ends, and the two threads that log for an unaligned checkpoint.

UN-1 … UN-3 and 1.5 of the fact sheet, as the receiver's `ChannelStatePersister` and the sender's
subpartition have them: the network thread moves what is sent into the receiver's buffers and sees
barriers first, the task's thread processes and takes the snapshot. The protocols on jobs have one
queue a channel instead (decision 12); here the two queues, lanes and logs are apart.
Left out: credits, other inputs than this one (one of them may start the checkpoint), more than one
checkpoint.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from model.properties.persisting import LogEnd, PersistingView
from model.rules import (
    WEAK,
    Bool,
    Bound,
    Entity,
    Enum,
    Protocol,
    Queue,
    Range,
    Setting,
    define,
    field,
    require,
    rule,
    step,
)

#: A record is its number, from 1 on; the barrier has none.
BARRIER = 0
Count = Range(0, Bound("records"))
Elements = Queue(Count, Bound("slots"))


class CutBy(enum.Enum):
    """Which thread decides what of the queued records is logged."""

    TASK = "task-thread"
    NETWORK = "network-thread"


class Writers(enum.Enum):
    """How many threads write the receiver's log."""

    ONE = "one"
    TWO = "two"


class Persisting(enum.Enum):
    """What the receiving end knows of the barrier (UN-2)."""

    COMPLETED = "no barrier is waited for"
    BARRIER_PENDING = "the barrier is still to come"
    BARRIER_RECEIVED = "the barrier has come"


@dataclass(frozen=True)
class PersisterOptions:
    """What early releases did; the defaults are what they were mended to."""

    #: UN-3: which thread decides what of the queued records is logged
    cut_by: CutBy = CutBy.TASK
    #: UN-2: how many threads write the receiver's log
    writers: Writers = Writers.ONE


@dataclass(frozen=True)
class PersisterBounds:
    """How much is explored."""

    #: how many records the sender has
    records: int = 2


class Sending(Entity):
    """The sender and its subpartition."""

    sent = field(Count, 0)
    queue = field(Elements, ())
    taken = field(Bool, False)
    """The sender has taken its snapshot, and the barrier is out."""
    sent_before = field(Count, 0)
    log = field(Elements, ())
    """UN-1: the records that the barrier has overtaken here."""


class Receiving(LogEnd):
    """The receiver, its buffers, and what it persists."""

    queue = field(Elements, ())
    """Records that have arrived and are not processed; the barrier is taken out on arrival."""
    processed = field(Count, 0)
    persisting = field(Enum(Persisting), Persisting.COMPLETED)
    arrived_before = field(Count, 0)
    """The last record that came before the barrier: its sequence number."""
    taken = field(Bool, False)
    """The receiver has taken its snapshot."""
    processed_before = field(Count, 0)
    log = field(Elements, ())
    batch = field(Elements, ())
    """With two writers: what the task's thread has still to write."""

    def __init__(self, name: str, sender: Sending) -> None:
        super().__init__(name)
        self.sender = sender

    @property
    @define
    def is_complete(self) -> bool:
        done = self.persisting == Persisting.BARRIER_RECEIVED
        return self.sender.taken and self.taken and done and self.batch.is_empty

    @property
    @define
    def is_exact(self) -> bool:
        """First the receiver's part, from the record after the last one that it had processed, then
        the sender's, up to the last one that was sent."""
        first, own = self.processed_before, self.log.length
        other = self.sender.log
        places = range(self.log.capacity)
        return (
            first + own + other.length == self.sender.sent_before
            and all(i >= own or self.log.at(i) == first + i + 1 for i in places)
            and all(i >= other.length or other.at(i) == first + own + i + 1 for i in places)
        )

    @property
    @define
    def is_split(self) -> bool:
        return not self.log.is_empty and not self.sender.log.is_empty

    @step
    def log_queued(self) -> None:
        """UN-3: what came before the barrier and is not processed is logged."""
        for position in range(self.queue.capacity):
            self._log_at(position)

    @step
    def _log_at(self, position: int) -> None:
        if position < self.queue.length and self.is_before_barrier(position):
            self.log.put(self.queue.at(position))

    @define
    def is_before_barrier(self, position: int) -> bool:
        """Whether a record in the buffers came before the barrier, as far as that has come."""
        if self.persisting != Persisting.BARRIER_RECEIVED:
            return True
        return self.queue.at(position) <= self.arrived_before


class Persister(Protocol, PersistingView):
    """One channel, one checkpoint, two threads at the receiver."""

    key = "persister"
    Options = PersisterOptions
    options: PersisterOptions
    Bounds = PersisterBounds
    bounds: PersisterBounds
    parts = (Sending, Receiving)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.sender = Sending("sender")
        self.receiver = Receiving("receiver", self.sender)

    def entities(self) -> Sequence[Entity]:
        return (self.sender, self.receiver)

    def limits(self) -> dict[str, int]:
        return {**super().limits(), "slots": int(self.bounds.records) + 1}

    @define
    def terminal(self) -> bool:
        """All records are processed, and the checkpoint is taken."""
        return self.receiver.is_complete and self.receiver.processed == self.bounds.records

    # --- the sender ------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def send(self) -> None:
        """The sender emits its next record."""
        require(self.sender.sent < self.bounds.records)
        self.sender.sent += 1
        self.sender.queue.put(self.sender.sent)

    @rule(fair=WEAK)
    def overtake(self) -> None:
        """UN-1: the sender is cut; the barrier goes first, what it overtakes is kept."""
        sender = self.sender
        require(not sender.taken)
        sender.taken = True
        sender.sent_before = sender.sent
        sender.log = sender.queue
        sender.queue.put_first(BARRIER)

    # --- the network thread ----------------------------------------------------------------------

    @rule(fair=WEAK)
    def arrive(self) -> None:
        """UN-2: an element arrives; before the barrier a record is logged, if the log has begun."""
        require(not self.sender.queue.is_empty)
        receiver = self.receiver
        element = self.sender.queue.take()
        if element == BARRIER:
            receiver.persisting = Persisting.BARRIER_RECEIVED
            receiver.arrived_before = receiver.processed + receiver.queue.length
            if self.options.cut_by == CutBy.NETWORK and not receiver.taken:
                receiver.log_queued()
        else:
            receiver.queue.put(element)
            if receiver.persisting == Persisting.BARRIER_PENDING:
                receiver.log.put(element)

    # --- the task's thread -----------------------------------------------------------------------

    @rule(fair=WEAK)
    def process(self) -> None:
        """The task processes a record; a barrier that has come stands before all records."""
        require(not self.receiver.queue.is_empty)
        require(not self.barrier_is_first or self.options.cut_by == CutBy.NETWORK)
        self.receiver.queue.take()
        self.receiver.processed += 1

    @property
    @define
    def barrier_is_first(self) -> bool:
        """Whether the barrier has come, and the task has not read it."""
        waits = self.receiver.persisting == Persisting.BARRIER_RECEIVED
        return waits and not self.receiver.taken

    @rule(fair=WEAK)
    def start(self) -> None:
        """UN-3: a barrier, of this channel or of another one, makes the task take its snapshot."""
        receiver = self.receiver
        require(not receiver.taken)
        receiver.taken = True
        receiver.processed_before = receiver.processed
        if receiver.persisting == Persisting.COMPLETED:
            receiver.persisting = Persisting.BARRIER_PENDING
            self._log_what_is_queued()
        elif self.options.cut_by == CutBy.TASK:
            receiver.log_queued()

    @step
    def _log_what_is_queued(self) -> None:
        if self.options.writers == Writers.ONE:
            self.receiver.log_queued()
        else:
            self.receiver.batch = self.receiver.queue

    @rule(fair=WEAK)
    def write_batch(self) -> None:
        """UN-2: with two writers, the task's thread writes what was queued at the snapshot."""
        require(self.options.writers == Writers.TWO, lambda: not self.receiver.batch.is_empty)
        self.receiver.log.put(self.receiver.batch.take())
