"""A task with a store on its own disk and a changelog: after a crash, may the store be trusted?

Kafka Streams with exactly-once (KAFKA-7192, KAFKA-20685). What a task writes goes into its store
and into the changelog, there as part of a transaction. A file beside the store says that the store
is what the changelog says; it must not be there while the task runs, so that after a crash the
store is thrown away and restored from what is committed.
Left out: standby copies, other tasks, which records of the input a transaction covers: all that it
has written.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from finale.model.rules import (
    WEAK,
    Bool,
    Bound,
    Entity,
    Enum,
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
class LocalStoreOptions:
    """The toggles; the defaults are sound."""

    #: OTH-13: the file is deleted when the task begins to run
    deletes_file: bool = True
    #: OTH-13: a store without the file is thrown away
    wipes_without_file: bool = True


@dataclass(frozen=True)
class LocalStoreBounds:
    """How much is explored."""

    #: how often the task crashes
    crashes: int = 1


@dataclass(frozen=True)
class LocalStoreSizes:
    """How large it is."""

    #: how many records there are to process
    records: int = 2


class StoreStatus(enum.Enum):
    """The life of the task."""

    CLOSED = "closed"
    RESTORING = "restoring"
    RUNNING = "running"


class Change(enum.Enum):
    """What the changelog knows of a record's effect. OPEN: its transaction is not committed."""

    NONE = "none"
    OPEN = "open"
    COMMITTED = "committed"


class InputUpdate(Entity):
    """A record of the input, and its effect on the store."""

    change = field(Enum(Change), Change.NONE, effect=(Change.COMMITTED,))
    stored = field(Range(0, 2), 0, effect=True)
    """How often the store has its effect; twice or more."""


class LocalStore(Protocol):
    """The task and its disk are the protocol itself."""

    key = "local-store"
    Options = LocalStoreOptions
    Bounds = LocalStoreBounds
    Sizes = LocalStoreSizes
    options: LocalStoreOptions
    bounds: LocalStoreBounds
    sizes: LocalStoreSizes
    parts = (InputUpdate,)

    status = field(Enum(StoreStatus), StoreStatus.CLOSED)
    has_file = field(Bool, False)
    """The file is there: the store may be trusted."""
    crashes = field(Range(0, Bound("crashes")), 0)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.updates = tuple(InputUpdate(f"u{n + 1}") for n in range(self.sizes.records))

    def entities(self) -> Sequence[Entity]:
        return self.updates

    @define
    def terminal(self) -> bool:
        done = all(update.change == Change.COMMITTED for update in self.updates)
        return done and self.status == StoreStatus.CLOSED

    @rule(fair=WEAK)
    def open(self) -> None:
        """The task is opened: a store that may not be trusted is thrown away."""
        require(self.status == StoreStatus.CLOSED, not self.terminal())
        self.status = StoreStatus.RESTORING
        if self.options.wipes_without_file and not self.has_file:
            for update in self.updates:
                update.stored = 0

    @rule(fair=WEAK)
    def restore(self, update: InputUpdate) -> None:
        """What the changelog has and the store does not is restored."""
        require(self.status == StoreStatus.RESTORING)
        require(update.change == Change.COMMITTED, update.stored == 0)
        update.stored = 1

    @rule(fair=WEAK)
    def write_file(self) -> None:
        """The store is restored, and the file says so."""
        require(self.status == StoreStatus.RESTORING, not self.has_file, self.is_restored())
        self.has_file = True

    @define
    def is_restored(self) -> bool:
        """Whether the store has all that is committed."""
        return all(
            update.change != Change.COMMITTED or update.stored > 0 for update in self.updates
        )

    @rule(fair=WEAK)
    def run(self) -> None:
        """The task begins to run; from now on the store is ahead of what is committed."""
        require(self.status == StoreStatus.RESTORING, self.has_file, self.is_restored())
        self.status = StoreStatus.RUNNING
        if self.options.deletes_file:
            self.has_file = False

    @rule(fair=WEAK)
    def process(self, update: InputUpdate) -> None:
        """A record is processed: its effect goes into the store, and into the transaction."""
        require(self.status == StoreStatus.RUNNING, update.change == Change.NONE)
        update.change = Change.OPEN
        update.stored = 1 if update.stored == 0 else 2

    @rule(fair=WEAK)
    def commit(self) -> None:
        """The transaction is committed, with the position in the input."""
        require(self.status == StoreStatus.RUNNING)
        require(any(update.change == Change.OPEN for update in self.updates))
        for update in self.updates:
            self._commit(update)

    @step
    def _commit(self, update: InputUpdate) -> None:
        if update.change == Change.OPEN:
            update.change = Change.COMMITTED

    @rule(fair=WEAK)
    def close(self) -> None:
        """All is processed and committed: the store is closed, and may be trusted."""
        require(self.status == StoreStatus.RUNNING)
        require(all(update.change == Change.COMMITTED for update in self.updates))
        self.status = StoreStatus.CLOSED
        self.has_file = True

    @rule
    def crash(self) -> None:
        """The task crashes: its transaction is aborted, and the disk stays as it is."""
        require(int(self.bounds.crashes) > 0)
        require(self.status != StoreStatus.CLOSED)
        within(self.crashes, self.bounds.crashes)
        self.crashes += 1
        self.status = StoreStatus.CLOSED
        for update in self.updates:
            self._abort(update)

    @step
    def _abort(self, update: InputUpdate) -> None:
        if update.change == Change.OPEN:
            update.change = Change.NONE
