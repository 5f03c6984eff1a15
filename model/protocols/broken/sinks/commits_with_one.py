"""It is decided to commit when the first resource manager is prepared."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.two_phase_commit import Decision, TwoPhaseCommit
from finale.model.rules import require, rule


class CommitsWithOne(TwoPhaseCommit):
    """TwoPhaseCommit with one mistake."""

    must_fall: ClassVar[str] = "commit-needs-all"

    @rule
    def decide_commit(self) -> None:
        """When one is known to be prepared, the transaction manager decides to commit."""
        require(self.decision == Decision.NONE)
        require(any(manager.prepared_received for manager in self.managers))
        self.decision = Decision.COMMIT
