"""A resource manager that has said that it is prepared aborts by itself all the same."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.two_phase_commit import Manager, ManagerStatus, TwoPhaseCommit
from finale.model.rules import require, rule


class Withdraws(TwoPhaseCommit):
    """TwoPhaseCommit with one mistake."""

    must_fall: ClassVar[str] = "agreement"

    @rule
    def choose_to_abort(self, manager: Manager) -> None:
        """A resource manager aborts by itself, silently, prepared or not."""
        require(manager.status in (ManagerStatus.WORKING, ManagerStatus.PREPARED))
        manager.status = ManagerStatus.ABORTED
