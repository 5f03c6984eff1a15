"""Planted mistakes of `pipeline`."""

from __future__ import annotations

from finale.model.protocols.pipeline import Pipeline, Source, Status
from finale.model.rules import require, rule


class DropsWhenFull(Pipeline):
    """A source whose queue is full drops its record."""

    variant, must_fall = "drops-when-full", "records-arrive-in-order"

    @rule
    def emit(self, source: Source) -> None:
        """The source puts the next record into its queue, or drops it."""
        require(source.status == Status.WANTS)
        if source.queue.has_space:
            source.queue.put(source.done)
        self.pass_on(source)
