"""Operator coordinators and checkpoints: an enumerator, its readers, and who is triggered when.

The fact sheet's section 1.1 and PL-3, PL-4; the history of FLINK-16986 and those after it. First
the enumerator's state is taken, then the readers are triggered; `enumerator.py` has the
enumerator, its events and its gates. Readers have no channels: a trigger under way is the call to a
source, or the barrier on its way to an operator with inputs, which an event can overtake.
Left out: everything downstream of the readers; notifications of completed checkpoints, to which
nobody here listens; restarts of a part of the job.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from finale.model.protocols.asking import Asking, AskingOptions
from finale.model.protocols.coordinator.checkpoints import CheckpointStatus
from finale.model.protocols.enumerator import (
    CoordinatorCheckpoint,
    Event,
    EventPlace,
    Gate,
    ReaderStatus,
    SignalState,
    SourceReader,
    Split,
)
from finale.model.rules import (
    WEAK,
    Bound,
    Entity,
    Nothing,
    Range,
    Setting,
    count,
    define,
    field,
    require,
    rule,
    step,
    within,
)


class CallOrder(enum.Enum):
    """Who is asked first for their part of a checkpoint.

    HOOKS_FIRST: a hook of the checkpoint coordinator has an outside system inject the barriers.
    """

    COORDINATORS_FIRST = "coordinators-first"
    HOOKS_FIRST = "hooks-first"


class FailedTriggerOpens(enum.Enum):
    """Whose gates a trigger opens that fails before the enumerator's state is taken.

    NEWEST_MARKED: each gate opens for the newest checkpoint that can still close it, whichever
    that is. OWN: the trigger has closed no gate, and opens none.
    """

    NEWEST_MARKED = "newest-marked"
    OWN = "own"


@dataclass(frozen=True)
class OperatorCoordinatorOptions(AskingOptions):
    """The toggles; the defaults keep S25 as long as no trigger fails beside another checkpoint."""

    #: PL-1: how many checkpoints may be pending at once
    concurrent: int = 1
    #: PL-3: who is asked first for their part of a checkpoint
    order: CallOrder = CallOrder.COORDINATORS_FIRST
    #: PL-3: whose gates a trigger opens that fails before the enumerator's state is taken
    failed_trigger_opens: FailedTriggerOpens = FailedTriggerOpens.NEWEST_MARKED
    #: a checkpoint completes without the enumerator's part
    completes_on_task_acknowledgements: bool = False


@dataclass(frozen=True)
class OperatorCoordinatorBounds:
    """How much is explored."""

    #: how many checkpoints are triggered
    checkpoints: int = 1
    #: how often the job fails by itself
    failures: int = 0
    #: how many calls that carry a split fail
    losses: int = 0
    #: how many checkpoints expire
    expiries: int = 0
    #: how many triggers fail before the readers are triggered
    failed_triggers: int = 0


@dataclass(frozen=True)
class OperatorCoordinatorSizes:
    """How many take part."""

    #: how many subtasks read
    readers: int = 2
    #: how many splits there are to read
    splits: int = 1


class OperatorCoordinator(Asking):
    """The checkpoint coordinator and the enumerator are the protocol itself."""

    key = "operator-coordinator"
    Options = OperatorCoordinatorOptions
    Bounds = OperatorCoordinatorBounds
    Sizes = OperatorCoordinatorSizes
    options: OperatorCoordinatorOptions
    bounds: OperatorCoordinatorBounds
    sizes: OperatorCoordinatorSizes

    failures = field(Range(0, Bound("failures")), 0)
    expiries = field(Range(0, Bound("expiries")), 0)
    failed_triggers = field(Range(0, Bound("failed_triggers")), 0)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.readers = tuple(SourceReader(f"r{n + 1}") for n in range(self.sizes.readers))
        self.splits = tuple(Split(f"split{n + 1}") for n in range(self.sizes.splits))
        self.checkpoints = tuple(
            CoordinatorCheckpoint(n + 1) for n in range(int(self.bounds.checkpoints))
        )

    def entities(self) -> Sequence[Entity]:
        return (*self.readers, *self.events, *self.checkpoints)

    @define
    def terminal(self) -> bool:
        """Whether each reader has finished, no checkpoint is pending, and no event is held."""
        under_way = (EventPlace.FAILED, EventPlace.HELD)
        return (
            all(reader.has_finished for reader in self.readers)
            and all(event.place not in under_way for event in self.events)
            and all(not checkpoint.is_pending for checkpoint in self.checkpoints)
        )

    # --- checkpoints -----------------------------------------------------------------------------

    @rule
    def trigger_checkpoint(self) -> None:
        """PL-1, PL-2: the next checkpoint is pending; it awaits the readers that still run."""
        require(all(not self.is_triggering(each) for each in self.checkpoints))
        require(count(self.checkpoints, lambda each: each.is_pending) < self.options.concurrent)
        require(all(reader.status != ReaderStatus.RESTORING for reader in self.readers))
        require(any(reader.is_running for reader in self.readers))
        used = count(self.checkpoints, lambda each: each.status != CheckpointStatus.UNUSED)
        within(used, self.bounds.checkpoints)
        # From the last id down, so that one that has just begun is not taken for a used one.
        for position in reversed(range(len(self.checkpoints))):
            self._begin_if_next(position)

    @define
    def is_triggering(self, checkpoint: CoordinatorCheckpoint) -> bool:
        """Whether the readers have yet to be triggered: until then no other trigger begins."""
        return checkpoint.is_pending and not checkpoint.coordinator_done

    @step
    def _begin_if_next(self, position: int) -> None:
        checkpoint = self.checkpoints[position]
        before = self.checkpoints[:position]
        used = all(each.status != CheckpointStatus.UNUSED for each in before)
        if used and checkpoint.status == CheckpointStatus.UNUSED:
            checkpoint.status = CheckpointStatus.PENDING
            for reader in self.readers:
                self._plan(checkpoint, reader)
            if self.options.order == CallOrder.HOOKS_FIRST:
                checkpoint.triggers = checkpoint.awaited

    @step
    def _plan(self, checkpoint: CoordinatorCheckpoint, reader: SourceReader) -> None:
        if reader.has_finished:
            checkpoint.finished.add(reader)
            checkpoint.received[reader] = reader.received
        else:
            checkpoint.awaited.add(reader)
            checkpoint.marked.add(reader)

    @rule(fair=WEAK)
    def finish_coordinator_part(self, checkpoint: CoordinatorCheckpoint) -> None:
        """PL-3, PL-4: the enumerator's part is done, and the readers are triggered."""
        require(checkpoint.is_pending, checkpoint.coordinator_taken)
        require(not checkpoint.coordinator_done, self.is_settled(checkpoint))
        checkpoint.coordinator_done = True
        if self.options.order == CallOrder.COORDINATORS_FIRST:
            checkpoint.triggers = checkpoint.awaited
        if self.options.gate == Gate.UNTIL_TRIGGER:
            for reader in self.readers:
                self.open_gate(reader, checkpoint)

    @rule(fair=WEAK)
    def take_checkpoint(self, reader: SourceReader, checkpoint: CoordinatorCheckpoint) -> None:
        """PL-7: a triggered reader takes the checkpoint; triggers arrive in their order."""
        require(checkpoint.triggers.has(reader), reader.is_running)
        older = self.checkpoints[: self.checkpoints.index(checkpoint)]
        require(all(not each.triggers.has(reader) for each in older))
        checkpoint.triggers.remove(reader)
        checkpoint.received[reader] = reader.received
        checkpoint.acknowledgements.add(reader)
        checkpoint.releases.add(reader)

    @rule(fair=WEAK)
    def trigger_fails(self, reader: SourceReader, checkpoint: CoordinatorCheckpoint) -> None:
        """PL-5: a trigger finds its reader finished: the checkpoint is aborted."""
        require(checkpoint.triggers.has(reader), reader.has_finished)
        checkpoint.triggers.remove(reader)
        if checkpoint.is_pending:
            self.abort(checkpoint)

    @rule(fair=WEAK)
    def apply_acknowledgement(
        self, reader: SourceReader, checkpoint: CoordinatorCheckpoint
    ) -> None:
        """AB-2: an acknowledgement arrives at the checkpoint coordinator."""
        require(checkpoint.acknowledgements.has(reader))
        checkpoint.acknowledgements.remove(reader)
        checkpoint.awaited.remove(reader)

    @rule(fair=WEAK)
    def apply_release(self, reader: SourceReader, checkpoint: CoordinatorCheckpoint) -> None:
        """1.1: the enumerator learns that a reader has taken a checkpoint: its gate opens."""
        require(checkpoint.releases.has(reader))
        checkpoint.releases.remove(reader)
        self.open_gate(reader, checkpoint)

    @rule(fair=WEAK)
    def complete(self, checkpoint: CoordinatorCheckpoint) -> None:
        """CN-1: all parts are there: the checkpoint completes, and older ones are subsumed."""
        require(checkpoint.is_pending, checkpoint.awaited.is_empty)
        if not self.options.completes_on_task_acknowledgements:
            require(checkpoint.coordinator_done)
        checkpoint.status = CheckpointStatus.COMPLETED
        for older in self.checkpoints[: self.checkpoints.index(checkpoint)]:
            self._subsume(older)

    @step
    def _subsume(self, checkpoint: CoordinatorCheckpoint) -> None:
        if checkpoint.is_pending:
            self.abort(checkpoint)

    @step
    def abort(self, checkpoint: CoordinatorCheckpoint) -> None:
        """AB-1: a checkpoint is given up, and the gates that it closed open."""
        checkpoint.status = CheckpointStatus.ABORTED
        checkpoint.awaited.clear()
        for reader in self.readers:
            self.open_gate(reader, checkpoint)

    @rule
    def fail_to_trigger(self, checkpoint: CoordinatorCheckpoint) -> None:
        """PL-3: a trigger fails, as when the folder of a savepoint cannot be created.

        Once the enumerator's state is taken, the newest checkpoint that a gate knows is this one.
        """
        require(int(self.bounds.failed_triggers) > 0)
        require(checkpoint.is_pending, not checkpoint.coordinator_done)
        within(self.failed_triggers, self.bounds.failed_triggers)
        self.failed_triggers += 1
        opens_newest = self.options.failed_trigger_opens == FailedTriggerOpens.NEWEST_MARKED
        if opens_newest and not checkpoint.coordinator_taken:
            for reader in self.readers:
                self._open_for_newest(reader)
        self.abort(checkpoint)

    @step
    def _open_for_newest(self, reader: SourceReader) -> None:
        # From the first id up: the newest is opened last, and no older one is the newest then.
        for position in range(len(self.checkpoints)):
            self._open_if_newest(reader, position)

    @step
    def _open_if_newest(self, reader: SourceReader, position: int) -> None:
        checkpoint = self.checkpoints[position]
        newer = self.checkpoints[position + 1 :]
        is_newest = all(not self.can_close(each, reader) for each in newer)
        if self.can_close(checkpoint, reader) and is_newest:
            self.open_gate(reader, checkpoint)

    @define
    def can_close(self, checkpoint: CoordinatorCheckpoint, reader: SourceReader) -> bool:
        """Whether the gate to a reader knows a checkpoint, and the reader has yet to take it."""
        return checkpoint.coordinator_taken and checkpoint.marked.has(reader)

    @rule
    def expire(self, checkpoint: CoordinatorCheckpoint) -> None:
        """AB-1: a pending checkpoint expires."""
        require(int(self.bounds.expiries) > 0)
        require(checkpoint.is_pending)
        within(self.expiries, self.bounds.expiries)
        self.expiries += 1
        self.abort(checkpoint)

    # --- readers, failures -----------------------------------------------------------------------

    @rule(fair=WEAK)
    def finish(self, reader: SourceReader) -> None:
        """A reader that knows the end has read all its splits, and finishes."""
        require(reader.is_running, reader.received.has(reader.signal))
        reader.status = ReaderStatus.FINISHED

    @rule
    def fail(self) -> None:
        """RC-1: a reader fails, and with it the job."""
        require(int(self.bounds.failures) > 0)
        require(any(reader.is_running for reader in self.readers))
        within(self.failures, self.bounds.failures)
        self.failures += 1
        self.fail_job()

    @step
    def fail_job(self) -> None:
        """RC-1, RC-13: all attempts end; the enumerator starts again from the newest checkpoint."""
        for reader in self.readers:
            reader.status = ReaderStatus.RESTORING
            reader.received.clear()
            reader.closed.clear()
        for checkpoint in self.checkpoints:
            self._give_up(checkpoint)
        for event in self.events:
            self._reset(event)
        self.forget_requests()

    @step
    def _give_up(self, checkpoint: CoordinatorCheckpoint) -> None:
        if checkpoint.is_pending:
            checkpoint.status = CheckpointStatus.ABORTED
            checkpoint.awaited.clear()
        checkpoint.marked.clear()
        checkpoint.triggers.clear()
        checkpoint.acknowledgements.clear()
        checkpoint.releases.clear()

    @step
    def _reset(self, event: Event) -> None:
        checkpoint = self.newest_completed()
        told_again = checkpoint == Nothing or self._is_told_again(event)
        if told_again or checkpoint.unsent.has(event):
            event.settle(EventPlace.UNSENT)
        else:
            event.settle(EventPlace.ARRIVED)

    def _is_told_again(self, event: Event) -> bool:
        """Whether an event is emitted after each restart."""
        return self.options.signal == SignalState.REPEATED and not isinstance(event, Split)

    @define
    def newest_completed(self) -> CoordinatorCheckpoint:
        """The checkpoint that a restart starts from; Nothing before the first."""
        newest: CoordinatorCheckpoint = Nothing
        for checkpoint in self.checkpoints:
            newest = checkpoint if checkpoint.is_completed else newest
        return newest

    @rule(fair=WEAK)
    def restore(self, reader: SourceReader) -> None:
        """RC-1, RC-4: a reader starts again from the newest checkpoint and registers."""
        require(reader.status == ReaderStatus.RESTORING)
        reader.status = ReaderStatus.RUNNING
        checkpoint = self.newest_completed()
        if checkpoint != Nothing:
            reader.received = checkpoint.received[reader]
            if self.options.signal != SignalState.IN_READERS:
                reader.received.remove(reader.signal)
            if checkpoint.finished.has(reader):
                reader.status = ReaderStatus.FINISHED
