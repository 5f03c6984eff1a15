"""After a failure the enumerator still answers the requests of the attempts before it."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.operator_coordinator import OperatorCoordinator
from finale.model.rules import step


class AnswersOldRequests(OperatorCoordinator):
    """OperatorCoordinator with one mistake."""

    must_fall: ClassVar[str] = "splits-are-asked-for"

    @step
    def forget_requests(self) -> None:
        """The readers forget that they have asked, and the enumerator does not."""
        if self.options.readers_ask:
            for reader in self.readers:
                reader.asked = False
