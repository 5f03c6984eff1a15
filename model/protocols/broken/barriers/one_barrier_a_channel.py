"""A channel that still holds a barrier takes no other one: it is thought to be the same."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import AnyElement, Barrier
from finale.model.rules import step


class NarrowChannel(Channel):
    """A channel with room for one barrier."""

    @step
    def put(self, element: AnyElement) -> None:
        match element:
            case Barrier():
                self._put_if(not self.queue.holds(Barrier), element)
            case _:
                super().put(element)

    @step
    def _put_if(self, wanted: bool, element: AnyElement) -> None:
        if wanted:
            super().put(element)


class OneBarrierAChannel(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "alignment-can-end"

    @property
    def channel_class(self) -> type[Channel]:
        return NarrowChannel
