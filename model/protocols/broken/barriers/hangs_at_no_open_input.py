"""A task whose inputs have all ended waits, when it is triggered, for barriers that cannot come.

So it was in Flink before 1.14 (FLINK-23771): nothing completed the alignment of no channels.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.overtaking_gate import OvertakingGate
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.unaligned import Unaligned
from finale.model.rules import step


class WaitingGate(OvertakingGate):
    """A gate that counts barriers also where there are no channels to count."""

    @step
    def on_trigger(self, checkpoint: CheckpointId) -> None:
        """PL-7 without what it says of a task whose inputs have all ended."""
        if self.task.inputs and self.task.inputs_ended:
            self.open(checkpoint)
        else:
            super().on_trigger(checkpoint)


class HangsAtNoOpenInput(Unaligned):
    """Unaligned with one mistake."""

    must_fall: ClassVar[str] = "checkpoint-ends"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return WaitingGate
