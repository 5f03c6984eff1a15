"""What the timer asked for is served before what users wait for, and they wait for ever."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.requests.requests import Request
from finale.model.rules import define


class ServesPeriodicFirst(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "who-waits-is-served"

    @define
    def is_in_front(self, request: Request) -> bool:
        """PL-1 with the timer's request before all others."""
        return not self.periodic_waits and super().is_in_front(request)

    @define
    def is_behind(self) -> bool:
        """PL-1 the wrong way round: the timer's request is behind nobody."""
        return False
