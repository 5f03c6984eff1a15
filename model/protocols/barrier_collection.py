"""Engines whose coordinator injects barriers by calls and collects them: epochs, votes, positions.

RisingWave #806, Spark's continuous processing (SPARK-23503), Wallaroo #3032 … #3086, and log
positions that are confirmed too early (Yugabyte #33126). A coordinator tells every worker of an
epoch and lets the first one start its barrier, which follows the data from worker to worker; each
worker reports the epoch when it knows of it and its barrier has passed. Its sink has prepared then,
or votes against; when all have reported, the epoch is published and the sinks commit.
Left out: what the data are; more than a chain of workers; what a restart replays.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from finale.model.rules import (
    EMPTY,
    WEAK,
    Bool,
    Bound,
    Entity,
    Enum,
    Nothing,
    Option,
    PerEntity,
    Protocol,
    Range,
    Ref,
    Set,
    Setting,
    count,
    define,
    field,
    require,
    rule,
    step,
    within,
)


class UnknownEpoch(enum.Enum):
    """What a worker does with a barrier whose epoch it was not yet told of."""

    KEEP = "keep"
    DROP = "drop"


class CommitOrder(enum.Enum):
    """Which of several epochs that are collected is committed next."""

    OLDEST_FIRST = "oldest-first"
    ANY = "any"


class Refusal(enum.Enum):
    """What the coordinator does when a sink votes against an epoch."""

    HANDLED = "handled"
    IGNORED = "ignored"


class Restores(enum.Enum):
    """From which epoch the job starts again after a failure."""

    PUBLISHED = "published"
    NEWEST = "newest"


class Reconnect(enum.Enum):
    """What a sink that comes back does with what it had prepared."""

    ASKS = "asks"
    ABORTS = "aborts"
    COMMITS = "commits"


class Positions(enum.Enum):
    """Which epoch the outside log is told that it may forget its records up to.

    NONE: there is no such log.
    """

    NONE = "none"
    PREFIX = "prefix"
    LATEST = "latest"


@dataclass(frozen=True)
class BarrierCollectionOptions:
    """The toggles; the defaults are sound."""

    #: OTH-03: what a worker does with the barrier of an epoch that it was not told of
    unknown_epoch: UnknownEpoch = UnknownEpoch.KEEP
    #: OTH-06: which of several collected epochs is committed next
    commit_order: CommitOrder = CommitOrder.OLDEST_FIRST
    #: OTH-07: what the coordinator does when a sink votes against an epoch
    refusal: Refusal = Refusal.HANDLED
    #: OTH-07: from which epoch the job starts again
    restores: Restores = Restores.PUBLISHED
    #: OTH-07: what a sink that comes back does with what it had prepared
    reconnect: Reconnect = Reconnect.ASKS
    #: OTH-14: which position the outside log is told
    positions: Positions = Positions.NONE


@dataclass(frozen=True)
class BarrierCollectionBounds:
    """How much is explored."""

    #: how many epochs are begun
    epochs: int = 1
    #: how many of them may be under way at once
    pending: int = 1
    #: how often a sink votes against an epoch
    refusals: int = 0
    #: how often a worker restarts
    restarts: int = 0
    #: how often the job starts again
    failures: int = 0


@dataclass(frozen=True)
class BarrierCollectionSizes:
    """How many take part."""

    #: how many workers the barrier passes
    workers: int = 2


class EpochStatus(enum.Enum):
    """What the coordinator knows of an epoch. COMMITTED: it is published."""

    UNUSED = "unused"
    PENDING = "pending"
    COMMITTED = "committed"
    ABORTED = "aborted"


class Outcome(enum.Enum):
    """What a sink did with its part of an epoch."""

    NONE = "none"
    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"


class EpochId(Entity):
    """An epoch by its number. Epochs are ordered by when they began."""


class Worker(Entity):
    """A worker, its part of the data flow, and its sink."""

    connected = field(Bool, True)
    passed = field(Set(Ref(EpochId)), EMPTY)
    """The epochs whose barrier has come by."""
    outcome = field(
        PerEntity(EpochId, Enum(Outcome)),
        Outcome.NONE,
        effect=(Outcome.COMMITTED, Outcome.ABORTED),
    )


class Epoch(EpochId):
    """One epoch, its messages under way, and what came of it."""

    status = field(Enum(EpochStatus), EpochStatus.UNUSED, effect=(EpochStatus.COMMITTED,))
    injects = field(Set(Ref(Worker)), EMPTY, messages="to")
    """Workers that are still to be told of it."""
    known = field(Set(Ref(Worker)), EMPTY)
    """Workers that were told."""
    collected = field(Set(Ref(Worker)), EMPTY, messages="from")
    """Workers that have its barrier on record, and whose report has not arrived yet."""
    reported = field(Set(Ref(Worker)), EMPTY)
    """Workers whose report has arrived."""
    refusals = field(Set(Ref(Worker)), EMPTY, messages="from")
    """Votes against it under way."""
    decisions = field(Set(Ref(Worker)), EMPTY, messages="to")
    """Workers that are still to be told what came of it."""

    @property
    def is_pending(self) -> bool:
        return self.status == EpochStatus.PENDING

    @property
    def is_committed(self) -> bool:
        return self.status == EpochStatus.COMMITTED


class BarrierCollection(Protocol):
    """The coordinator is the protocol itself."""

    key = "barrier-collection"
    Options = BarrierCollectionOptions
    Bounds = BarrierCollectionBounds
    Sizes = BarrierCollectionSizes
    options: BarrierCollectionOptions
    bounds: BarrierCollectionBounds
    sizes: BarrierCollectionSizes
    parts = (Worker, Epoch)

    refusals = field(Range(0, Bound("refusals")), 0)
    restarts = field(Range(0, Bound("restarts")), 0)
    failures = field(Range(0, Bound("failures")), 0)
    restored = field(Option(Ref(EpochId)), Nothing)
    """The epoch that the newest start was from."""
    position = field(Option(Ref(EpochId)), Nothing, effect=True)
    """The outside log keeps what comes after this epoch."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.workers = tuple(Worker(f"w{n + 1}") for n in range(self.sizes.workers))
        self.epochs = tuple(Epoch(f"e{n + 1}") for n in range(int(self.bounds.epochs)))

    def entities(self) -> Sequence[Entity]:
        return (*self.workers, *self.epochs)

    @define
    def terminal(self) -> bool:
        """Whether each epoch is decided, and each worker is there and knows of the decision."""
        decided = (EpochStatus.COMMITTED, EpochStatus.ABORTED)
        return all(each.status in decided and each.decisions.is_empty for each in self.epochs) and (
            all(worker.connected for worker in self.workers)
        )

    def older(self, epoch: Epoch) -> tuple[Epoch, ...]:
        """The epochs that began before another."""
        return self.epochs[: self.epochs.index(epoch)]

    # --- the barrier -----------------------------------------------------------------------------

    @rule(fair=WEAK)
    def begin(self, epoch: Epoch) -> None:
        """The coordinator begins the next epoch, and is about to tell the workers."""
        require(epoch.status == EpochStatus.UNUSED)
        require(all(each.status != EpochStatus.UNUSED for each in self.older(epoch)))
        within(count(self.epochs, lambda each: each.is_pending), self.bounds.pending)
        require(all(worker.connected for worker in self.workers))
        epoch.status = EpochStatus.PENDING
        for worker in self.workers:
            epoch.injects.add(worker)

    @rule(fair=WEAK)
    def tell(self, worker: Worker, epoch: Epoch) -> None:
        """A worker is told of an epoch; calls of one epoch arrive in any order."""
        require(epoch.injects.has(worker), epoch.is_pending)
        require(all(not each.injects.has(worker) for each in self.older(epoch)))
        epoch.injects.remove(worker)
        epoch.known.add(worker)

    @rule(fair=WEAK)
    def pass_barrier(self, worker: Worker, epoch: Epoch) -> None:
        """The barrier comes by with the data: the sink prepares, and the epoch is on record."""
        require(self.meets_barrier(worker, epoch))
        worker.passed.add(epoch)
        worker.outcome[epoch] = Outcome.PREPARED
        if self.options.unknown_epoch == UnknownEpoch.KEEP or epoch.known.has(worker):
            epoch.collected.add(worker)

    @rule
    def refuse(self, worker: Worker, epoch: Epoch) -> None:
        """The barrier comes by, but the sink cannot prepare: it votes against the epoch."""
        require(int(self.bounds.refusals) > 0)
        require(self.meets_barrier(worker, epoch))
        within(self.refusals, self.bounds.refusals)
        self.refusals += 1
        worker.passed.add(epoch)
        worker.outcome[epoch] = Outcome.ABORTED
        epoch.refusals.add(worker)

    @define
    def meets_barrier(self, worker: Worker, epoch: Epoch) -> bool:
        """Whether the barrier is next at a worker: it has passed the one before, older ones are
        through; the first worker starts it when it is told."""
        place = self.workers.index(worker)
        arrived = epoch.known.has(worker)
        if place > 0:
            arrived = self.workers[place - 1].passed.has(epoch)
        clear = all(worker.passed.has(each) or not each.is_pending for each in self.older(epoch))
        return epoch.is_pending and arrived and clear and not worker.passed.has(epoch)

    # --- the coordinator -------------------------------------------------------------------------

    @rule(fair=WEAK)
    def report(self, worker: Worker, epoch: Epoch) -> None:
        """A worker that knows an epoch and has its barrier on record reports it."""
        require(epoch.is_pending, epoch.known.has(worker), epoch.collected.has(worker))
        epoch.collected.remove(worker)
        epoch.reported.add(worker)

    @rule(fair=WEAK)
    def publish(self, epoch: Epoch) -> None:
        """All workers have reported an epoch: it is published, and the sinks are to commit."""
        require(epoch.is_pending, self.is_durable(epoch))
        if self.options.commit_order == CommitOrder.OLDEST_FIRST:
            require(all(not each.is_pending for each in self.older(epoch)))
        epoch.status = EpochStatus.COMMITTED
        self._decide(epoch)

    @define
    def is_durable(self, epoch: Epoch) -> bool:
        """Whether all workers have reported an epoch."""
        return all(epoch.reported.has(worker) for worker in self.workers)

    @rule(fair=WEAK)
    def hear_refusal(self, worker: Worker, epoch: Epoch) -> None:
        """A vote against an epoch arrives: the epoch is aborted."""
        require(epoch.refusals.has(worker))
        epoch.refusals.remove(worker)
        if self.options.refusal == Refusal.HANDLED and epoch.is_pending:
            self.abort(epoch)

    @step
    def abort(self, epoch: Epoch) -> None:
        """An epoch is given up, and the sinks are to abort."""
        epoch.status = EpochStatus.ABORTED
        self._decide(epoch)

    @step
    def _decide(self, epoch: Epoch) -> None:
        epoch.injects.clear()
        epoch.known.clear()
        epoch.collected.clear()
        for worker in self.workers:
            epoch.decisions.add(worker)

    @rule(fair=WEAK)
    def deliver_decision(self, worker: Worker, epoch: Epoch) -> None:
        """A sink learns what came of an epoch, and commits or aborts what it has prepared."""
        require(epoch.decisions.has(worker), worker.connected)
        epoch.decisions.remove(worker)
        self.settle(worker, epoch)

    @step
    def settle(self, worker: Worker, epoch: Epoch) -> None:
        """What a sink has prepared for an epoch becomes what the coordinator knows of it."""
        if worker.outcome[epoch] == Outcome.PREPARED:
            done = Outcome.COMMITTED if epoch.is_committed else Outcome.ABORTED
            worker.outcome[epoch] = done

    @rule(fair=WEAK)
    def confirm_position(self, epoch: Epoch) -> None:
        """The outside log is told that the records up to an epoch are safe."""
        require(self.options.positions != Positions.NONE)
        require(epoch.status != EpochStatus.UNUSED, self.is_durable(epoch))
        require(self.position == Nothing or self.position < epoch)
        if self.options.positions == Positions.PREFIX:
            require(all(self.is_durable(each) for each in self.older(epoch)))
        self.position = epoch

    # --- failures --------------------------------------------------------------------------------

    @rule
    def restart_worker(self, worker: Worker) -> None:
        """A worker restarts: what is on its way to it is lost, and epochs under way are aborted."""
        require(int(self.bounds.restarts) > 0)
        require(worker.connected)
        within(self.restarts, self.bounds.restarts)
        self.restarts += 1
        worker.connected = False
        for epoch in self.epochs:
            self._abort_if_pending(epoch)
            epoch.decisions.remove(worker)

    @step
    def _abort_if_pending(self, epoch: Epoch) -> None:
        if epoch.is_pending:
            self.abort(epoch)

    @rule(fair=WEAK)
    def reconnect(self, worker: Worker) -> None:
        """A worker is back: its sink asks what came of what it had prepared, or decides itself."""
        require(not worker.connected)
        worker.connected = True
        for epoch in self.epochs:
            self._resume(worker, epoch)

    @step
    def _resume(self, worker: Worker, epoch: Epoch) -> None:
        if self.options.reconnect == Reconnect.ASKS:
            self.settle(worker, epoch)
        elif worker.outcome[epoch] == Outcome.PREPARED:
            commits = self.options.reconnect == Reconnect.COMMITS
            worker.outcome[epoch] = Outcome.COMMITTED if commits else Outcome.ABORTED

    @rule
    def start_again(self) -> None:
        """The job fails and starts again from an epoch: those under way are aborted everywhere."""
        require(int(self.bounds.failures) > 0)
        within(self.failures, self.bounds.failures)
        self.failures += 1
        for epoch in self.epochs:
            self._take_if_eligible(epoch)
        for epoch in self.epochs:
            self._abort_if_pending(epoch)

    @step
    def _take_if_eligible(self, epoch: Epoch) -> None:
        ended = epoch.status == EpochStatus.ABORTED
        if epoch.is_committed or (self.options.restores == Restores.NEWEST and ended):
            self.restored = epoch
