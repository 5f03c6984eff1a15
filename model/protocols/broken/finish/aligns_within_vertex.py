"""Sources of one vertex wait for each other, and not for those of other vertices in their group."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.sources import Source
from finale.model.rules import define


class AlignsWithinVertex(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "sources-keep-together"

    @define
    def is_waited_for(self, slower: Source, task: Source) -> bool:
        """A source pauses only for another one of its own vertex."""
        alike = slower.subtask.vertex == task.subtask.vertex
        return alike and super().is_waited_for(slower, task)
