"""A source counts for its group only once it has said a watermark: others run ahead of it."""

from __future__ import annotations

from typing import ClassVar

from model.protocols.final_checkpoint import FinalCheckpoint
from model.protocols.parts.sources import Source
from model.rules import define


class IgnoresSilentSources(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "sources-keep-together"

    @define
    def holds_group(self, task: Source) -> bool:
        """A source that has not finished, and has said how far it is."""
        return super().holds_group(task) and task.watermark > 0
