"""FLIP-147: a stop takes a savepoint that ends the job, with drain or suspend.

A source that hears of it ends its data, as at its natural end; with drain operators finish, without
they keep what they hold. Whoever takes the savepoint waits for it, and for no other checkpoint.
"""

from __future__ import annotations

from finale.reference.coordinator import CheckpointKind
from finale.reference.protocols.final_checkpoint import FinalCheckpoint
from finale.reference.steps import Guarded, action
from finale.reference.stopping import Stopping
from finale.reference.task import Phase, Task


class StopWithSavepoint(Stopping, FinalCheckpoint):
    """A job whose tasks end together, by themselves or because it is stopped."""

    key = "stop-with-savepoint"

    # --- at a task -------------------------------------------------------------------------------

    @action("task", "checkpoint")
    def run_trigger(self, task: Task, checkpoint: int) -> Guarded:
        if self.is_to_stop(task, checkpoint):
            yield False
        yield from super().run_trigger(task, checkpoint)

    def is_in_turn(self, task: Task, checkpoint: int) -> bool:
        """The calls that a mailbox has are run in order, but a source takes its savepoint later."""
        earlier = (each for each in task.mail if each < checkpoint)
        return not self.options.calls_in_order or all(each == task.ending for each in earlier)

    def is_to_stop(self, task: Task, checkpoint: int) -> bool:
        """Whether a call tells a source to end its data, also if its savepoint is aborted."""
        ignores = not self.options.stops_for_aborted and checkpoint in task.given_up
        return task.source is not None and self.ends_the_job(checkpoint) and not ignores

    @action("task", "checkpoint")
    def stop_source(self, task: Task, checkpoint: int) -> Guarded:
        """A source stops reading. It takes the savepoint later, for its data end first."""
        called = task.lives and checkpoint in task.mail and task.ending != checkpoint
        stops = called and self.is_to_stop(task, checkpoint)
        yield stops and self.is_in_turn(task, checkpoint)
        if task.phase is Phase.DRAINING:
            task.mail.discard(checkpoint)
            self.decline(checkpoint)
        elif task.ending is not None:
            self.fails(task)
        else:
            task.ending = checkpoint
            if task.phase is Phase.RUNNING:
                task.stopped = self.kind_of(checkpoint) is CheckpointKind.DRAIN

    @action("task", "checkpoint")
    def perform_savepoint(self, task: Task, checkpoint: int) -> Guarded:
        """A source that has stopped takes the savepoint; with drain its data have ended before."""
        called = task.lives and checkpoint in task.mail and task.ending == checkpoint
        may = task.has_finished or task.stopped is False
        yield called and may and self.is_to_stop(task, checkpoint)
        task.mail.discard(checkpoint)
        task.gate.triggered(checkpoint)

    def taken(self, task: Task, checkpoint: int) -> None:
        """The task that takes the savepoint remembers it; a second savepoint restarts the job."""
        if not self.ends_the_job(checkpoint):
            return
        if task.ending not in (None, checkpoint):
            self.fails(task)
        else:
            task.ending = checkpoint

    # --- the end ---------------------------------------------------------------------------------

    def has_all(self, task: Task) -> bool:
        """Whether a checkpoint has all output of a task; never for an unfinished task."""
        return super().has_all(task) and not self.was_stopped(task)

    def secures(self, task: Task, checkpoint: int) -> bool:
        on = self.options.release_on
        own = task.ending == checkpoint and on != "minimum"
        others = task.ending is None or on != "exact"
        return own or (others and super().secures(task, checkpoint))

    def may_close(self, task: Task) -> bool:
        waits = task.ending is not None and not task.secured
        return not waits and super().may_close(task)

    # --- what fails ------------------------------------------------------------------------------

    @action("task", "checkpoint")
    def deliver_abort(self, task: Task, checkpoint: int) -> Guarded:
        """A task that knows of the savepoint cannot go on without it, or forgets it."""
        knows = task.ending == checkpoint
        yield from super().deliver_abort(task, checkpoint)
        if knows and self.options.sync_abort == "fails":
            self.fails(task)
        elif knows:
            task.ending = None
            if checkpoint not in task.given_up:
                task.mail.discard(checkpoint)
