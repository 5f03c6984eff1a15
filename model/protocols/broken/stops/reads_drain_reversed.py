"""A source reads the flag of a stop the wrong way round: with drain for without, and vice versa."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.job.elements import StopMode
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.sources import Source
from finale.model.rules import step


class ReversingSource(Source):
    """Source with one mistake."""

    @step
    def stop_reading(self, mode: StopMode) -> None:
        """SP-2 with the other mode than was asked for."""
        super().stop_reading(StopMode.NO_DRAIN if mode == StopMode.DRAIN else StopMode.DRAIN)


class ReadsDrainReversed(StopWithSavepoint):
    """StopWithSavepoint with the mistake of its sources."""

    must_fall: ClassVar[str] = "suspend-ends-nothing"

    @property
    def source_class(self) -> type[Source]:
        return ReversingSource
