"""The store of completed checkpoints: which one is kept, and from which a job restarts.

Models CN-1 and RC-3 of the fact sheet with one completed checkpoint retained. How many are, and
what a job leaves when it has ended, is in `resuming.py`: a restart takes the newest in any case.
"""

from __future__ import annotations

from model.protocols.parts.checkpoints import COMPLETED, Checkpoint
from model.protocols.parts.elements import CheckpointId
from model.protocols.parts.notices import Notifying
from model.rules import define, step


class Storing(Notifying):
    """A job whose completed checkpoints are stored."""

    @step
    def store(self, checkpoint: Checkpoint) -> None:
        """CN-1: a checkpoint is complete; older ones are subsumed."""
        checkpoint.status = COMPLETED
        for older in self.checkpoints:
            self.subsume(older, checkpoint)

    @step
    def subsume(self, older: Checkpoint, newer: Checkpoint) -> None:
        """CN-1: an older checkpoint that is pending is aborted, a completed one is discarded."""
        if older < newer:
            if older.is_pending:
                self.abort(older)
            self.discard(older)

    @step
    def discard(self, checkpoint: Checkpoint) -> None:
        """CN-1: nothing is restored from a checkpoint any more."""
        checkpoint.finished.clear()

    @define
    def restore_point(self) -> CheckpointId:
        """RC-1: what a restart takes: the newest completed checkpoint, or Nothing."""
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
