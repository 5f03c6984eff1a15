"""A source whose queue is full drops its record."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.pipeline import Pipeline, Source, Status
from finale.model.rules import require, rule


class DropsWhenFull(Pipeline):
    """Pipeline with one mistake."""

    must_fall: ClassVar[str] = "records-arrive-in-order"

    @rule
    def emit(self, source: Source) -> None:
        """The source puts the next record into its queue, or drops it."""
        require(source.status == Status.WANTS)
        if source.queue.has_space:
            source.queue.put(source.done)
        self.pass_on(source)
