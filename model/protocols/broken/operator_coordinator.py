"""Planted mistakes of `operator-coordinator`."""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import CheckpointStatus
from finale.model.protocols.enumerator import CoordinatorCheckpoint
from finale.model.protocols.operator_coordinator import OperatorCoordinator
from finale.model.rules import step


class AnswersOldRequests(OperatorCoordinator):
    """After a failure the enumerator still answers the requests of the attempts before it."""

    variant, must_fall = "answers-old-requests", "splits-are-asked-for"

    @step
    def forget_requests(self) -> None:
        """The readers forget that they have asked, and the enumerator does not."""
        if self.options.readers_ask:
            for reader in self.readers:
                reader.asked = False


class RemembersAsking(OperatorCoordinator):
    """A restored reader takes the request of its earlier attempt for one that is still under
    way."""

    variant, must_fall = "remembers-asking", "readers-finish"

    @step
    def forget_requests(self) -> None:
        """The enumerator forgets requests, and the readers do not."""
        if self.options.readers_ask:
            self.requests.clear()
            self.wanting.clear()


class AbortsKeepGatesClosed(OperatorCoordinator):
    """A checkpoint that is aborted leaves its gates closed: what they hold is held for ever.

    Flink's `OperatorCoordinatorHolder` opens them when it is told of the abort.
    """

    variant, must_fall = "aborts-keep-gates-closed", "held-events-go-out"

    @step
    def abort(self, checkpoint: CoordinatorCheckpoint) -> None:
        """The enumerator is not told, or does not listen."""
        checkpoint.status = CheckpointStatus.ABORTED
        checkpoint.awaited.clear()
