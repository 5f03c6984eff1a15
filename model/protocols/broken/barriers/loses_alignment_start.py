"""The end of a channel is the first to align an announced checkpoint, and no start is noted.

So it was in Flink before 1.14 (FLINK-24068): at its completion the alignment that never began fails
the task.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.aligned_with_timeout import AlignedWithTimeout
from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.overtaking_gate import OvertakingGate
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.task.tasks import TaskStatus
from finale.model.rules import Bool, field, step


class StartlessGate(OvertakingGate):
    """A gate that notes the start of an alignment at its first barrier only."""

    startless = field(Bool, False)
    """The end of a channel was the first to align the open checkpoint."""

    @step
    def on_end_of_partition(self, channel: Channel) -> None:
        """AL-2, UN-5, and the start goes unnoted if no barrier has come."""
        if self.aligning and not self.has_barrier:
            self.startless = True
        super().on_end_of_partition(channel)

    @step
    def complete_if_aligned(self) -> None:
        """UN-4, AT-3, unless no start was noted."""
        if self.startless and self.is_aligned():
            self.resume()
            self.task.status = TaskStatus.RESTORING
        else:
            super().complete_if_aligned()

    @step
    def resume(self) -> None:
        """AT-7: the checkpoint is over here."""
        super().resume()
        self.startless = False


class LosesAlignmentStart(AlignedWithTimeout):
    """AlignedWithTimeout with one mistake."""

    must_fall: ClassVar[str] = "legal-never-fails"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return StartlessGate
