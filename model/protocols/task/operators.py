"""Operators that hold records back, emit them later, or emit records of their own.

Models what section 2.d of the fact sheet says of operators at their end (FC-1, LF-2, H6, H10, H12):
which of them emit then, which at any time, and which only when a checkpoint has completed.
"""

from __future__ import annotations

from finale.model.protocols.job.elements import (
    TOO_OFTEN,
    CheckpointId,
    Datum,
    Effects,
    add_effect,
    clear_effects,
)
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Bool, Bound, PerEntity, Range, field, require, step


class Buffering(Task):
    """A task whose operator holds records back until it finishes."""

    buffer = field(Effects, 0)
    buffered = field(PerEntity(CheckpointId, Effects), 0, ghost="recovery")
    """What was held back when a checkpoint was taken."""

    data: tuple[Datum, ...] = ()

    @step
    def work(self, record: Datum) -> None:
        """A record is held back."""
        add_effect(self.buffer, record)

    @step
    def finish(self, *, clears: bool = True) -> None:
        """FC-1: finish() emits what was held back; one that does not clear it holds it still."""
        self.flush_all()
        if clears:
            clear_effects(self.buffer, self.data)

    @step
    def flush_all(self) -> None:
        """Emit what was held back, in the order of the records."""
        for record in self.data:
            for times in range(TOO_OFTEN):
                if self.buffer[record] > times:
                    self.collect(record)

    @step
    def keep(self, checkpoint: CheckpointId) -> None:
        self.buffered[checkpoint] = self.buffer

    @step
    def load(self, checkpoint: CheckpointId, *, finished: bool) -> None:
        self.buffer = self.buffered[checkpoint]
        if finished:
            clear_effects(self.buffer, self.data)

    @step
    def start_afresh(self) -> None:
        clear_effects(self.buffer, self.data)


class TimerTask(Buffering):
    """A task whose event-time timers emit what it holds, when the last watermark fires them."""

    @step
    def on_maximal_watermark(self) -> None:
        """LF-2, FC-1: all timers fire, and are gone."""
        self.flush_all()
        clear_effects(self.buffer, self.data)

    @step
    def finish(self, *, clears: bool = True) -> None:
        """No timer is left once the last watermark has come; without it they stay unfired."""


class ParkingTask(Buffering):
    """A task that waits for answers from outside, as the asynchronous operator does.

    It parks a record until its answer is there: so long the record is state. finish() waits for all
    answers; a task that is stopped without it emits them as they come, until it closes (H6).
    """

    @step
    def emit_parked(self, record: Datum) -> None:
        """The answer to a parked record is there, and goes out."""
        require(self.is_alive, self.buffer[record] > 0)
        self.collect(record)
        self.buffer[record] -= 1


class StableTask(Buffering):
    """A task that emits a record only when it is told that a checkpoint which has it completed.

    Committers do so (H10), and operators whose input must be stable before it has effects (OTH-08).
    """

    secured = field(PerEntity(CheckpointId, Effects), 0)
    """What was held back when a checkpoint was taken."""

    #: Whether what no checkpoint has yet is emitted at the end.
    flushes = False

    @step
    def take_part(self, checkpoint: CheckpointId) -> None:
        self.secured[checkpoint] = self.buffer

    @step
    def on_completion(self, checkpoint: CheckpointId) -> None:
        """H10: what the checkpoint has and is still held back goes out."""
        for record in self.data:
            self._emit_if_secured(record, checkpoint)

    @step
    def _emit_if_secured(self, record: Datum, checkpoint: CheckpointId) -> None:
        if self.buffer[record] > 0 and self.secured[checkpoint][record] > 0:
            self.collect(record)
            self.buffer[record] -= 1

    @step
    def finish(self, *, clears: bool = True) -> None:
        """The end of the data does not make it stable, unless it is asked to flush."""
        if self.flushes:
            super().finish(clears=clears)


class FlushingStableTask(StableTask):
    """A StableTask that emits all that it holds when its data ends."""

    flushes = True


class TickingTask(Task):
    """A task with timers of the clock: each time one fires it emits a record of its own.

    Only the environment knows when. The timers are stopped when the operators end (FC-1).
    """

    ticked = field(Range(0, Bound("ticks")), 0)
    """How many of its own records it has emitted, in the history that its state knows."""
    ticked_before = field(
        PerEntity(CheckpointId, Range(0, Bound("ticks"))),
        0,
        ghost="recovery",
    )
    """How many when a checkpoint was taken."""
    quiet = field(Bool, False)
    """Its timers are stopped."""

    own: tuple[Datum, ...] = ()

    @step
    def tick(self) -> None:
        """A timer fires."""
        require(self.is_alive, not self.quiet)
        for record in self.own:
            self._emit_if_due(record)
        self.ticked += 1

    @step
    def _emit_if_due(self, record: Datum) -> None:
        if self.ticked == record.number - 1:
            self.collect(record)

    @step
    def quiesce_timers(self) -> None:
        self.quiet = True

    @step
    def keep(self, checkpoint: CheckpointId) -> None:
        self.ticked_before[checkpoint] = self.ticked

    @step
    def load(self, checkpoint: CheckpointId, *, finished: bool) -> None:
        self.ticked = self.ticked_before[checkpoint]
        self.quiet = finished

    @step
    def start_afresh(self) -> None:
        self.ticked = 0

    @step
    def forget(self) -> None:
        super().forget()
        self.quiet = False
