"""The coordinator triggers no checkpoint any more after the first that completed."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import Nothing, require, step


class TriggersOnce(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "triggers-go-on"

    @step
    def admit(self) -> None:
        """PL-1 with one condition too many."""
        require(self.newest_completed() == Nothing)
        super().admit()
