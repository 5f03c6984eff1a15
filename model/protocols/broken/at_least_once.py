"""Planted mistakes of `at-least-once`."""

from __future__ import annotations

from finale.model.protocols.at_least_once import AtLeastOnce
from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.tracking_gate import TrackingGate
from finale.model.protocols.job.elements import CheckpointId
from finale.model.rules import define, step


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
    """Each cancellation of a checkpoint that comes is passed on, also of one that is aborted
    already.

    Flink's `CheckpointBarrierTrackerTest.testInterleavedCancellationBarriers` says once.
    """

    variant, must_fall = "repeats-cancellations", "cancelled-once"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return ForgetfulGate


class HastyGate(TrackingGate):
    """A gate that waits for one barrier."""

    @define
    def is_complete(self, checkpoint: CheckpointId) -> bool:
        """Whether some barrier has come."""
        return not self.counted[checkpoint].is_empty


class TakesAtFirstBarrier(AtLeastOnce):
    """A task at least once takes its part of a checkpoint at the first barrier, and logs
    nothing."""

    variant, must_fall = "takes-at-first-barrier", "cut-is-a-prefix"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return HastyGate
