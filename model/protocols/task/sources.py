"""Sources: tasks that emit records of their own.

Models the mailbox source (1.7 of the fact sheet): its main loop emits one record after the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from finale.model.protocols.job.channels import RecordCount
from finale.model.protocols.job.elements import CheckpointId, Datum, StopMode
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Bool, Enum, PerEntity, define, field, require, step


def _records(task: Task) -> int:
    return task.subtask.records


class Reader(Task, ABC):
    """A task that reads from outside: a source, or one that sources are chained into."""

    @abstractmethod
    def stop_reading(self, mode: StopMode) -> None:
        """What still reads is told how to end; an end before it stays."""

    @abstractmethod
    def read_on(self) -> None:
        """A new attempt knows of no stop."""

    @property
    @abstractmethod
    def stops_at_once(self) -> bool:
        """Whether it has stopped without drain, so that the end of its data is not waited for."""

    @property
    @define
    def can_be_stopped(self) -> bool:
        """Whether it ends its data when the job is to be stopped."""
        return True


class Source(Reader):
    """A task that emits records; `remaining` of them are still to come."""

    remaining = field(RecordCount, _records)
    mode = field(Enum(StopMode), StopMode.NONE, ghost="stops")
    """How a stop has told it to end its data."""
    over = field(Bool, False, ghost="stops")
    """A stop has ended data that have no end of their own, before it was restored."""
    over_before = field(PerEntity(CheckpointId, Bool), False, ghost="stops")
    """Whether that was so when a checkpoint was taken."""
    offset = field(PerEntity(CheckpointId, RecordCount), 0, ghost="recovery")
    """What remained when a checkpoint was taken."""

    data: tuple[Datum, ...] = ()

    @step
    def emit_next(self) -> None:
        """Emit the next record."""
        require(self.remaining > 0)
        for record in self.data:
            self._emit_if_next(record)
        self.remaining -= 1

    @step
    def stop_reading(self, mode: StopMode) -> None:
        if self.is_running:
            self.mode = mode

    @step
    def read_on(self) -> None:
        self.mode = StopMode.NONE

    @property
    @define
    def stops_at_once(self) -> bool:
        return self.stops and self.mode == StopMode.NO_DRAIN

    @property
    @define
    def is_told_to_end(self) -> bool:
        """Whether a stop has told it to end its data."""
        return self.stops and self.mode != StopMode.NONE

    @step
    def keep(self, checkpoint: CheckpointId) -> None:
        self.offset[checkpoint] = self.remaining

    @step
    def load(self, checkpoint: CheckpointId, *, finished: bool) -> None:
        self.remaining = 0 if finished else self.offset[checkpoint]

    @step
    def start_afresh(self) -> None:
        self.remaining = len(self.data)

    @step
    def _emit_if_next(self, record: Datum) -> None:
        if self.remaining == len(self.data) - record.number + 1:
            self.collect(record)


class FetchingSource(Source):
    """A source function: it fetches a record without the checkpoint lock, and emits it under it.

    What is fetched is no state: the position moves under the lock, with the emission.
    """

    fetched = field(Bool, False)
    """The next record is fetched and not emitted."""

    @step
    def fetch(self) -> None:
        """1.7: the next record is read from outside; a checkpoint can come before its emission."""
        require(self.is_running, self.remaining > 0, not self.fetched)
        self.fetched = True

    @step
    def emit_next(self) -> None:
        """1.7: under the lock the fetched record is emitted, and the position moves."""
        require(self.fetched)
        super().emit_next()
        self.fetched = False

    @step
    def forget(self) -> None:
        super().forget()
        self.fetched = False


class IterationHead(Source):
    """The head of an iteration: in the plan a source, but its data come of the job (F45-8)."""

    @property
    @define
    def can_be_stopped(self) -> bool:
        """F45-8: nobody tells it to end, nor does it by itself: only a cancellation ends it."""
        return False


class ThreadedSource(Source):
    """A source with a thread."""

    thread_ended = field(Bool, False)
    """The thread has left its loop."""

    @step
    def forget(self) -> None:
        super().forget()
        self.thread_ended = False
