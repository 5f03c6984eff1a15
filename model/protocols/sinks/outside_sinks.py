"""Sinks that go by what the system outside keeps: a buffer in front of it, or an id inside of it.

Beyond 1.7 of the fact sheet. `BufferedSink` models AsyncSink and clients that write in batches,
`GreatestIdSink` the committers of Iceberg and Delta, whose table has the id of its last commit.
"""

from __future__ import annotations

from finale.model.protocols.job.elements import (
    CheckpointId,
    Datum,
    Effects,
    add_effect,
    clear_effects,
)
from finale.model.protocols.sinks.sinks import AtLeastOnceSink, TwoPhaseSink
from finale.model.rules import Nothing, Option, Ref, define, field, require, step


class BufferedSink(AtLeastOnceSink):
    """Writes in batches: at any time, and at the latest before it takes part in a checkpoint."""

    batch = field(Effects, 0)
    """What is not written yet."""

    @step
    def write(self, record: Datum) -> None:
        """A record waits for its batch."""
        add_effect(self.batch, record)

    def end_input(self, *, commits: bool) -> None:
        self.write_batch()

    @step
    def write_batch(self) -> None:
        """The batch is written."""
        for record in self.data:
            add_effect(self.visible, record, self.batch[record])
        clear_effects(self.batch, self.data)

    @step
    def flush_some(self) -> None:
        """The batch is written before it must be."""
        require(any(self.batch[record] > 0 for record in self.data))
        self.write_batch()

    @step
    def snapshot(self, checkpoint: CheckpointId, *, opens: bool) -> None:
        """Nothing that the checkpoint counts as processed stays behind."""
        self.write_batch()

    @step
    def close(self) -> None:
        """What is not written is lost."""
        clear_effects(self.batch, self.data)

    @step
    def restore(self, checkpoint: CheckpointId) -> None:
        """The batch was lost with the attempt."""
        clear_effects(self.batch, self.data)

    @step
    def restart(self) -> None:
        clear_effects(self.batch, self.data)


class GreatestIdSink(TwoPhaseSink):
    """Commits in the order of ids, and writes the greatest one in the same step.

    A new attempt takes all up to that id for committed, and commits the rest of what it restores.
    """

    greatest = field(Option(Ref(CheckpointId)), Nothing)
    """The greatest id that is committed, as the system outside has it."""

    @step
    def commit(self, transaction: CheckpointId) -> None:
        """The records become visible, and the id is noted with them."""
        super().commit(transaction)
        if not self.is_noted(transaction):
            self.greatest = transaction

    @step
    def _recover(self, checkpoint: CheckpointId, other: CheckpointId) -> None:
        if self.is_noted(other):
            self._roll_back_if_pending(other)
        else:
            super()._recover(checkpoint, other)

    @define
    def is_noted(self, transaction: CheckpointId) -> bool:
        """Whether a transaction counts as committed."""
        return self.greatest != Nothing and transaction <= self.greatest

    @define
    def refers_to(self, checkpoint: CheckpointId) -> bool:
        return super().refers_to(checkpoint) or self.greatest == checkpoint
