"""A source that has finished still counts for its group, with the last watermark that it said."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.sources import Source
from finale.model.rules import define


class WaitsForFinishedSources(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "job-finishes"

    @define
    def holds_group(self, task: Source) -> bool:
        """Every source, however it ended."""
        return True
