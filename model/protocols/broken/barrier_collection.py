"""Planted mistakes of `barrier-collection`."""

from __future__ import annotations

from finale.model.protocols.barrier_collection import BarrierCollection, Epoch
from finale.model.rules import define


class TakesOneForAll(BarrierCollection):
    """The report of one worker is taken for those of all."""

    variant, must_fall = "takes-one-for-all", "confirmed-is-durable"

    @define
    def is_durable(self, epoch: Epoch) -> bool:
        """Whether a worker has reported an epoch."""
        return any(epoch.reported.has(worker) for worker in self.workers)
