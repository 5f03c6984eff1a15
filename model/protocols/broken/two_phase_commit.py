"""Planted mistakes of `two-phase-commit`."""

from __future__ import annotations

from finale.model.protocols.two_phase_commit import Decision, Manager, ManagerStatus, TwoPhaseCommit
from finale.model.rules import require, rule


class CommitsUnasked(TwoPhaseCommit):
    """A resource manager that is prepared commits before that is decided."""

    variant, must_fall = "commits-unasked", "commits-are-decided"

    @rule
    def receive_commit(self, manager: Manager) -> None:
        """A resource manager that is prepared commits, told or not."""
        require(manager.status == ManagerStatus.PREPARED)
        manager.status = ManagerStatus.COMMITTED


class CommitsWithOne(TwoPhaseCommit):
    """It is decided to commit when the first resource manager is prepared."""

    variant, must_fall = "commits-with-one", "commit-needs-all"

    @rule
    def decide_commit(self) -> None:
        """When one is known to be prepared, the transaction manager decides to commit."""
        require(self.decision == Decision.NONE)
        require(any(manager.prepared_received for manager in self.managers))
        self.decision = Decision.COMMIT


class PresumesPrepared(TwoPhaseCommit):
    """Who decides takes it that a resource manager is prepared before it has said so."""

    variant, must_fall = "presumes-prepared", "known-is-said"

    @rule
    def receive_prepared(self, manager: Manager) -> None:
        """The transaction manager, undecided, presumes that a resource manager is prepared."""
        require(self.decision == Decision.NONE)
        manager.prepared_received = True


class Withdraws(TwoPhaseCommit):
    """A resource manager that has said that it is prepared aborts by itself all the same."""

    variant, must_fall = "withdraws", "agreement"

    @rule
    def choose_to_abort(self, manager: Manager) -> None:
        """A resource manager aborts by itself, silently, prepared or not."""
        require(manager.status in (ManagerStatus.WORKING, ManagerStatus.PREPARED))
        manager.status = ManagerStatus.ABORTED
