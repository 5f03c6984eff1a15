"""Both ends of a channel that logs for unaligned checkpoints: who logs what, and until when.

UN-1 … UN-4, UN-7 and UN-8 of the fact sheet. The receiver knows of the newest checkpoint whether
its barrier is still to come (`BARRIER_PENDING`), has come, or is not waited for; that and the
comparison of ids decide what is logged (`ChannelStatePersister`).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from finale.model.properties.passing import ChannelCut
from finale.model.protocols.job.elements import CheckpointId
from finale.model.rules import (
    Bool,
    Bound,
    Entity,
    Enum,
    Nothing,
    Option,
    Queue,
    Range,
    Ref,
    define,
    field,
    step,
)

#: A record is its number, from 1 on.
Count = Range(0, Bound("records"))
Records = Queue(Count, Bound("records"))


class CutBy(enum.Enum):
    """Which thread decides what of the queued records is logged."""

    TASK = "task-thread"
    NETWORK = "network-thread"


class Writers(enum.Enum):
    """How many threads write the receiver's log."""

    ONE = "one"
    TWO = "two"


class Obsolete(enum.Enum):
    """What the barrier of a checkpoint is, once a newer one was begun or it was over."""

    IGNORED = "ignored"
    COUNTED = "counted"


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
    #: UN-2, UN-8: whether an obsolete barrier counts as the one that is waited for
    obsolete: Obsolete = Obsolete.IGNORED


class Cut(ChannelCut, CheckpointId):
    """One checkpoint at this channel: the snapshots of both ends, and what each has logged."""

    sent = field(Bool, False)
    """The sender has taken its snapshot, and the barrier is out."""
    sent_before = field(Count, 0)
    overtaken = field(Records, (), effect=True)
    """UN-1: the records that the barrier has overtaken at the sender."""
    taken = field(Bool, False)
    """The receiver has taken its snapshot."""
    processed_before = field(Count, 0)
    log = field(Records, (), effect=True)
    """What the receiver has logged."""
    batch = field(Records, ())
    """With two writers: what the task's thread has still to write."""
    arrived = field(Bool, False, effect=True)
    """The receiver counts the barrier as arrived."""
    aborted = field(Bool, False, effect=True)
    """The checkpoint is given up."""
    stopped = field(Bool, False)
    """The receiver knows that the checkpoint is over."""

    def __init__(self, number: int, sender: Sending) -> None:
        super().__init__(number)
        self.sender = sender

    @property
    @define
    def is_complete(self) -> bool:
        has_parts = self.sent and self.taken and self.arrived and self.batch.is_empty
        return has_parts and not self.aborted

    @property
    @define
    def is_under_way(self) -> bool:
        return self.sender.barriers.holds(self)

    @property
    @define
    def is_begun(self) -> bool:
        return self.taken

    @property
    @define
    def is_over(self) -> bool:
        """Whether the coordinator goes on to the next one."""
        return self.aborted or self.is_complete

    @property
    @define
    def is_exact(self) -> bool:
        """First the receiver's part, from the record after the last one that it had processed, then
        the sender's, up to the last one that was sent."""
        first, own, other = self.processed_before, self.log.length, self.overtaken
        places = range(self.log.capacity)
        return (
            first + own + other.length == self.sent_before
            and all(i >= own or self.log.at(i) == first + i + 1 for i in places)
            and all(i >= other.length or other.at(i) == first + own + i + 1 for i in places)
        )

    @property
    @define
    def is_split(self) -> bool:
        return not self.log.is_empty and not self.overtaken.is_empty

    @step
    def discard(self) -> None:
        """UN-7: what is logged for a checkpoint that is given up is dropped."""
        self.log.clear()
        self.batch.clear()


class Sending(Entity):
    """The sender and its subpartition: a lane for barriers, which go first, and one for records."""

    sent = field(Count, 0)
    queue = field(Records, (), messages="held")
    barriers = field(Queue(Ref(Cut), Bound("checkpoints")), (), messages="held")


class Receiving(Entity):
    """The receiver: its buffers, and what it persists of them for which checkpoint."""

    queue = field(Records, (), messages="held")
    """Records that have arrived and are not processed."""
    processed = field(Count, 0)
    persisting = field(Enum(Persisting), Persisting.COMPLETED)
    newest = field(Option(Ref(Cut)), Nothing)
    """The newest checkpoint known here: it was begun, its barrier has come, or it is over."""
    arrived_before = field(Count, 0)
    """The last record that came before the newest barrier: its sequence number."""

    def __init__(self, name: str, options: PersisterOptions) -> None:
        super().__init__(name)
        self.is_cut_by_network = options.cut_by == CutBy.NETWORK
        self.has_two_writers = options.writers == Writers.TWO
        self.counts_obsolete = options.obsolete == Obsolete.COUNTED

    # --- the network thread ----------------------------------------------------------------------

    @step
    def on_record(self, record: int) -> None:
        """UN-2: a record arrives; while a barrier is still to come, it is logged."""
        self.queue.put(record)
        if self.persisting == Persisting.BARRIER_PENDING:
            self.newest.log.put(record)

    @step
    def on_barrier(self, cut: Cut) -> None:
        """UN-2: a barrier arrives; one that is obsolete is ignored."""
        if self.counts_obsolete or not self.is_obsolete(cut):
            self.persisting = Persisting.BARRIER_RECEIVED
            self.arrived_before = self.processed + self.queue.length
            if self.newest == Nothing or self.newest < cut:
                self.newest = cut
            self.newest.arrived = True
            if self.is_cut_by_network and not cut.taken:
                self.log_queued(cut)

    @define
    def is_obsolete(self, cut: Cut) -> bool:
        """UN-8: whether a newer checkpoint is known here, or that one is over."""
        if self.newest == Nothing or self.newest < cut:
            return False
        return self.newest != cut or self.persisting == Persisting.COMPLETED

    # --- the task's thread -----------------------------------------------------------------------

    @step
    def process(self) -> None:
        """The task processes a record."""
        self.queue.take()
        self.processed += 1

    @property
    @define
    def is_barrier_first(self) -> bool:
        """Whether a barrier has come that the task has not read: it stands before all records."""
        if self.is_cut_by_network or self.persisting != Persisting.BARRIER_RECEIVED:
            return False
        return not (self.newest.taken or self.newest.stopped)

    @define
    def has_newer(self, cut: Cut) -> bool:
        """UN-8: whether the barrier of a newer checkpoint has come already."""
        if self.persisting != Persisting.BARRIER_RECEIVED:
            return False
        return cut < self.newest

    @step
    def start(self, cut: Cut) -> None:
        """UN-3: with the snapshot of the task, what came before the barrier and is not processed is
        logged; if the barrier is still to come, so is all that comes before it."""
        cut.taken = True
        cut.processed_before = self.processed
        if self.newest == Nothing or self.newest < cut:
            self.newest = cut
            self.persisting = Persisting.BARRIER_PENDING
            self._log_what_is_queued(cut)
        elif not self.is_cut_by_network:
            self.log_queued(cut)

    @step
    def _log_what_is_queued(self, cut: Cut) -> None:
        if self.has_two_writers:
            cut.batch = self.queue
        else:
            self.log_queued(cut)

    @step
    def log_queued(self, cut: Cut) -> None:
        """UN-3: what came before the barrier and is not processed is logged."""
        for position in range(self.queue.capacity):
            self._log_at(position, cut)

    @step
    def _log_at(self, position: int, cut: Cut) -> None:
        if position < self.queue.length and self.is_before_barrier(position):
            cut.log.put(self.queue.at(position))

    @define
    def is_before_barrier(self, position: int) -> bool:
        """Whether a record in the buffers came before the barrier, as far as that has come."""
        if self.persisting != Persisting.BARRIER_RECEIVED:
            return True
        return self.queue.at(position) <= self.arrived_before

    @step
    def stop(self, cut: Cut) -> None:
        """UN-4, UN-7: a checkpoint is over; its barrier is not waited for any more."""
        cut.stopped = True
        if self.newest == Nothing or not cut < self.newest:
            self.newest = cut
            self.persisting = Persisting.COMPLETED
