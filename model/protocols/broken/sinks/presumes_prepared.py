"""Who decides takes it that a resource manager is prepared before it has said so."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.two_phase_commit import Decision, Manager, TwoPhaseCommit
from finale.model.rules import require, rule


class PresumesPrepared(TwoPhaseCommit):
    """TwoPhaseCommit with one mistake."""

    must_fall: ClassVar[str] = "known-is-said"

    @rule
    def receive_prepared(self, manager: Manager) -> None:
        """The transaction manager, undecided, presumes that a resource manager is prepared."""
        require(self.decision == Decision.NONE)
        manager.prepared_received = True
