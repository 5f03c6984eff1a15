"""A sink acknowledges a checkpoint while records that came before it wait for their batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.sinks.outside_sinks import BufferedSink
from finale.model.protocols.sinks.sinks import Sink
from finale.model.rules import step
from finale.model.topology import Sink as SinkKind


class HastySink(BufferedSink):
    """A sink whose batch is no matter of checkpoints."""

    @step
    def snapshot(self, checkpoint: CheckpointId, *, opens: bool) -> None:
        """The batch stays where it is."""


class AcknowledgesBeforeFlush(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "commit-completeness"

    @property
    def sink_classes(self) -> Mapping[SinkKind, type[Sink]]:
        return {**super().sink_classes, SinkKind.BUFFERED: HastySink}
