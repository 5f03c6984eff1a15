"""One channel with both of its ends, and the two threads that log for an unaligned checkpoint.

UN-1 … UN-4, UN-7, UN-8 and 1.5 of the fact sheet, as the receiver's `ChannelStatePersister` and the
sender's subpartition have them: the network thread moves what is sent into the receiver's buffers
and sees barriers first, the task's thread processes and takes the snapshot. The protocols on jobs
have one queue a channel instead (decision 12); here the two queues, lanes and logs are apart.
What the two ends do is in `persisting.py`.
Left out: credits, and all of other inputs than this one but that one of them may be the first to
bring a checkpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from finale.model.properties.passing import PersistingView
from finale.model.protocols.persisting import Cut, PersisterOptions, Receiving, Sending
from finale.model.rules import (
    WEAK,
    Bound,
    Entity,
    Protocol,
    Range,
    Setting,
    define,
    field,
    require,
    rule,
    step,
    within,
)


@dataclass(frozen=True)
class PersisterBounds:
    """How much is explored."""

    #: how many records the sender has
    records: int = 2
    #: how many checkpoints are taken
    checkpoints: int = 1
    #: how many of them are given up
    aborts: int = 0


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
        self.cuts = tuple(Cut(n + 1, self.sender) for n in range(int(self.bounds.checkpoints)))

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
