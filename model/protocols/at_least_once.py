"""Checkpoints at least once: barriers are counted, and nothing waits for them.

Flink's `CheckpointBarrierTracker`, and rule TR of the fact sheet, with the finish of FLIP-147. A
record that arrives behind a barrier, while the barrier of another input is still to come, is part
of the snapshot and comes again after a restart: a sink may show its effect twice.
Left out: that at most fifty checkpoints are counted at a time.
"""

from __future__ import annotations

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.tracking_gate import TrackingGate
from finale.model.protocols.final_checkpoint import FinalCheckpoint


class AtLeastOnce(FinalCheckpoint):
    """The finish of FLIP-147 with barriers that are counted."""

    key = "at-least-once"
    parts = (*FinalCheckpoint.parts, TrackingGate)

    @property
    def gate_class(self) -> type[AlignedGate]:
        return TrackingGate
