"""The report of one worker is taken for those of all."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.barrier_collection import BarrierCollection, Epoch
from finale.model.rules import define


class TakesOneForAll(BarrierCollection):
    """BarrierCollection with one mistake."""

    must_fall: ClassVar[str] = "confirmed-is-durable"

    @define
    def is_durable(self, epoch: Epoch) -> bool:
        """Whether a worker has reported an epoch."""
        return any(epoch.reported.has(worker) for worker in self.workers)
