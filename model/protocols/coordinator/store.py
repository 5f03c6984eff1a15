"""The store of completed checkpoints: which ones it holds, and from which one a job restarts.

Models CN-1, CN-2 and RC-3 of the fact sheet, and Flink's `CheckpointSubsumeHelper`. The store is no
state of its own: what has completed says what it holds. A restart takes the newest. What a job
leaves behind after its end is in `resuming.py`.
"""

from __future__ import annotations

from model.protocols.coordinator.checkpoints import COMPLETED, Checkpoint
from model.protocols.coordinator.notices import Notifying
from model.protocols.job.elements import CheckpointId
from model.rules import define, step


class Storing(Notifying):
    """A job whose completed checkpoints are stored."""

    #: CN-1: how many checkpoints the store holds.
    retained: int = 1

    # --- what the store holds --------------------------------------------------------------------

    @define
    def is_in_store(self, checkpoint: Checkpoint) -> bool:
        """CN-1: whether the store holds a checkpoint: it has a place, or no newer one evicts it."""
        has_place = self.places_before(checkpoint) < self.retained
        return self.has_entered(checkpoint) and (has_place or self.is_spared(checkpoint))

    @define
    def places_before(self, checkpoint: Checkpoint) -> int:
        """CN-1: how many places go to others first: to newer ones, and to one that is spared."""
        taken: int = sum(
            self.has_entered(other) and (checkpoint < other or self.is_spared(other))
            for other in self.checkpoints
        )
        return taken

    @define
    def is_spared(self, checkpoint: Checkpoint) -> bool:
        """CN-1: whether savepoints spare a checkpoint that has no place: not if none is stored."""
        return False

    @define
    def has_entered(self, checkpoint: Checkpoint) -> bool:
        """CN-2: whether a checkpoint has completed and was put into the store."""
        return checkpoint.is_completed and self.is_stored(checkpoint)

    @define
    def is_restorable(self, checkpoint: Checkpoint) -> bool:
        """CN-1: the store always holds the newest checkpoint that was put into it."""
        return self.has_entered(checkpoint)

    @define
    def is_stored(self, checkpoint: Checkpoint) -> bool:
        """CN-1: whether a checkpoint that completes is put into the store."""
        return True

    # --- what enters and leaves ------------------------------------------------------------------

    @step
    def store(self, checkpoint: Checkpoint) -> None:
        """CN-1: a checkpoint is complete; older ones are subsumed."""
        checkpoint.status = COMPLETED
        for older in self.checkpoints:
            self.subsume(older, checkpoint)

    @step
    def subsume(self, older: Checkpoint, newer: Checkpoint) -> None:
        """CN-1: an older checkpoint that is pending is aborted, an evicted one is discarded."""
        if older < newer:
            if older.is_pending:
                self.abort(older)
            if not self.is_in_store(older):
                self.discard(older)

    @step
    def discard(self, checkpoint: Checkpoint) -> None:
        """CN-1: nothing is restored from a checkpoint any more."""
        checkpoint.finished.clear()

    @define
    def restore_point(self) -> CheckpointId:
        """RC-1: what a restart takes: the newest checkpoint of the store, or Nothing."""
        return self.newest_completed()

    @step
    def shut_down(self) -> None:
        """RC-3: the job has FINISHED: what is pending is aborted."""
        for checkpoint in self.checkpoints:
            self._give_up(checkpoint)
        self.refuse_queued()

    def refuse_queued(self) -> None:
        """Where requests for checkpoints wait, those that do are refused."""

    @step
    def _give_up(self, checkpoint: Checkpoint) -> None:
        if checkpoint.is_pending:
            self.abort(checkpoint)
        checkpoint.triggers.clear()
