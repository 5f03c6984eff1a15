"""A sink that is told of a completion commits that checkpoint's transaction, and no older one.

What a checkpoint had pending that was subsumed, or whose notification was lost, stays pending.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.sinks.sinks import Sink, Transaction, TwoPhaseSink
from finale.model.rules import step
from finale.model.topology import Sink as SinkKind


class NarrowSink(TwoPhaseSink):
    """A sink that knows one transaction at a time."""

    @step
    def confirm(self, checkpoint: CheckpointId) -> None:
        """1.7 without what says that older transactions are committed, too."""
        for other in self.checkpoints:
            self._commit_if(other == checkpoint, other)

    @step
    def _commit_if(self, wanted: bool, transaction: CheckpointId) -> None:
        if wanted and self.transaction[transaction] == Transaction.PRECOMMITTED:
            self.commit(transaction)


class CommitsOnlyItsOwn(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "confirmed-commits"

    @property
    def sink_classes(self) -> Mapping[SinkKind, type[Sink]]:
        return {**super().sink_classes, SinkKind.TWO_PHASE: NarrowSink}
