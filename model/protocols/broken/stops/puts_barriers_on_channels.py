"""PL-7: a call to a task with chained sources puts a barrier on its open channels, too.

The task's part of the checkpoint is then taken before the barriers of those that it reads.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.chained_sources import ChainedSources
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.chained import ChainingGate
from finale.model.rules import each, step


class _EagerGate(ChainingGate):
    @step
    def on_trigger(self, checkpoint: CheckpointId) -> None:
        """PL-7 without its last sentence."""
        super().on_trigger(checkpoint)
        each(self.task.inputs, lambda channel: self._add_barrier(channel, checkpoint))

    @step
    def _add_barrier(self, channel: Channel, checkpoint: CheckpointId) -> None:
        if not channel.ended:
            self.on_barrier(channel, checkpoint, Arrival.BY_CALL)


class PutsBarriersOnChannels(ChainedSources):
    """ChainedSources with one mistake."""

    must_fall: ClassVar[str] = "consistent-cut"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return _EagerGate
