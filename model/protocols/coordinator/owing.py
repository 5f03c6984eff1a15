"""An expiry that is owed: a timeout has passed, and the coordinator has not acted on it yet.

Models `CheckpointCanceller` and AB-1 of the fact sheet. The timer fires on a thread of its own and
waits for the coordinator's lock. Meanwhile the checkpoint can complete, be subsumed, or be aborted
by a failure or a stop. The canceller then finds that the checkpoint is decided, and does nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.coordinator.tolerance import Tolerance, ToleranceOptions
from model.protocols.job.elements import CheckpointId
from model.rules import EMPTY, WEAK, Ref, Set, define, field, require, rule, within


@dataclass(frozen=True)
class OwingOptions(ToleranceOptions):
    """Options of timeouts that pass before they act."""

    #: AB-1: a timeout passes in one step, and the coordinator acts on it in a later one
    expiry_is_owed: bool = False


class Owing(Tolerance):
    """A coordinator that acts on timeouts later. Optional."""

    owed = field(Set(Ref(CheckpointId)), EMPTY, ghost="owed")
    """Checkpoints whose timeout has passed, and on which the coordinator has not acted."""

    def keeps(self) -> frozenset[str]:
        own = {"owed"} if self.options.expiry_is_owed else set[str]()
        return super().keeps() | own

    @rule
    def expire(self, checkpoint: Checkpoint) -> None:
        """AB-1, AB-4: a pending checkpoint times out."""
        require(not self.options.expiry_is_owed)
        super().expire(checkpoint)

    @rule
    def pass_timeout(self, checkpoint: Checkpoint) -> None:
        """AB-1: the timeout of a pending checkpoint passes; its expiry is owed from now on."""
        require(self.options.expiry_is_owed, int(self.bounds.expiries) > 0)
        require(self.is_timed(checkpoint), lambda: not self.owed.has(checkpoint))
        within(self.expiries, self.bounds.expiries)  # pyright: ignore
        self.expiries += 1  # pyright: ignore
        self.owed.add(checkpoint)

    @rule(fair=WEAK)
    def run_owed_expiry(self, checkpoint: Checkpoint) -> None:
        """AB-1, AB-4: the coordinator acts on a timeout, unless the checkpoint is decided."""
        require(self.options.expiry_is_owed, lambda: self.owed.has(checkpoint))
        self.owed.remove(checkpoint)
        if self.is_overdue(checkpoint):
            self.abort(checkpoint)
            self.count_expired(checkpoint)

    @define
    def is_overdue(self, checkpoint: Checkpoint) -> bool:
        """AB-1: whether a checkpoint whose timeout has passed is still to be decided."""
        return checkpoint.is_pending

    @define
    def is_free(self, checkpoint: Checkpoint) -> bool:
        """Whether nothing can name a checkpoint again: no timeout that has passed, either."""
        if self.options.expiry_is_owed:
            return not self.owed.has(checkpoint) and super().is_free(checkpoint)
        return super().is_free(checkpoint)
