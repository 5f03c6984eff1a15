"""Failed checkpoints in a row, and the restart of the job when there are too many (AB-4).

Only what an operator or a time-out does to a checkpoint counts: a snapshot that fails, and a
checkpoint that expires. Declines of tasks that end, subsumption, triggers that fail and union state
that has finished in part do not. Nor does a savepoint that expires; one whose snapshot fails does,
unless it is that of a stop (SP-12, `stopping.py`). A completed checkpoint sets the count back, and
so does the restart that the count itself causes; any other restart leaves it as it is.
A checkpoint that is held up by records (F6) expires in the end: the one time-out that is promised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.failures.initializing import Initializing, InitializingOptions
from model.protocols.job.elements import CheckpointId
from model.rules import (
    EMPTY,
    WEAK,
    Bound,
    Range,
    Ref,
    Set,
    define,
    field,
    require,
    rule,
    step,
)


@dataclass(frozen=True)
class ToleranceOptions(InitializingOptions):
    """Options of failed checkpoints."""

    #: AB-4: more failed checkpoints in a row than are tolerable restart the job
    counts_failed_checkpoints: bool = False


class Tolerance(Initializing):
    """The counter of failed checkpoints. Optional."""

    explores: ClassVar[tuple[str, ...]] = ("tolerable",)

    failures_in_row = field(Range(0, Bound("tolerable")), 0, ghost="failure-counter")
    failed_snapshots = field(Set(Ref(CheckpointId)), EMPTY, ghost="failure-counter")
    """Checkpoints of which a decline is under way that counts."""

    @property
    def recovers(self) -> bool:
        return super().recovers or self.options.counts_failed_checkpoints

    def keeps(self) -> frozenset[str]:
        own = {"failure-counter"} if self.options.counts_failed_checkpoints else set[str]()
        return super().keeps() | own

    # --- what counts -----------------------------------------------------------------------------

    @step
    def snapshot_failed(self, checkpoint: Checkpoint) -> None:
        """AB-4: the decline for a failed snapshot counts, and is told apart from others."""
        if self.options.counts_failed_checkpoints:
            self.failed_snapshots.add(checkpoint)
        else:
            super().snapshot_failed(checkpoint)

    @rule(fair=WEAK)
    def apply_failed_snapshot(self, checkpoint: Checkpoint) -> None:
        """AB-1, AB-4: the decline for a failed snapshot arrives, aborts, and counts."""
        require(self.options.counts_failed_checkpoints)
        require(lambda: self.failed_snapshots.has(checkpoint))
        self.abort(checkpoint)
        self.count_failed()

    @rule
    def expire(self, checkpoint: Checkpoint) -> None:
        """AB-1, AB-4: a pending checkpoint times out."""
        super().expire(checkpoint)
        self.count_expired(checkpoint)

    @define
    def counts_on_expiry(self, checkpoint: Checkpoint) -> bool:
        """AB-4: whether a checkpoint that times out counts as failed."""
        return True

    @step
    def count_expired(self, checkpoint: Checkpoint) -> None:
        """AB-4: a checkpoint has timed out, which the coordinator alone knows."""
        if self.options.counts_failed_checkpoints and self.counts_on_expiry(checkpoint):
            self.count_failed()

    @define
    def is_held_up(self, checkpoint: Checkpoint) -> bool:
        """F6: whether a checkpoint is pending and records that are not processed hold it up."""
        return False

    @rule(fair=WEAK)
    def time_out_under_load(self, checkpoint: Checkpoint) -> None:
        """AB-1, AB-4: a pending checkpoint whose barriers are held up by records times out."""
        require(self.options.counts_failed_checkpoints, self.is_held_up(checkpoint))
        self.abort(checkpoint)
        self.count_expired(checkpoint)

    @step
    def count_failed(self) -> None:
        """AB-4: one more failed checkpoint in a row; one too many restarts the job."""
        if self.failures_in_row == self.bounds.tolerable:
            self.failures_in_row = 0
            self.restart_all()
        else:
            self.failures_in_row += 1

    # --- what ends the count ---------------------------------------------------------------------

    @step
    def abort(self, checkpoint: Checkpoint) -> None:
        """AB-1: dispose of a pending checkpoint and tell those that it waited for."""
        super().abort(checkpoint)
        if self.options.counts_failed_checkpoints:
            self.failed_snapshots.remove(checkpoint)

    @rule(fair=WEAK)
    def complete(self, checkpoint: Checkpoint) -> None:
        """CN-1, AB-4: all have acknowledged: it is stored, and the count starts anew."""
        super().complete(checkpoint)
        if self.options.counts_failed_checkpoints and checkpoint.is_completed:
            self.failures_in_row = 0
