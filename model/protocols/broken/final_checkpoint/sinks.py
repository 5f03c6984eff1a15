"""Mistakes of sources and sinks."""

from __future__ import annotations

from collections.abc import Mapping

from finale.model.protocols.committer import Writer
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId, add_effect, clear_effects
from finale.model.protocols.sinks import (
    BufferedSink,
    GreatestIdSink,
    Sink,
    Transaction,
    TwoPhaseSink,
)
from finale.model.protocols.task.sources import FetchingSource, Source
from finale.model.protocols.task.tasks import Task
from finale.model.rules import WEAK, define, require, rule, step
from finale.model.topology import OperatorKind
from finale.model.topology import Sink as SinkKind


class HastySink(BufferedSink):
    """A sink whose batch is no matter of checkpoints."""

    @step
    def snapshot(self, checkpoint: CheckpointId, *, opens: bool) -> None:
        """The batch stays where it is."""


class AcknowledgesBeforeFlush(FinalCheckpoint):
    """A sink acknowledges a checkpoint while records that came before it wait for their batch."""

    variant, must_fall = "acknowledges-before-flush", "commit-completeness"

    @property
    def sink_classes(self) -> Mapping[SinkKind, type[Sink]]:
        return {**super().sink_classes, SinkKind.BUFFERED: HastySink}


class CommitsOnAcknowledgement(FinalCheckpoint):
    """A sink is told to commit as soon as its own acknowledgement is in, and others are missing."""

    variant, must_fall = "commits-on-acknowledgement", "commit-only-durable"

    @rule(fair=WEAK)
    def apply_acknowledgement(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-2, and the confirmation is on its way at once."""
        super().apply_acknowledgement(task, checkpoint)
        checkpoint.confirmations.add(task)


class NarrowSink(TwoPhaseSink):
    """A sink that knows one transaction at a time."""

    @step
    def commit_up_to(self, checkpoint: CheckpointId) -> None:
        """1.7 without what says that older transactions are committed, too."""
        for other in self.checkpoints:
            self._commit_if(other == checkpoint, other)

    @step
    def _commit_if(self, wanted: bool, transaction: CheckpointId) -> None:
        if wanted and self.transaction[transaction] == Transaction.PRECOMMITTED:
            self.commit(transaction)


class CommitsOnlyItsOwn(FinalCheckpoint):
    """A sink that is told of a completion commits that checkpoint's transaction, and no older one.

    What a checkpoint had pending that was subsumed, or whose notification was lost, stays pending.
    """

    variant, must_fall = "commits-only-its-own", "confirmed-commits"

    @property
    def sink_classes(self) -> Mapping[SinkKind, type[Sink]]:
        return {**super().sink_classes, SinkKind.TWO_PHASE: NarrowSink}


class EagerSink(TwoPhaseSink):
    """A sink that commits all that it has written."""

    @step
    def commit_up_to(self, checkpoint: CheckpointId) -> None:
        """1.7, and what is open becomes visible."""
        super().commit_up_to(checkpoint)
        for record in self.data:
            add_effect(self.visible, record, self.current[record])
        clear_effects(self.current, self.data)


class CommitsWhatIsOpen(FinalCheckpoint):
    """A sink that is told of a completion commits its open transaction, too.

    What came after the barrier is in no checkpoint.
    """

    variant, must_fall = "commits-what-is-open", "commit-only-durable"

    @property
    def sink_classes(self) -> Mapping[SinkKind, type[Sink]]:
        return {**super().sink_classes, SinkKind.TWO_PHASE: EagerSink}


class HastySource(FetchingSource):
    """A source whose position is behind what it has fetched."""

    @step
    def keep(self, checkpoint: CheckpointId) -> None:
        """The position in the snapshot is the one after the fetch."""
        if self.fetched:
            self.offset[checkpoint] = self.remaining - 1
        else:
            super().keep(checkpoint)


class CountsWhatIsFetched(FinalCheckpoint):
    """A source function moves its position when it fetches a record, outside of the checkpoint
    lock.

    A checkpoint between the fetch and the emission counts a record that was never emitted.
    """

    variant, must_fall = "counts-what-is-fetched", "commit-completeness"

    @property
    def source_class(self) -> type[Source]:
        return HastySource if self.options.fetches_apart else super().source_class


class NotingSink(GreatestIdSink):
    """A sink that notes an id, and then commits."""

    @step
    def commit_up_to(self, checkpoint: CheckpointId) -> None:
        """The id is noted."""
        self.greatest = checkpoint

    @define
    def holds(self, transaction: CheckpointId) -> bool:
        """Whether a transaction waits for its commit."""
        return self.transaction[transaction] == Transaction.PRECOMMITTED

    @step
    def settle(self) -> None:
        """What is noted is committed."""
        for checkpoint in self.checkpoints:
            self._settle_if_noted(checkpoint)

    @step
    def _settle_if_noted(self, transaction: CheckpointId) -> None:
        if self.is_noted(transaction):
            self._commit_if_secured(transaction, transaction)

    @step
    def close(self) -> None:
        """A sink that closes in peace commits first."""
        self.settle()
        super().close()


class NotesBeforeCommit(FinalCheckpoint):
    """The greatest committed id is written first, and the records in a step of their own.

    After a failure between the two, the next attempt takes the records for committed and drops
    them.
    """

    variant, must_fall = "notes-before-commit", "commit-completeness"

    @property
    def sink_classes(self) -> Mapping[SinkKind, type[Sink]]:
        return {**super().sink_classes, SinkKind.GREATEST_ID: NotingSink}

    @rule(fair=WEAK)
    def settle(self, sink: NotingSink) -> None:
        """A sink commits what it has noted."""
        require(any(sink.is_noted(id_) and sink.holds(id_) for id_ in self.checkpoints))
        sink.settle()


class TwiceWriter(Writer):
    """A Writer that does not remember that it has come to its end."""

    @step
    def before_barrier(self, checkpoint: CheckpointId) -> None:
        """In front of every barrier, also after the end."""
        for other, tag in zip(self.checkpoints, self.tags, strict=False):
            self._hand_over_if(checkpoint == other, tag)


class PreparesTwice(FinalCheckpoint):
    """A writer hands over what it staged at the end of its data, and once more before a barrier.

    So did the first sinks of FLIP-143 around their final checkpoint (FLINK-24131).
    """

    variant, must_fall = "prepares-twice", "committables-are-told-apart"

    @property
    def task_classes(self) -> Mapping[OperatorKind, type[Task]]:
        return {**super().task_classes, OperatorKind.WRITER: TwiceWriter}
