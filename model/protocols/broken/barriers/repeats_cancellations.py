"""Each cancellation of a checkpoint that comes is passed on, also of one that is aborted already.

Flink's `CheckpointBarrierTrackerTest.testInterleavedCancellationBarriers` says once.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.at_least_once import AtLeastOnce
from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.tracking_gate import TrackingGate
from finale.model.protocols.job.elements import CheckpointId
from finale.model.rules import step


class ForgetfulGate(TrackingGate):
    """A gate that does not know which checkpoint it has aborted last."""

    @step
    def on_cancel_barrier(self, checkpoint: CheckpointId) -> None:
        """TR, AL-3, and once more for each input."""
        if self.task.newest == checkpoint:
            self.ports.give_up_alignment(self.task, checkpoint)
        else:
            super().on_cancel_barrier(checkpoint)


class RepeatsCancellations(AtLeastOnce):
    """AtLeastOnce with one mistake."""

    must_fall: ClassVar[str] = "cancelled-once"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return ForgetfulGate
