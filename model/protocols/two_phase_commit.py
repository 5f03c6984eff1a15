"""Two-phase commit (Gray and Lamport, "Consensus on Transaction Commit", 2006): it has no jobs.

Resource managers prepare or abort, a transaction manager decides, messages are a set that only
grows. The known numbers of distinct states are those of the published TLA+ specification.
Left out: nothing of that specification; the managers' crashes are not part of it.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from finale.model.properties.agreement import DecisionView, Voter
from finale.model.rules import Bool, Entity, Enum, Protocol, Setting, define, field, require, rule


class ManagerStatus(enum.Enum):
    """Where a resource manager is."""

    WORKING = "working"
    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"


class Decision(enum.Enum):
    """What the transaction manager has decided."""

    NONE = "none"
    COMMIT = "commit"
    ABORT = "abort"


class Manager(Voter):
    """A resource manager, and the transaction manager's side of it."""

    status = field(
        Enum(ManagerStatus),
        ManagerStatus.WORKING,
        effect=(ManagerStatus.COMMITTED, ManagerStatus.ABORTED),
    )
    prepared_sent = field(Bool, False, messages="held")
    prepared_received = field(Bool, False, messages="held")

    @property
    def has_committed(self) -> bool:
        return self.status == ManagerStatus.COMMITTED

    @property
    def has_aborted(self) -> bool:
        return self.status == ManagerStatus.ABORTED

    @property
    def is_working(self) -> bool:
        return self.status == ManagerStatus.WORKING

    @property
    def has_promised(self) -> bool:
        return self.prepared_sent

    @property
    def is_known_to_promise(self) -> bool:
        return self.prepared_received


@dataclass(frozen=True)
class TwoPhaseCommitSizes:
    """How many resource managers take part."""

    #: how many resource managers take part
    managers: int = 3


class TwoPhaseCommit(Protocol, DecisionView):
    """The transaction manager is the protocol itself; its messages are its decision."""

    key = "two-phase-commit"
    Sizes = TwoPhaseCommitSizes
    sizes: TwoPhaseCommitSizes

    decision = field(Enum(Decision), Decision.NONE, messages="held")

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.managers = tuple(Manager(f"r{i + 1}") for i in range(self.sizes.managers))

    def entities(self) -> Sequence[Entity]:
        return self.managers

    @property
    def commits(self) -> bool:
        return self.decision == Decision.COMMIT

    @property
    def aborts(self) -> bool:
        return self.decision == Decision.ABORT

    @define
    def terminal(self) -> bool:
        return all(m.has_committed or m.has_aborted for m in self.managers)

    @rule
    def prepare(self, manager: Manager) -> None:
        """A working resource manager prepares and says so."""
        require(manager.status == ManagerStatus.WORKING)
        manager.status = ManagerStatus.PREPARED
        manager.prepared_sent = True

    @rule
    def choose_to_abort(self, manager: Manager) -> None:
        """A working resource manager aborts by itself, silently."""
        require(manager.status == ManagerStatus.WORKING)
        manager.status = ManagerStatus.ABORTED

    @rule
    def receive_prepared(self, manager: Manager) -> None:
        """The transaction manager, undecided, receives that a resource manager is prepared."""
        require(self.decision == Decision.NONE, manager.prepared_sent)
        manager.prepared_received = True

    @rule
    def decide_commit(self) -> None:
        """When all are known to be prepared, the transaction manager decides to commit."""
        require(self.decision == Decision.NONE)
        require(all(manager.prepared_received for manager in self.managers))
        self.decision = Decision.COMMIT

    @rule
    def decide_abort(self) -> None:
        """The transaction manager, undecided, decides to abort."""
        require(self.decision == Decision.NONE)
        self.decision = Decision.ABORT

    @rule
    def receive_commit(self, manager: Manager) -> None:
        """A resource manager is told to commit."""
        require(self.decision == Decision.COMMIT)
        manager.status = ManagerStatus.COMMITTED

    @rule
    def receive_abort(self, manager: Manager) -> None:
        """A resource manager is told to abort."""
        require(self.decision == Decision.ABORT)
        manager.status = ManagerStatus.ABORTED
