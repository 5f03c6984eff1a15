"""A source connector outside of any job: records, the producer that delivers them, and offsets.

Kafka Connect (KAFKA-13469, KAFKA-2744, KAFKA-10188). A task reads records and hands them to a
producer, which delivers them in any order; the offset up to which all is delivered is committed
now and then, and once more when the task is stopped. A restart reads on from that offset.
Left out: failures (a crash may always deliver twice), several tasks, transactions.
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


class LastCommit(enum.Enum):
    """When a task that is being stopped commits its offset for the last time."""

    WHEN_DELIVERED = "when-delivered"
    AT_ONCE = "at-once"
    BEFORE_THE_STOP = "before-the-stop"


@dataclass(frozen=True)
class ConnectorOptions:
    """The toggles; the defaults are sound."""

    #: OTH-12: when the last offset is committed
    last_commit: LastCommit = LastCommit.WHEN_DELIVERED
    #: OTH-12: closing the consumer has a task that was stopped commit once more
    calls_stopped_task: bool = False


@dataclass(frozen=True)
class ConnectorBounds:
    """How much is explored."""

    #: how often the task is started again
    restarts: int = 1


@dataclass(frozen=True)
class ConnectorSizes:
    """How large it is."""

    #: how many records there are to read
    records: int = 2


class ConnectorTaskStatus(enum.Enum):
    """The life of the task. CLOSED: its clients are closed, too."""

    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    CLOSED = "closed"


class Progress(enum.Enum):
    """Where a record is."""

    UNREAD = "unread"
    IN_FLIGHT = "in flight"
    DELIVERED = "delivered"


class SourceRecord(Entity):
    """A record of the outside source; records are read in their order."""

    progress = field(Enum(Progress), Progress.UNREAD)
    copies = field(Range(0, 2), 0, effect=True)
    """How often it was delivered; twice or more."""
    committed = field(Bool, False, effect=True)
    """The offset is behind it."""


class Connector(Protocol):
    """The task, its producer and the store of offsets are the protocol itself."""

    key = "connector"
    Options = ConnectorOptions
    Bounds = ConnectorBounds
    Sizes = ConnectorSizes
    options: ConnectorOptions
    bounds: ConnectorBounds
    sizes: ConnectorSizes
    parts = (SourceRecord,)

    status = field(Enum(ConnectorTaskStatus), ConnectorTaskStatus.RUNNING)
    restarts = field(Range(0, Bound("restarts")), 0)
    has_committed_last = field(Bool, False)
    """The commit of the stop is done."""
    called_after_stop = field(Bool, False)
    """A method of the task was called after it was stopped."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.records = tuple(SourceRecord(f"r{n + 1}") for n in range(self.sizes.records))

    def entities(self) -> Sequence[Entity]:
        return self.records

    @define
    def terminal(self) -> bool:
        """Whether the task is closed, or all records are done and it only waits for a user."""
        is_idle = all(record.committed for record in self.records)
        runs = self.status == ConnectorTaskStatus.RUNNING
        return self.status == ConnectorTaskStatus.CLOSED or (runs and is_idle)

    def before(self, record: SourceRecord) -> tuple[SourceRecord, ...]:
        """The records that are read before another, and itself."""
        return self.records[: self.records.index(record) + 1]

    # --- records ---------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def read(self, record: SourceRecord) -> None:
        """The task reads the next record, and hands it to the producer."""
        require(self.status == ConnectorTaskStatus.RUNNING, record.progress == Progress.UNREAD)
        earlier = self.before(record)[:-1]
        require(all(each.progress != Progress.UNREAD for each in earlier))
        record.progress = Progress.IN_FLIGHT

    @rule(fair=WEAK)
    def deliver(self, record: SourceRecord) -> None:
        """The producer delivers a record; records in any order."""
        require(record.progress == Progress.IN_FLIGHT, self.status != ConnectorTaskStatus.CLOSED)
        record.progress = Progress.DELIVERED
        record.copies = 1 if record.copies == 0 else 2

    @step
    def commit(self) -> None:
        """The offset moves behind the longest prefix that is delivered."""
        for record in self.records:
            self._commit(record)

    @step
    def _commit(self, record: SourceRecord) -> None:
        if all(each.progress == Progress.DELIVERED for each in self.before(record)):
            record.committed = True

    @rule(fair=WEAK)
    def commit_offset(self) -> None:
        """While the task runs its offset is committed now and then."""
        require(self.status == ConnectorTaskStatus.RUNNING)
        require(any(self.could_commit(record) for record in self.records))
        self.commit()

    @define
    def could_commit(self, record: SourceRecord) -> bool:
        """Whether the offset can move behind a record."""
        delivered = all(each.progress == Progress.DELIVERED for each in self.before(record))
        return delivered and not record.committed

    # --- the end ---------------------------------------------------------------------------------

    @rule
    def stop(self) -> None:
        """A user stops the task: it reads nothing more."""
        require(self.status == ConnectorTaskStatus.RUNNING)
        if self.options.last_commit == LastCommit.BEFORE_THE_STOP:
            require(self.has_committed_last)
        self.status = ConnectorTaskStatus.STOPPING

    @rule(fair=WEAK)
    def commit_last(self) -> None:
        """The offset is committed for the last time, before the task reads no more or after."""
        require(not self.has_committed_last)
        match self.options.last_commit:
            case LastCommit.BEFORE_THE_STOP:
                require(self.status == ConnectorTaskStatus.RUNNING)
            case LastCommit.AT_ONCE:
                require(self.status == ConnectorTaskStatus.STOPPING)
            case _:
                require(self.status == ConnectorTaskStatus.STOPPING)
                require(all(each.progress != Progress.IN_FLIGHT for each in self.records))
        self.has_committed_last = True
        self.commit()

    @rule(fair=WEAK)
    def stop_task(self) -> None:
        """The task is stopped: none of its methods is to be called any more."""
        require(self.status == ConnectorTaskStatus.STOPPING, self.has_committed_last)
        self.status = ConnectorTaskStatus.STOPPED

    @rule(fair=WEAK)
    def close(self) -> None:
        """The clients of the task are closed, when the producer has delivered what it has."""
        require(self.status == ConnectorTaskStatus.STOPPED)
        require(all(each.progress != Progress.IN_FLIGHT for each in self.records))
        if self.options.calls_stopped_task:
            self.called_after_stop = True
        self.status = ConnectorTaskStatus.CLOSED

    @rule
    def start_again(self) -> None:
        """A user starts the task again: it reads on from its offset."""
        require(int(self.bounds.restarts) > 0)
        require(self.status == ConnectorTaskStatus.CLOSED)
        within(self.restarts, self.bounds.restarts)
        self.restarts += 1
        self.status = ConnectorTaskStatus.RUNNING
        self.has_committed_last = False
        for record in self.records:
            self._read_again(record)

    @step
    def _read_again(self, record: SourceRecord) -> None:
        if not record.committed:
            record.progress = Progress.UNREAD
