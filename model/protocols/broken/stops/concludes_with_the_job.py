"""A stop has succeeded when its job has finished, whatever has become of its savepoint."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.requests.requests import RequestStatus, StopRequest
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.rules import WEAK, require, rule


class ConcludesWithTheJob(StopWithSavepoint):
    """StopWithSavepoint with one mistake."""

    must_fall: ClassVar[str] = "stop-report-is-true"

    @rule(fair=WEAK)
    def conclude_stop(self, request: StopRequest, checkpoint: Checkpoint) -> None:
        """SP-9 without the savepoint's completion."""
        require(request.is_admitted, request.of == checkpoint, self.is_finished)
        request.status = RequestStatus.SUCCEEDED
