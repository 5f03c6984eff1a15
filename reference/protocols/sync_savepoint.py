"""FLIP-34: after its part of the savepoint, a task waits until the savepoint ends.

Then sources end, and what their operators emit as they do is behind the savepoint. A source as it
was built does not stall, but emits on. FLIP-45 takes a checkpoint instead, if checkpoints are kept,
and else stops the sources: all tasks stall, sources, too, and a cancellation ends each of them.
"""

from __future__ import annotations

from dataclasses import replace

from finale.reference.channel import Channel
from finale.reference.coordinator import Checkpoint, CheckpointKind
from finale.reference.protocols.legacy_stop import EndingSources, LegacyFinish
from finale.reference.settings import EngineOptions
from finale.reference.steps import Guarded, action
from finale.reference.stopping import Stopping
from finale.reference.task import Phase, Task


class SyncSavepoint(Stopping, LegacyFinish):
    """A job whose tasks stall on the savepoint that it is stopped with."""

    key = "sync-savepoint"
    usual = EngineOptions(calls_in_order=True, savepoint_stored=True, savepoint_confirmed=True)
    fails_after_savepoint = False

    # --- the savepoint ---------------------------------------------------------------------------

    def take_checkpoint(self, task: Task, checkpoint: int) -> None:
        """If the job is to drain, the last watermark comes in front of the barrier."""
        if self.kind_of(checkpoint) is CheckpointKind.DRAIN and checkpoint not in task.given_up:
            task.operator.last_watermark(task.emit)
        super().take_checkpoint(task, checkpoint)

    def taken(self, task: Task, checkpoint: int) -> None:
        """A task remembers the savepoint and stalls; a newer checkpoint clears it.

        A second savepoint restarts the job.
        """
        if task.has_finished:
            task.stalled = False
        elif not self.ends_the_job(checkpoint):
            task.ending = None
        elif task.ending not in (None, checkpoint):
            self.fails(task)
        else:
            task.ending = checkpoint
            task.stalled = self.options.source_blocks or task.source is None

    @action("task", "checkpoint")
    def deliver_abort(self, task: Task, checkpoint: int) -> Guarded:
        """A task that waits for the savepoint forgets it, and continues."""
        yield from super().deliver_abort(task, checkpoint)
        if task.ending == checkpoint and self.options.abort_releases:
            task.ending, task.stalled = None, False

    def confirmed(self, task: Task, checkpoint: int) -> None:
        """The savepoint is complete: a task wakes, and a source ends."""
        newer = task.confirmed is None or task.confirmed < checkpoint
        super().confirmed(task, checkpoint)
        if newer and task.ending == checkpoint:
            task.stalled = False
            if task.source is not None and self.options.stop_ends_source:
                task.stopped = self.kind_of(checkpoint) is CheckpointKind.DRAIN

    def secures(self, task: Task, checkpoint: int) -> bool:
        return task.ending == checkpoint

    # --- what a task that stalls does not do -----------------------------------------------------

    @action("task", "checkpoint")
    def run_trigger(self, task: Task, checkpoint: int) -> Guarded:
        if task.stalled:
            yield False
        yield from super().run_trigger(task, checkpoint)

    def may_poll(self, task: Task, channel: Channel) -> bool:
        return not task.stalled and super().may_poll(task, channel)

    @action("task")
    def emit(self, task: Task) -> Guarded:
        if task.stalled:
            yield False
        yield from super().emit(task)

    def has_no_more(self, task: Task) -> bool:
        return not task.stalled and super().has_no_more(task)

    # --- the end ---------------------------------------------------------------------------------

    def finish(self, task: Task) -> None:
        """Operators of a job that is to go on do not finish, but in its oldest releases."""
        if task.ending is None or self.kind_of(task.ending) is not CheckpointKind.SUSPEND:
            super().finish(task)
            return
        if self.options.end_input_on_suspend:
            task.operator.finish(task.emit)
        task.phase = Phase.DRAINING


class StopWithCheckpoint(EndingSources, SyncSavepoint):
    """A job that is stopped with a checkpoint to go on from."""

    key = "stop-with-checkpoint"
    usual = replace(SyncSavepoint.usual, source_blocks=True, retention="kept")

    @property
    def ends_sources(self) -> bool:
        return self.options.retention == "none"

    def is_left(self, checkpoint: Checkpoint) -> bool:
        return not self.ends_sources and super().is_left(checkpoint)

    def heeds_cancellation(self, task: Task) -> bool:
        return self.options.cancel_wins or not task.stalled
