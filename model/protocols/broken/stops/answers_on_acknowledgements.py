"""A stop is answered as soon as its savepoint has completed.

SeaTunnel 11489: success is told while tasks still run, and those that then fail are nobody's.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.requests.requests import RequestStatus, StopRequest
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.rules import WEAK, require, rule


class AnswersOnAcknowledgements(StopWithSavepoint):
    """StopWithSavepoint with one mistake."""

    must_fall: ClassVar[str] = "stop-report-is-true"

    @rule(fair=WEAK)
    def conclude_stop(self, request: StopRequest, checkpoint: Checkpoint) -> None:
        """SP-9 without the end of the job."""
        require(request.is_admitted, request.of == checkpoint, checkpoint.is_completed)
        request.status = RequestStatus.SUCCEEDED
