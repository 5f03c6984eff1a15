"""Why two-phase commit agrees: what each step keeps, and that together implies agreement.

These are asked on request: they are given to `finale prove` as an invariant.
"""

from __future__ import annotations

from model.protocols.two_phase_commit import Decision, Manager, ManagerStatus, TwoPhaseCommit
from model.rules import always, when


@always(on_request=True)
def commits_are_decided(state: TwoPhaseCommit, manager: Manager) -> bool:
    """A resource manager commits only when that is decided."""
    when(manager.has_committed)
    return state.decision == Decision.COMMIT


@always(on_request=True)
def commit_needs_all(state: TwoPhaseCommit, manager: Manager) -> bool:
    """It is decided to commit only when each resource manager is known to be prepared."""
    when(state.decision == Decision.COMMIT)
    return manager.prepared_received


@always(on_request=True)
def known_is_said(state: TwoPhaseCommit, manager: Manager) -> bool:
    """A resource manager is known to be prepared only when it has said so."""
    when(manager.prepared_received)
    return manager.prepared_sent


@always(on_request=True)
def promise_is_kept(state: TwoPhaseCommit, manager: Manager) -> bool:
    """Who has said to be prepared works no longer, and aborts only when that is decided."""
    when(manager.prepared_sent)
    aborts = manager.has_aborted and state.decision != Decision.ABORT
    return manager.status != ManagerStatus.WORKING and not aborts


FAMILIES = (commits_are_decided, commit_needs_all, known_is_said, promise_is_kept)
