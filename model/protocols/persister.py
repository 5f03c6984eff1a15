"""One channel with both of its ends, and the two threads that log for an unaligned checkpoint.

UN-1 … UN-4, UN-7, UN-8 and 1.5 of the fact sheet, as the receiver's `ChannelStatePersister` and the
sender's subpartition have them: the network thread moves what is sent into the receiver's buffers
and sees barriers first, the task's thread processes and takes the snapshot. The protocols on jobs
have one queue a channel instead (decision 12); here the two queues, lanes and logs are apart.
Left out: credits, and all of other inputs than this one but that one of them may be the first to
bring a checkpoint.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from model.properties.persisting import ChannelCut, PersistingView
from model.protocols.parts.elements import CheckpointId
from model.rules import (
    WEAK,
    Bool,
    Bound,
    Entity,
    Enum,
    Nothing,
    Option,
    Protocol,
    Queue,
    Range,
    Ref,
    Setting,
    define,
    field,
    require,
    rule,
    step,
    within,
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


@dataclass(frozen=True)
class PersisterBounds:
    """How much is explored."""

    #: how many records the sender has
    records: int = 2
    #: how many checkpoints are taken
    checkpoints: int = 1
    #: how many of them are given up
    aborts: int = 0


class Cut(ChannelCut, CheckpointId):
    """One checkpoint at this channel: the snapshots of both ends, and what each has logged."""

    sent = field(Bool, False)
    """The sender has taken its snapshot, and the barrier is out."""
    sent_before = field(Count, 0)
    overtaken = field(Records, ())
    """UN-1: the records that the barrier has overtaken at the sender."""
    taken = field(Bool, False)
    """The receiver has taken its snapshot."""
    processed_before = field(Count, 0)
    log = field(Records, ())
    """What the receiver has logged."""
    batch = field(Records, ())
    """With two writers: what the task's thread has still to write."""
    arrived = field(Bool, False)
    """The receiver counts the barrier as arrived."""
    aborted = field(Bool, False)
    """The checkpoint is given up."""
    stopped = field(Bool, False)
    """The receiver knows that the checkpoint is over."""

    @property
    @define
    def is_complete(self) -> bool:
        has_parts = self.sent and self.taken and self.arrived and self.batch.is_empty
        return has_parts and not self.aborted

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
    queue = field(Records, ())
    barriers = field(Queue(Ref(Cut), Bound("checkpoints")), ())


class Receiving(Entity):
    """The receiver: its buffers, and what it persists of them for which checkpoint."""

    queue = field(Records, ())
    """Records that have arrived and are not processed."""
    processed = field(Count, 0)
    persisting = field(Enum(Persisting), Persisting.COMPLETED)
    newest = field(Option(Ref(Cut)), Nothing)
    """The newest checkpoint that is known here: it was begun, its barrier has come, or it is over.
    """
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


class Persister(Protocol, PersistingView):
    """One channel, and two threads at the receiver."""

    key = "persister"
    Options = PersisterOptions
    options: PersisterOptions
    Bounds = PersisterBounds
    bounds: PersisterBounds
    parts = (Sending, Receiving, Cut)

    aborts = field(Range(0, Bound("aborts")), 0)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.sender = Sending("sender")
        self.receiver = Receiving("receiver", self.options)
        self.cuts = tuple(Cut(n + 1) for n in range(int(self.bounds.checkpoints)))

    def entities(self) -> Sequence[Entity]:
        return (self.sender, self.receiver, *self.cuts)

    @define
    def terminal(self) -> bool:
        """All records are processed, and the receiver knows that all checkpoints are over."""
        return self.receiver.processed == self.bounds.records and all(
            cut.stopped for cut in self.cuts
        )

    # --- the coordinator -------------------------------------------------------------------------

    @define
    def may_begin(self, cut: Cut) -> bool:
        """UN-8: whether all earlier checkpoints are over: there is one at a time."""
        return all(each.is_over for each in self.cuts if each.number < cut.number)

    @rule
    def abort(self, cut: Cut) -> None:
        """AB-1: a checkpoint is given up, wherever it has come to."""
        require(int(self.bounds.aborts) > 0)
        require(self.may_begin(cut), not cut.is_over)
        within(self.aborts, self.bounds.aborts)
        self.aborts += 1
        self.give_up(cut)

    @step
    def give_up(self, cut: Cut) -> None:
        """UN-7: what is logged for a checkpoint is dropped."""
        cut.aborted = True
        cut.discard()

    # --- the sender ------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def send(self) -> None:
        """The sender emits its next record."""
        require(self.sender.sent < self.bounds.records)
        self.sender.sent += 1
        self.sender.queue.put(self.sender.sent)

    @rule(fair=WEAK)
    def overtake(self, cut: Cut) -> None:
        """UN-1: the sender is cut; the barrier goes first, what it overtakes is kept."""
        sender = self.sender
        require(self.may_begin(cut), not self.was_cut(cut))
        cut.sent = True
        cut.sent_before = sender.sent
        cut.overtaken = sender.queue
        sender.barriers.put(cut)

    @define
    def was_cut(self, cut: Cut) -> bool:
        """Whether the sender has taken this checkpoint, or a newer one."""
        return any(each.sent for each in self.cuts if each.number >= cut.number)

    # --- the receiver ----------------------------------------------------------------------------

    @rule(fair=WEAK)
    def arrive(self) -> None:
        """UN-2: an element arrives; before the barrier a record is logged, if the log has begun."""
        sender = self.sender
        if not sender.barriers.is_empty:
            self.receiver.on_barrier(sender.barriers.take())
        else:
            require(not sender.queue.is_empty)
            self.receiver.on_record(sender.queue.take())

    @rule(fair=WEAK)
    def process(self) -> None:
        """The task processes a record; a barrier that has come stands before all records."""
        require(not self.receiver.queue.is_empty, not self.receiver.is_barrier_first)
        self.receiver.process()

    @rule(fair=WEAK)
    def start(self, cut: Cut) -> None:
        """UN-3: a barrier, of this channel or of another one, makes the task take its snapshot."""
        require(self.may_begin(cut), not self.is_past(cut))
        self.take_part(cut)

    @define
    def is_past(self, cut: Cut) -> bool:
        """Whether the task has taken this checkpoint or a newer one, or knows that it is over."""
        newer = (each for each in self.cuts if each.number >= cut.number)
        return any(each.taken or each.stopped for each in newer)

    @step
    def take_part(self, cut: Cut) -> None:
        """UN-3, UN-8: the task takes its part, unless a newer barrier has come."""
        if self.receiver.has_newer(cut):
            cut.stopped = True
            self.give_up(cut)
        else:
            self.receiver.start(cut)

    @rule(fair=WEAK)
    def write_batch(self, cut: Cut) -> None:
        """UN-2: with two writers, the task's thread writes what was queued at the snapshot."""
        require(not cut.batch.is_empty)
        cut.log.put(cut.batch.take())

    @rule(fair=WEAK)
    def stop(self, cut: Cut) -> None:
        """UN-4, UN-7: the receiver learns that a checkpoint is over."""
        require(cut.is_over, not cut.stopped)
        self.receiver.stop(cut)
        if cut.aborted:
            cut.discard()
