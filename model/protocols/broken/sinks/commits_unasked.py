"""A resource manager that is prepared commits before that is decided."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.two_phase_commit import Manager, ManagerStatus, TwoPhaseCommit
from finale.model.rules import require, rule


class CommitsUnasked(TwoPhaseCommit):
    """TwoPhaseCommit with one mistake."""

    must_fall: ClassVar[str] = "commits-are-decided"

    @rule
    def receive_commit(self, manager: Manager) -> None:
        """A resource manager that is prepared commits, told or not."""
        require(manager.status == ManagerStatus.PREPARED)
        manager.status = ManagerStatus.COMMITTED
