"""A sink that is told of a completion commits its open transaction, too.

What came after the barrier is in no checkpoint.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId, add_effect, clear_effects
from finale.model.protocols.sinks.sinks import Sink, TwoPhaseSink
from finale.model.rules import step
from finale.model.topology import Sink as SinkKind


class HastySink(TwoPhaseSink):
    """A sink that commits all that it has written."""

    @step
    def confirm(self, checkpoint: CheckpointId) -> None:
        """1.7, and what is open becomes visible."""
        super().confirm(checkpoint)
        for record in self.data:
            add_effect(self.visible, record, self.current[record])
        clear_effects(self.current, self.data)


class CommitsWhatIsOpen(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "commit-only-durable"

    @property
    def sink_classes(self) -> Mapping[SinkKind, type[Sink]]:
        return {**super().sink_classes, SinkKind.TWO_PHASE: HastySink}
