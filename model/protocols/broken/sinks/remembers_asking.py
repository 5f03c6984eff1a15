"""A restored reader takes the request of its earlier attempt for one that is still under way."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.operator_coordinator import OperatorCoordinator
from finale.model.rules import step


class RemembersAsking(OperatorCoordinator):
    """OperatorCoordinator with one mistake."""

    must_fall: ClassVar[str] = "readers-finish"

    @step
    def forget_requests(self) -> None:
        """The enumerator forgets requests, and the readers do not."""
        if self.options.readers_ask:
            self.requests.clear()
            self.wanting.clear()
