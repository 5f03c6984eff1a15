"""FLIP-34: a stop takes a savepoint on which tasks stall, and ends the job when it has completed.

"FLIP-34: Terminate/Suspend Job with Savepoint" (releases 1.9 to 1.13, without drain also 1.14), and
rules SS-1 … SS-9 of the fact sheet over the finish of LF: the operators end, and flush, after the
savepoint. What the coordinator does is in `stopping.py`.

A task that stalls runs a loop of its own, which takes nothing but what becomes of the savepoint,
and a cancellation. The last watermark, which a source emits first if the job drains, comes in-band
right before the barrier: timers fire as part of taking the savepoint. As built, a source does not
stall, for it emits in a thread of its own. The thread leaves its loop, at its last record or
because it is told, and the task hears of it later (the legacy source of 1.7). Told to leave, the
thread may still emit, until it looks. The thread shares a lock with its task, so that an emission
and a checkpoint are a step each here as well.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from finale.model.language.protocol import kept
from finale.model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId, StopMode
from finale.model.protocols.legacy_finish import LegacyFinish, LegacyFinishOptions
from finale.model.protocols.stopping import AfterFailure, Scheduler, Stopping
from finale.model.protocols.task.sources import Source, ThreadedSource
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import STRONG, WEAK, Nothing, define, require, rule, step


class Resets(enum.Enum):
    """SS-7: which abort makes a task forget the savepoint that it waits for."""

    MATCHING = "matching"
    ANY = "any"


class SourceThread(enum.Enum):
    """What the end of a source's thread is to a task that a stop ends.

    NONE: there is no thread, the mailbox emits. FAILS: the thread leaves with an exception, which
    fails the task. UNAWAITED: exceptions are ignored, and the task ends at once. AWAITED: the task
    ends when the thread has.
    """

    NONE = "none"
    FAILS = "fails"
    UNAWAITED = "unawaited"
    AWAITED = "awaited"


@dataclass(frozen=True)
class SyncSavepointOptions(LegacyFinishOptions):
    """The toggles that concern stops; the defaults are release 1.13, the last that had it whole."""

    #: SS-1: what a second stop meets
    scheduler: Scheduler = Scheduler.DEFAULT
    #: SS-9: what a failure does after the savepoint has completed
    after_failure: AfterFailure = AfterFailure.RESTART
    #: SS-7: periodic checkpoints go on after a stop has failed
    resumes_scheduling: bool = True
    #: SS-7: a savepoint that a task declines fails the job
    decline_fails: bool = True
    #: SS-6: operators end their input also where the job is to go on later, as in 1.9
    end_input_on_suspend: bool = False
    #: SS-2: a source stalls, as it was meant to
    source_blocks: bool = False
    #: SS-7: the abort of the savepoint wakes tasks
    abort_releases: bool = True
    #: SS-7: which abort makes a task forget the savepoint that it waits for
    resets: Resets = Resets.MATCHING
    #: SS-5: the savepoint's completion ends a source
    stop_ends_source: bool = True
    #: SS-4: a savepoint is kept among the checkpoints that a failed job starts again from
    savepoint_stored: bool = True
    #: CN-2: the completion of a savepoint is confirmed to the tasks
    savepoint_confirmed: bool = True
    #: 1.7: a source's own thread, and what its end is to a task that a stop ends
    source_thread: SourceThread = SourceThread.NONE


class SyncSavepoint(Stopping, LegacyFinish):
    """The stop of FLIP-34."""

    key = "sync-savepoint"
    Options = SyncSavepointOptions
    parts = (*LegacyFinish.parts, ThreadedSource)
    calls_in_order = True

    #: SS-6: an operator's input ends also where the job is stopped to go on later.
    end_input_on_suspend: bool = False
    #: SS-2: a source stalls, too, and emits nothing until the savepoint has completed.
    source_blocks: bool = False
    #: SS-7: the abort of the savepoint wakes a task that stalls.
    abort_releases: bool = True
    resets: Resets = Resets.MATCHING
    #: SS-5: the savepoint's completion ends a source.
    stop_ends_source: bool = True

    @property
    def stalls(self) -> bool:
        """Whether stalling is explored: a plain truth value."""
        return self.stops

    def keeps(self) -> frozenset[str]:
        return super().keeps() | kept({"stalls": self.stops, "forgets": self.forgets})

    @property
    def forgets(self) -> bool:
        """Whether a task can forget a savepoint that it knows (SS-7): a plain truth value."""
        return self.stops and self.resets == Resets.ANY

    # --- the savepoint ---------------------------------------------------------------------------

    @rule(fair=STRONG)
    def run_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-7, SS-2: the mailbox runs a trigger, unless the task stalls."""
        require(not self.is_stalled(task))
        super().run_trigger(task, checkpoint)

    @step
    def perform(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-5, SS-2, F45-2: if the job drains, the last watermark comes before the barrier."""
        if self.drains_now(task, checkpoint):
            self.reach_end_of_time(task)
        super().perform(task, checkpoint)

    @define
    def drains_now(self, task: Task, checkpoint: CheckpointId) -> bool:
        """Whether a task takes the savepoint of a stop with drain."""
        known = self.known(checkpoint)
        drains = self.ends_the_job(known) and known.kind == CheckpointKind.DRAIN
        return drains and not task.aborted.has(checkpoint)

    @step
    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """SS-2, SS-3, SS-8, F45-3: a task notes the savepoint and stalls; where it does not, a
        newer checkpoint replaces the savepoint."""
        super().snapshot_taken(task, checkpoint)
        if self.stops:
            self._note(task, checkpoint)

    @step
    def _note(self, task: Task, checkpoint: CheckpointId) -> None:
        if task.has_finished:
            # It ends by itself: what it takes with the rest of its mail changes nothing.
            task.stalled = False
        elif not self.ends_the_job(self.known(checkpoint)):
            self._know(task, Nothing)
        elif self.waits_for_another(task, checkpoint):
            self.task_failed(task)
        else:
            self._know(task, checkpoint)
            task.stalled = self.blocks(task)

    @step
    def _know(self, task: Task, savepoint: CheckpointId) -> None:
        task.sync = savepoint
        if self.forgets:
            task.forgot = False

    @define
    def waits_for_another(self, task: Task, checkpoint: CheckpointId) -> bool:
        """Whether a task waits for another savepoint than this one."""
        return task.sync not in (Nothing, checkpoint) and not self.has_forgotten(task)

    @define
    def has_forgotten(self, task: Task) -> bool:
        """SS-7: whether a task does not wait any more for the savepoint that it knows."""
        return self.forgets and task.forgot

    def blocks(self, task: Task) -> bool:
        """SS-2, SS-3: whether a task stalls on the savepoint, as all do but sources as built."""
        return self.source_blocks or not isinstance(task, Source)

    # --- what a task that stalls does not do -----------------------------------------------------

    @define
    def reads(self, task: Task, channel: Channel) -> bool:
        """1.5, SS-3: whether a task takes the next element of a channel when there is one."""
        return super().reads(task, channel) and not self.is_stalled(task)

    @define
    def may_emit(self, task: Source) -> bool:
        """Whether a source emits a record if it has one: not while it stalls; in a thread, until
        that has ended."""
        if isinstance(task, ThreadedSource):
            return self.thread_runs(task)
        return super().may_emit(task) and not self.is_stalled(task)

    @rule(fair=WEAK)
    def end_source(self, task: Source) -> None:
        """LF-1, SS-6: a source ends its operators when its thread has left, or does not wait."""
        if isinstance(task, ThreadedSource):
            unawaited = self.source_thread == SourceThread.UNAWAITED
            require(task.thread_ended or (unawaited and task.is_told_to_end))
        require(not self.is_stalled(task))
        super().end_source(task)

    # --- the end ---------------------------------------------------------------------------------

    @step
    def act_on_confirmation(self, task: Task, checkpoint: CheckpointId) -> None:
        """SS-5: the savepoint has completed: a sink commits, a source ends, a task wakes."""
        super().act_on_confirmation(task, checkpoint)
        if task.knows(checkpoint) and not self.has_forgotten(task):
            task.released = True
            task.stalled = False
            if isinstance(task, Source) and self.stop_ends_source and task.can_be_stopped:
                self._stop(task, checkpoint)

    @step
    def _stop(self, task: Source, checkpoint: CheckpointId) -> None:
        drain = self.known(checkpoint).kind == CheckpointKind.DRAIN
        task.mode = StopMode.DRAIN if drain else StopMode.NO_DRAIN

    @step
    def end_operators(self, task: Task) -> None:
        """LF-3, SS-6: endInput and close; where the job is to go on later without endInput."""
        if self.ended_by_suspension(task):
            self.end_suspended(task)
        else:
            self._note_end(task)
            super().end_operators(task)

    @step
    def _note_end(self, task: Task) -> None:
        if self.observes("calls"):
            task.called_end = True

    @step
    def reach_end_of_time(self, task: Task) -> None:
        """LF-1, SS-2: a source emits the maximal watermark, unless the stop has ended it: then it
        has done so before the savepoint."""
        if not (self.has_watermarks and isinstance(task, Source) and task.is_told_to_end):
            super().reach_end_of_time(task)

    @define
    def ended_by_suspension(self, task: Task) -> bool:
        """SS-6: whether a task ends while it knows of a savepoint without drain."""
        return any(
            task.knows(checkpoint) and checkpoint.kind == CheckpointKind.SUSPEND
            for checkpoint in self.checkpoints
        )

    # --- abort -----------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def deliver_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-3, SS-7: an abort arrives; that of its savepoint wakes a task that stalls."""
        super().deliver_abort(task, checkpoint)
        self.abort_arrived(task, checkpoint)

    @step
    def abort_arrived(self, task: Task, checkpoint: Checkpoint) -> None:
        """SS-7: the savepoint is aborted: a task does not know it any more, and wakes. If any abort
        resets, another one wakes the task, too: then the completion does not end the task."""
        if self.abort_releases and task.knows(checkpoint):
            self._know(task, Nothing)
            task.stalled = False
        elif self.forgets and task.knows_savepoint:
            task.stalled = False
            task.forgot = True

    @step
    def end_suspended(self, task: Task) -> None:
        """SS-6: LF-3 of a job that is to go on: without endInput, in old releases with it."""
        task.quiesce_timers()
        if self.end_input_on_suspend:
            self._note_end(task)
            task.finish()
        self.refuse_mail(task)

    @property
    def source_thread(self) -> SourceThread:
        """SS-5: what the end of a source's thread is to its task."""
        assert isinstance(self.options, SyncSavepointOptions)
        return self.options.source_thread

    @property
    def source_class(self) -> type[Source]:
        return Source if self.source_thread == SourceThread.NONE else ThreadedSource

    @define
    def thread_runs(self, task: ThreadedSource) -> bool:
        """Whether a source's thread is in its loop, whatever has become of the task."""
        gone = task.status in (TaskStatus.RESTORING, TaskStatus.FAILED)
        return not task.thread_ended and not gone and not self.is_stalled(task)

    @define
    def is_stalled(self, task: Task) -> bool:
        """SS-2, SS-3: whether a task waits for the savepoint and does nothing else."""
        return self.stops and task.stalled

    @rule(fair=WEAK)
    def leave_thread(self, task: ThreadedSource) -> None:
        """1.7: the thread leaves its loop, at the end of its records or because it is told."""
        require(self.thread_runs(task), self.has_no_more(task))
        if self.source_thread == SourceThread.FAILS and task.is_told_to_end:
            self.task_failed(task)
        else:
            task.thread_ended = True
