"""The greatest committed id is written first, and the records in a step of their own.

After a failure between the two, the next attempt takes the records for committed and drops them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.sinks.outside_sinks import GreatestIdSink
from finale.model.protocols.sinks.sinks import Sink, Transaction
from finale.model.rules import WEAK, define, require, rule, step
from finale.model.topology import Sink as SinkKind


class NotingSink(GreatestIdSink):
    """A sink that notes an id, and then commits."""

    @step
    def confirm(self, checkpoint: CheckpointId) -> None:
        """The id is noted."""
        self.greatest = checkpoint

    @define
    def holds(self, transaction: CheckpointId) -> bool:
        """Whether a transaction waits for its commit."""
        return self.transaction[transaction] == Transaction.PRECOMMITTED

    @step
    def settle(self) -> None:
        """What is noted is committed."""
        for each in self.checkpoints:
            self._settle_if_noted(each)

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
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "commit-completeness"

    @property
    def sink_classes(self) -> Mapping[SinkKind, type[Sink]]:
        return {**super().sink_classes, SinkKind.GREATEST_ID: NotingSink}

    @rule(fair=WEAK)
    def settle(self, sink: NotingSink) -> None:
        """A sink commits what it has noted."""
        require(any(sink.is_noted(each) and sink.holds(each) for each in self.checkpoints))
        sink.settle()
