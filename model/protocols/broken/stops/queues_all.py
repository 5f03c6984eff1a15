"""There is always room for one more request."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import define


class QueuesAll(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "queue-has-a-limit"

    @define
    def is_full(self) -> bool:
        """PL-1 without its limit."""
        return False
