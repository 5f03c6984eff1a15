"""A task does not note that its data were ended by a stop without drain, and finishes for good."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.job.channels import Channel
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.rules import step


class ForgetsWhyDataEnded(StopWithSavepoint):
    """StopWithSavepoint with one mistake."""

    must_fall: ClassVar[str] = "suspend-ends-nothing"

    @step
    def end_data(self, channel: Channel, drain: bool) -> None:
        """FC-2 without the reason that FC-3 asks for."""
        channel.end_of_data = True
