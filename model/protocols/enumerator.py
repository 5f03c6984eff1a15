"""Operator coordinators: a source's enumerator, its readers, and the gates that its events pass.

Models the last point of section 1.1 of the fact sheet: the coordinator's own state is part of a
checkpoint, and its events to a subtask are held from that state on until the subtask has taken the
checkpoint too, so that they split at the barrier (S25). Events are assignments of splits and the
signal that no more will come; they are calls that arrive, or fail, in any order.
Left out: what readers read (a reader that was told the end reads all it has and finishes), the
failure of a part of the job, after which splits are handed back one by one.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from dataclasses import dataclass

from finale.model.protocols.coordinator.checkpoints import CheckpointStatus
from finale.model.protocols.job.elements import CheckpointId
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
    define,
    field,
    require,
    rule,
    step,
    within,
)


class Gate(enum.Enum):
    """How long events to a subtask are held once the coordinator's state is taken.

    UNTIL_ANY_ACKNOWLEDGEMENT is one gate a subtask: it knows the newest checkpoint that closed it,
    and does not look at which one opens it.
    """

    NONE = "none"
    UNTIL_TRIGGER = "until-trigger"
    UNTIL_ANY_ACKNOWLEDGEMENT = "until-any-acknowledgement"
    UNTIL_ACKNOWLEDGEMENT = "until-acknowledgement"


class Waits(enum.Enum):
    """Which events, emitted before the coordinator's state, its part of a checkpoint waits for."""

    NOTHING = "nothing"
    ARRIVALS = "arrivals"
    OUTCOMES = "outcomes"


class SignalState(enum.Enum):
    """How readers know after a restart that no more splits come."""

    FORGOTTEN = "forgotten"
    IN_READERS = "in-readers"
    REPEATED = "repeated"


class ReaderStatus(enum.Enum):
    """The life of a reader's subtask."""

    RUNNING = "running"
    FINISHED = "finished"
    RESTORING = "restoring"


class EventPlace(enum.Enum):
    """Where an event is. FAILED: its call has failed, and the coordinator is still to learn it."""

    UNSENT = "unsent"
    HELD = "held"
    UNDER_WAY = "under way"
    FAILED = "failed"
    ARRIVED = "arrived"


class ReaderId(Entity):
    """A reader by its name."""


class Event(Entity):
    """An event of the enumerator: it is emitted once, and again if a restart takes it back."""

    place = field(Enum(EventPlace), EventPlace.UNSENT)
    receiver = field(Option(Ref(ReaderId)), Nothing)
    """The reader to which it is held or under way."""
    behind = field(Set(Ref(CheckpointId)), EMPTY)
    """The checkpoints whose closing of the gate holds it."""

    @property
    def is_unsent(self) -> bool:
        return self.place == EventPlace.UNSENT

    @step
    def settle(self, place: EventPlace) -> None:
        """It is at no reader's gate any more."""
        self.place = place
        self.receiver = Nothing
        self.behind.clear()


class Split(Event):
    """A split, and the event that assigns it."""


class Signal(Event):
    """The event that tells one reader that no more splits come."""


class SourceReader(ReaderId):
    """A subtask that reads the splits that it is assigned, and the coordinator's gate to it."""

    status = field(Enum(ReaderStatus), ReaderStatus.RUNNING, effect=(ReaderStatus.FINISHED,))
    received = field(Set(Ref(Event)), EMPTY, effect=True)
    closed = field(Set(Ref(CheckpointId)), EMPTY)
    """The checkpoints that keep the gate closed."""
    asked = field(Bool, False, ghost="requests")
    """It has asked for a split, and received none since."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.signal = Signal(f"{name}.no-more-splits")

    @property
    def is_running(self) -> bool:
        return self.status == ReaderStatus.RUNNING

    @property
    def has_finished(self) -> bool:
        return self.status == ReaderStatus.FINISHED


class CoordinatorCheckpoint(CheckpointId):
    """One checkpoint: the coordinator's part, the readers' parts, and the messages under way."""

    status = field(
        Enum(CheckpointStatus), CheckpointStatus.UNUSED, effect=(CheckpointStatus.COMPLETED,)
    )
    coordinator_taken = field(Bool, False)
    """The enumerator's state is taken, and its gates have been closed."""
    coordinator_done = field(Bool, False)
    """The enumerator's part is done: the events emitted before its state have been settled."""
    unsent = field(Set(Ref(Event)), EMPTY)
    """The enumerator's state: the events that it has not emitted yet."""
    received = field(PerEntity(SourceReader, Set(Ref(Event))), EMPTY)
    """The readers' states: the events that they have received."""
    finished = field(Set(Ref(ReaderId)), EMPTY)
    """Readers that had finished when it was triggered."""
    marked = field(Set(Ref(ReaderId)), EMPTY)
    """Readers whose gates it may close: those that have not taken it, as the enumerator knows."""
    awaited = field(Set(Ref(ReaderId)), EMPTY)
    """Readers whose acknowledgement is missing."""
    triggers = field(Set(Ref(ReaderId)), EMPTY, messages="to")
    """Triggers under way."""
    acknowledgements = field(Set(Ref(ReaderId)), EMPTY, messages="from")
    """Acknowledgements under way to the checkpoint coordinator."""
    releases = field(Set(Ref(ReaderId)), EMPTY, messages="from")
    """Acknowledgements under way to the enumerator: they open its gate to the sender."""

    @property
    def is_pending(self) -> bool:
        return self.status == CheckpointStatus.PENDING

    @property
    def is_completed(self) -> bool:
        return self.status == CheckpointStatus.COMPLETED


@dataclass(frozen=True)
class EnumeratorOptions:
    """The toggles of the event gates; the defaults keep S25."""

    #: how long events to a subtask are held once the coordinator's state is taken
    gate: Gate = Gate.UNTIL_ACKNOWLEDGEMENT
    #: which earlier events the coordinator's part of a checkpoint waits for
    waits_for: Waits = Waits.OUTCOMES
    #: how readers know after a restart that no more splits come
    signal: SignalState = SignalState.REPEATED
    #: a signal to a reader that has finished fails, as other events do, and is not just dropped
    signal_needs_receiver: bool = False


class Enumerating(Protocol, ABC):
    """The enumerator's rules. The protocol that runs it lays it out and binds `fail_job`."""

    readers: tuple[SourceReader, ...]
    splits: tuple[Split, ...]
    checkpoints: tuple[CoordinatorCheckpoint, ...]

    losses = field(Range(0, Bound("losses")), 0)

    @property
    def events(self) -> tuple[Event, ...]:
        """All events there are."""
        return (*self.splits, *(reader.signal for reader in self.readers))

    @abstractmethod
    def fail_job(self) -> None:
        """A port: all attempts end, because an event could not be delivered."""

    # --- events ----------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def assign(self, split: Split, reader: SourceReader) -> None:
        """1.1: the enumerator assigns a split to a reader that has registered."""
        require(split.is_unsent, reader.is_running)
        self.emit(split, reader)

    @rule(fair=WEAK)
    def signal_end(self, reader: SourceReader) -> None:
        """1.1: the enumerator, with all splits assigned, tells a reader that no more will come."""
        require(reader.signal.is_unsent, reader.status != ReaderStatus.RESTORING)
        require(all(not split.is_unsent for split in self.splits))
        self.emit(reader.signal, reader)

    @step
    def emit(self, event: Event, reader: SourceReader) -> None:
        """An event goes to its reader, or stays behind a closed gate."""
        event.receiver = reader
        event.behind = reader.closed
        event.place = EventPlace.UNDER_WAY if reader.closed.is_empty else EventPlace.HELD

    @rule(fair=WEAK)
    def receive_split(self, split: Split, reader: SourceReader) -> None:
        """1.1: a running reader receives a split."""
        require(split.place == EventPlace.UNDER_WAY, split.receiver == reader, reader.is_running)
        reader.received.add(split)
        split.settle(EventPlace.ARRIVED)

    @rule(fair=WEAK)
    def receive_signal(self, reader: SourceReader) -> None:
        """1.1: a reader learns, after its last split, that no more will come."""
        require(
            reader.signal.place == EventPlace.UNDER_WAY, reader.status != ReaderStatus.RESTORING
        )
        require(all(split.receiver != reader for split in self.splits))
        if reader.is_running:
            reader.received.add(reader.signal)
            reader.signal.settle(EventPlace.ARRIVED)
        else:
            dropped = not self.options.signal_needs_receiver
            reader.signal.settle(EventPlace.ARRIVED if dropped else EventPlace.FAILED)

    @rule
    def lose_split(self, split: Split) -> None:
        """The call that carries a split fails; the enumerator learns of it later."""
        require(int(self.bounds.losses) > 0)
        require(split.place == EventPlace.UNDER_WAY)
        within(self.losses, self.bounds.losses)
        self.losses += 1
        split.place = EventPlace.FAILED

    @rule(fair=WEAK)
    def learn_of_failed_event(self, event: Event) -> None:
        """The enumerator learns that an event was not delivered, and fails its receiver."""
        require(event.place == EventPlace.FAILED)
        self.fail_job()

    # --- gates -----------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def take_coordinator_state(self, checkpoint: CoordinatorCheckpoint) -> None:
        """PL-3: the enumerator's state is taken, and its gates close at the same moment."""
        require(checkpoint.is_pending, not checkpoint.coordinator_taken)
        checkpoint.coordinator_taken = True
        for event in self.events:
            self._keep_unsent(checkpoint, event)
        if self.options.gate != Gate.NONE:
            for reader in self.readers:
                self.close_gate(reader, checkpoint)

    @step
    def _keep_unsent(self, checkpoint: CoordinatorCheckpoint, event: Event) -> None:
        if event.is_unsent:
            checkpoint.unsent.add(event)

    @step
    def close_gate(self, reader: SourceReader, checkpoint: CoordinatorCheckpoint) -> None:
        """From now on events to a reader that has yet to take the checkpoint are held."""
        if checkpoint.marked.has(reader):
            if self.options.gate == Gate.UNTIL_ANY_ACKNOWLEDGEMENT:
                reader.closed.clear()
            reader.closed.add(checkpoint)

    @step
    def open_gate(self, reader: SourceReader, checkpoint: CoordinatorCheckpoint) -> None:
        """A checkpoint holds the events to a reader no longer, nor will it."""
        checkpoint.marked.remove(reader)
        if self.options.gate == Gate.UNTIL_ANY_ACKNOWLEDGEMENT:
            reader.closed.clear()
        else:
            reader.closed.remove(checkpoint)
        for event in self.events:
            self._let_go(event, reader)

    @step
    def _let_go(self, event: Event, reader: SourceReader) -> None:
        if event.place == EventPlace.HELD and event.receiver == reader:
            for checkpoint in self.checkpoints:
                self._stay_behind(event, reader, checkpoint)
            if event.behind.is_empty:
                event.place = EventPlace.UNDER_WAY

    @step
    def _stay_behind(
        self, event: Event, reader: SourceReader, checkpoint: CoordinatorCheckpoint
    ) -> None:
        if not reader.closed.has(checkpoint):
            event.behind.remove(checkpoint)

    @define
    def is_settled(self, checkpoint: CoordinatorCheckpoint) -> bool:
        """Whether no event that was emitted before the enumerator's state is waited for."""
        return all(
            checkpoint.unsent.has(event) or not self._is_waited_for(event) for event in self.events
        )

    @define
    def _is_waited_for(self, event: Event) -> bool:
        match self.options.waits_for:
            case Waits.NOTHING:
                return False
            case Waits.ARRIVALS:
                return event.place in (EventPlace.HELD, EventPlace.UNDER_WAY)
            case _:
                return event.place not in (EventPlace.UNSENT, EventPlace.ARRIVED)
