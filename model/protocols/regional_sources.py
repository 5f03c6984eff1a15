"""FLIP-600: a source whose enumerator serves readers of several regions, and regional checkpoints.

Rule RG-11: what `checkpointCoordinatorForRegionFallback`, `notifyRegionalCheckpointFallback` and
`subtaskReset` do to splits. Each reader is a region of its own. A reader declines a checkpoint, and
the checkpoint completes with the reader's old part; so the enumerator's part must again have the
splits that the reader was assigned since. The defaults are what the proposal's text asks for. The
other values are what the tests of pull request 28963 show (its `SourceCoordinator` was not read).
Left out: limits on failed regions and on rows of regional checkpoints (`regional.py` has them).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from finale.model.protocols.enumerator import (
    CoordinatorCheckpoint,
    Event,
    EventPlace,
    ReaderId,
    ReaderStatus,
    SourceReader,
    Split,
)
from finale.model.protocols.operator_coordinator import (
    OperatorCoordinator,
    OperatorCoordinatorBounds,
    OperatorCoordinatorOptions,
)
from finale.model.rules import (
    EMPTY,
    WEAK,
    Bound,
    Nothing,
    Range,
    Ref,
    Set,
    Setting,
    define,
    field,
    require,
    rule,
    step,
    within,
)


class EnumeratorPart(enum.Enum):
    """The enumerator's part of a regional checkpoint.

    AS_TAKEN: its state as it was taken. CORRECTED: that state, and the splits that readers with old
    parts were assigned since these parts. LIVE: its state at the end of the checkpoint, and them.
    """

    AS_TAKEN = "as-taken"
    CORRECTED = "corrected"
    LIVE = "live"


@dataclass(frozen=True)
class RegionalSourcesOptions(OperatorCoordinatorOptions):
    """What becomes of splits when a checkpoint completes with old parts of readers."""

    #: RG-11: the enumerator's part of a regional checkpoint
    enumerator_part: EnumeratorPart = EnumeratorPart.CORRECTED
    #: RG-11: the running enumerator takes back what a reader was assigned since its old part
    takes_back: bool = False
    #: RG-11: a fallback opens the gates that the checkpoint keeps closed
    fallback_opens_gates: bool = True


@dataclass(frozen=True)
class RegionalSourcesBounds(OperatorCoordinatorBounds):
    """How much is explored."""

    #: how many readers decline
    declines: int = 0
    #: how often one reader fails by itself, and is restarted alone
    reader_failures: int = 0


class RegionalSourceCheckpoint(CoordinatorCheckpoint):
    """A checkpoint, and the readers that have declined it."""

    failed = field(Set(Ref(ReaderId)), EMPTY)
    """Readers that have declined."""


class RegionalSources(OperatorCoordinator):
    """The enumerator, its readers, and checkpoints that complete with old parts of readers."""

    key = "regional-sources"
    Options = RegionalSourcesOptions
    Bounds = RegionalSourcesBounds
    options: RegionalSourcesOptions  # pyright: ignore[reportIncompatibleVariableOverride]
    bounds: RegionalSourcesBounds  # pyright: ignore[reportIncompatibleVariableOverride]
    checkpoints: tuple[RegionalSourceCheckpoint, ...]

    declines = field(Range(0, Bound("declines")), 0)
    reader_failures = field(Range(0, Bound("reader_failures")), 0)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.checkpoints = tuple(
            RegionalSourceCheckpoint(n + 1) for n in range(int(self.bounds.checkpoints))
        )

    @step
    def emit(self, event: Event, reader: SourceReader) -> None:
        """1.1: a reader that was told that no more splits come is assigned none, also none that
        was handed back."""
        if isinstance(event, Split):
            require(reader.signal.is_unsent)
        super().emit(event, reader)

    # --- checkpoints -----------------------------------------------------------------------------

    @rule
    def decline_checkpoint(
        self, reader: SourceReader, checkpoint: RegionalSourceCheckpoint
    ) -> None:
        """RG-1: a triggered reader declines and goes on; its decline is kept."""
        require(int(self.bounds.declines) > 0)
        require(checkpoint.is_pending, checkpoint.triggers.has(reader), reader.is_running)
        within(self.declines, self.bounds.declines)
        self.declines += 1
        checkpoint.triggers.remove(reader)
        checkpoint.awaited.remove(reader)
        checkpoint.failed.add(reader)

    @rule(fair=WEAK)
    def complete(self, checkpoint: CoordinatorCheckpoint) -> None:
        """CN-1, RG-2, RG-11: all have answered: the checkpoint completes, with old parts of the
        readers that have declined, or is aborted if there are none."""
        assert isinstance(checkpoint, RegionalSourceCheckpoint)
        if checkpoint.failed.is_empty:
            super().complete(checkpoint)
        else:
            require(checkpoint.is_pending, checkpoint.awaited.is_empty, checkpoint.coordinator_done)
            last = self.newest_completed()
            if last == Nothing:
                self.abort(checkpoint)
            else:
                self.combine(checkpoint, last)
                super().complete(checkpoint)

    @step
    def combine(self, checkpoint: RegionalSourceCheckpoint, last: CoordinatorCheckpoint) -> None:
        """RG-2, RG-11: old parts of readers, and a part of the enumerator that fits them."""
        if self.options.enumerator_part == EnumeratorPart.LIVE:
            for event in self.events:
                self._keep_as_it_is(checkpoint, event)
        for reader in self.readers:
            self._fall_back(reader, checkpoint, last)

    @step
    def _keep_as_it_is(self, checkpoint: CoordinatorCheckpoint, event: Event) -> None:
        if event.is_unsent:
            checkpoint.unsent.add(event)
        else:
            checkpoint.unsent.remove(event)

    @step
    def _fall_back(
        self,
        reader: SourceReader,
        checkpoint: RegionalSourceCheckpoint,
        last: CoordinatorCheckpoint,
    ) -> None:
        if checkpoint.failed.has(reader):
            checkpoint.received[reader] = last.received[reader]
            for split in self.splits:
                self.give_back(split, reader, checkpoint, last)
            if self.options.fallback_opens_gates:
                self.open_gate(reader, checkpoint)

    @step
    def give_back(
        self,
        split: Split,
        reader: SourceReader,
        checkpoint: CoordinatorCheckpoint,
        last: CoordinatorCheckpoint,
    ) -> None:
        """RG-11: a split that a reader was assigned since its old part is the enumerator's again:
        in the checkpoint, and by the option in the running enumerator, too."""
        if self.is_assigned(split, reader) and not last.received[reader].has(split):
            if self.options.enumerator_part != EnumeratorPart.AS_TAKEN:
                checkpoint.unsent.add(split)
            if self.options.takes_back:
                split.settle(EventPlace.UNSENT)

    @define
    def is_assigned(self, split: Split, reader: SourceReader) -> bool:
        """Whether a reader has a split, or a split is on its way to the reader."""
        return reader.received.has(split) or split.receiver == reader

    # --- a reader restarts alone -----------------------------------------------------------------

    @rule
    def fail_reader(self, reader: SourceReader) -> None:
        """RC-1, RG-11: a reader fails: what is pending is aborted, and the enumerator gets back the
        splits that the reader's part does not have (`subtaskReset`)."""
        require(int(self.bounds.reader_failures) > 0)
        require(reader.is_running)
        within(self.reader_failures, self.bounds.reader_failures)
        self.reader_failures += 1
        for checkpoint in self.checkpoints:
            self._end_attempt(reader, checkpoint)
        for split in self.splits:
            self._hand_back(split, reader)
        reader.signal.settle(EventPlace.UNSENT)
        reader.status = ReaderStatus.RESTORING
        reader.received.clear()
        reader.closed.clear()

    @step
    def _end_attempt(self, reader: SourceReader, checkpoint: CoordinatorCheckpoint) -> None:
        if checkpoint.is_pending:
            self.abort(checkpoint)
        checkpoint.marked.remove(reader)
        checkpoint.triggers.remove(reader)
        checkpoint.acknowledgements.remove(reader)
        checkpoint.releases.remove(reader)

    @step
    def _hand_back(self, split: Split, reader: SourceReader) -> None:
        elsewhere = any(
            other != reader and self.is_assigned(split, other) for other in self.readers
        )
        if self.is_assigned(split, reader) and not elsewhere and not self.is_in_part(split, reader):
            split.settle(EventPlace.UNSENT)

    @define
    def is_in_part(self, split: Split, reader: SourceReader) -> bool:
        """RG-11: whether the part that a reader is restored from has a split."""
        newest = self.newest_completed()
        return any(newest == each and each.received[reader].has(split) for each in self.checkpoints)
