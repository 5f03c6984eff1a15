"""Mistakes of the coordinator and of restarting after failures."""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import ABORTED, Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.tasks import Task
from finale.model.rules import STRONG, WEAK, Nothing, define, require, rule, step


class CountsSavepoints(FinalCheckpoint):
    """Savepoints take places in the store, though it does not hold them."""

    variant, must_fall = "counts-savepoints", "nobody-starts-over"

    @define
    def is_in_store(self, checkpoint: Checkpoint) -> bool:
        """The newest that have completed, less the savepoints among them."""
        newer: int = sum(checkpoint < other and other.is_completed for other in self.checkpoints)
        return self.has_entered(checkpoint) and newer < self.retained

    @define
    def is_restorable(self, checkpoint: Checkpoint) -> bool:
        """A restart takes the newest checkpoint that the store still holds."""
        return self.is_in_store(checkpoint)


class CompletesGivenUp(FinalCheckpoint):
    """A checkpoint that was given up waits for nobody any more: it is taken for complete."""

    variant, must_fall = "completes-given-up", "decided-once"

    @rule(fair=WEAK)
    def complete(self, checkpoint: Checkpoint) -> None:
        """CN-1, and what nobody is awaited for is stored, whatever became of it."""
        if checkpoint.status == ABORTED:
            self.store(checkpoint)
        else:
            super().complete(checkpoint)


class DeclinesNothing(FinalCheckpoint):
    """A task whose snapshot fails keeps it to itself: the coordinator waits for it.

    V-9's lesson once more: what nobody ends but a time-out is a wait.
    """

    variant, must_fall = "declines-nothing", "checkpoint-ends"

    @rule
    def fail_snapshot(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-1 without the decline."""
        super().fail_snapshot(task, checkpoint)
        checkpoint.declined = False


class EvictsNewest(FinalCheckpoint):
    """The store is full, and what is new finds no place in it."""

    variant, must_fall = "evicts-newest", "restores-newest"

    @define
    def is_in_store(self, checkpoint: Checkpoint) -> bool:
        """The oldest checkpoints that have completed, as many as there are places."""
        older: int = sum(
            other < checkpoint and self.has_entered(other) for other in self.checkpoints
        )
        return self.has_entered(checkpoint) and older < self.retained

    @define
    def is_restorable(self, checkpoint: Checkpoint) -> bool:
        """A restart takes the newest checkpoint that the store still holds."""
        return self.is_in_store(checkpoint)


class ExpiresDecided(FinalCheckpoint):
    """An owed expiry aborts its checkpoint without looking whether the checkpoint is decided."""

    variant, must_fall = "expires-decided", "decided-once"

    @define
    def is_overdue(self, checkpoint: Checkpoint) -> bool:
        """AB-1 for every checkpoint whose timeout has passed."""
        return True


class ExpiresLate(FinalCheckpoint):
    """The timer of a checkpoint is not cancelled when it has completed, and aborts it."""

    variant, must_fall = "expires-late", "decided-once"

    @define
    def is_timed(self, checkpoint: Checkpoint) -> bool:
        """AB-1 for a checkpoint that is pending, or was."""
        return checkpoint.is_pending or checkpoint.is_completed


class ForgetsCompleted(FinalCheckpoint):
    """A new coordinator does not know the completed checkpoints of the one that crashed."""

    variant, must_fall = "forgets-completed", "nobody-starts-over"

    @define
    def restore_point(self) -> CheckpointId:
        """Nothing, once the coordinator has crashed."""
        return Nothing if self.crashes > 0 else super().restore_point()


class KeepsConfirmations(FinalCheckpoint):
    """A failure does not lose the confirmations on their way: a new attempt acts on them."""

    variant, must_fall = "keeps-confirmations", "confirms-what-was-taken"

    @step
    def _lose(self, checkpoint: Checkpoint) -> None:
        """RC-1, without what fences a confirmation by the attempt that it is sent to."""
        if checkpoint.is_pending:
            self.abort(checkpoint)
        checkpoint.triggers.clear()
        checkpoint.aborts.clear()
        checkpoint.latest = Nothing


class RequiresAllRunning(FinalCheckpoint):
    """FLINK-2491's first knob: the plan wants every task to be running, and none is once one has
    ended.

    Tasks wait for their final checkpoint and alignment counts ended inputs: only the plan is old.
    """

    variant, must_fall = "requires-all-running", "triggers-go-on"

    @step
    def admit(self) -> None:
        """LF-6: no checkpoint once some task has finished."""
        super().admit()
        require(all(not task.reported_finished for task in self.tasks))


class SkipsUnreadable(FinalCheckpoint):
    """A new coordinator goes on without the newest checkpoint of the store, which it cannot read.

    FLINK-22502: an error of the storage can be transient, and what is older repeats what was
    committed.
    """

    variant, must_fall = "skips-unreadable", "restores-newest"

    @define
    def restore_point(self) -> CheckpointId:
        """Once the coordinator has crashed: the newest that the store holds behind the first."""
        newest = super().restore_point()
        if self.crashes == 0:
            return newest
        second: CheckpointId = Nothing
        for checkpoint in self.checkpoints:
            held = self.is_in_store(checkpoint) and checkpoint != newest
            second = checkpoint if held else second
        return second


class StaysReleased(FinalCheckpoint):
    """A restarted task still counts as released by the final checkpoint of the attempt before."""

    variant, must_fall = "stays-released", "closed-after-final-checkpoint"

    @step
    def start_attempt(self, task: Task) -> None:
        """RC-1, and the release is not forgotten."""
        released = task.released
        super().start_attempt(task)
        task.released = released


class SubsumesAll(FinalCheckpoint):
    """A completed checkpoint aborts all others that are pending, newer ones, too."""

    variant, must_fall = "subsumes-all", "only-older-are-subsumed"

    @step
    def subsume(self, older: Checkpoint, newer: Checkpoint) -> None:
        """CN-1 without a look at the ids."""
        super().subsume(older, newer)
        if older.is_pending:
            self.abort(older)


class TakesWhileRestoring(FinalCheckpoint):
    """A task runs the call for a checkpoint before it has the state that it is restored with."""

    variant, must_fall = "takes-while-restoring", "commit-completeness"

    @rule(fair=STRONG)
    def run_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-7: the mailbox runs a trigger, as long as there is an attempt."""
        require(task.mail.has(checkpoint), not task.is_gone)
        task.mail.remove(checkpoint)
        task.gate.on_trigger(checkpoint)


class TellsNoAbort(FinalCheckpoint):
    """The coordinator aborts a checkpoint and tells no task.

    H4: where a confirmation was lost, the abort of the next checkpoint is what brings its news
    (CN-3).
    """

    variant, must_fall = "tells-no-abort", "waiting-task-closes"

    @step
    def abort(self, checkpoint: Checkpoint) -> None:
        """AB-1 without notifications."""
        super().abort(checkpoint)
        checkpoint.aborts.clear()
        checkpoint.latest = Nothing
