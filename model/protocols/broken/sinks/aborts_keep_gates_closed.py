"""A checkpoint that is aborted leaves its gates closed: what they hold is held for ever.

Flink's `OperatorCoordinatorHolder` opens them when it is told of the abort.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import CheckpointStatus
from finale.model.protocols.enumerator import CoordinatorCheckpoint
from finale.model.protocols.operator_coordinator import OperatorCoordinator
from finale.model.rules import step


class AbortsKeepGatesClosed(OperatorCoordinator):
    """OperatorCoordinator with one mistake."""

    must_fall: ClassVar[str] = "held-events-go-out"

    @step
    def abort(self, checkpoint: CoordinatorCheckpoint) -> None:
        """The enumerator is not told, or does not listen."""
        checkpoint.status = CheckpointStatus.ABORTED
        checkpoint.awaited.clear()
