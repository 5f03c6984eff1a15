"""FLIP-147: a stop with a savepoint, with drain and without, ends its data before its savepoint.

The wiki's life-cycle tables ("stop with savepoint", with and without drain), and rules SP-1 …
SP-13 and FC-3 of the fact sheet over the final checkpoint; what the coordinator does is in
`stopping.py`. With `no_drain = blocking` a stop
without drain is still the synchronous savepoint of release 1.14.
Left out: the thread of a legacy source (`task/threads.py`): a mailbox source stands for both
(SP-3), since it notes the savepoint and stops reading in one step. Sources chained in one task are
in `chained_sources.py`.

Stops also meet restarts of regions and crashes of the coordinator (RC-1, RC-2 with SP-1, SP-9 and
SP-10). A task that its savepoint's abort fails takes its region with it, and no other. A stop waits
for the attempts that there are when it comes, those that have FAILED included, which are to be
restarted after a delay: such a stop cannot succeed any more, and has taken its savepoint all the
same.
"""

from __future__ import annotations

from dataclasses import dataclass

from finale.model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from finale.model.protocols.failures import Region
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.finish_options import FinalCheckpointOptions
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId, StopMode
from finale.model.protocols.requests import RequestStatus, StopRequest
from finale.model.protocols.stopping import (
    EndDuringSavepoint,
    MultiInput,
    NoDrain,
    ReleaseOn,
    StopOptions,
    StopOrder,
    Stopping,
    SyncAbort,
)
from finale.model.protocols.task.sources import Reader, Source
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import (
    STRONG,
    WEAK,
    Nothing,
    assumed,
    at_once,
    define,
    require,
    rule,
    step,
)


@dataclass(frozen=True)
class StopWithSavepointOptions(StopOptions, FinalCheckpointOptions):
    """The toggles of section 6 that concern stops; the defaults are today's Flink as intended."""


class StopWithSavepoint(Stopping, FinalCheckpoint):
    """The final checkpoint, and stops."""

    key = "stop-with-savepoint"
    Options = StopWithSavepointOptions
    options: StopWithSavepointOptions

    # --- stops that meet failures ----------------------------------------------------------------

    @property
    def stops_meet_failures(self) -> bool:
        """Whether a stop can find tasks that wait for their restart: a plain truth value."""
        return self.stops and self.restarts_late

    def keeps(self) -> frozenset[str]:
        own = {"failed-regions"} if self.stops_meet_failures else set[str]()
        return super().keeps() | own

    @rule
    def request_stop(self, request: StopRequest, drain: bool) -> None:
        """SP-1: a user stops the job: a savepoint is triggered, and all attempts waited for."""
        super().request_stop(request, drain)
        if self.stops_meet_failures:
            failed = any(task.status == TaskStatus.FAILED for task in self.tasks)
            request.met_failure = request.is_admitted and failed

    @rule
    def crash_coordinator(self) -> None:
        """RC-2: the coordinator crashes; a new one knows of no stop, nor of its savepoint."""
        for request in self.stop_requests:
            self._forget_request(request)
        super().crash_coordinator()

    @step
    def _forget_request(self, request: StopRequest) -> None:
        if request.is_admitted:
            request.status = RequestStatus.FAILED

    @step
    def end_region(self, region: Region) -> None:
        """RC-1, SP-9: after a stop's savepoint has completed a failure is that of the job."""
        if any(self.has_savepoint(request) for request in self.stop_requests):
            self.restart_all()
        else:
            super().end_region(region)

    @step
    def attempt_failed(self, task: Task) -> None:
        """RC-1: an attempt ends without having FINISHED, and what it knew of a stop is gone."""
        super().attempt_failed(task)
        self.forget_stop(task)

    @rule(fair=WEAK)
    def miss_failed_attempt(self, request: StopRequest, checkpoint: Checkpoint) -> None:
        """SP-9: all attempts that the stop waits for have ended, one of them had FAILED."""
        require(self.stops_meet_failures)
        require(request.is_admitted, lambda: request.met_failure)
        require(request.of == checkpoint, checkpoint.is_completed, not self.is_finished)
        require(all(task.reported_finished or checkpoint.finished.has(task) for task in self.tasks))
        self.restart_all()
        request.status = RequestStatus.FAILED

    # --- the order of triggers -------------------------------------------------------------------

    @define
    def is_in_turn(self, task: Task, checkpoint: Checkpoint) -> bool:
        """1.6, SP-2: a source that has noted the savepoint takes it in a mail of its own, later."""
        if not self.calls_in_order:
            return super().is_in_turn(task, checkpoint)
        return all(
            e >= checkpoint or not task.mail.has(e) or task.knows(e) for e in self.checkpoints
        )

    # --- the savepoint at a task -----------------------------------------------------------------

    @define
    def ends_data_of_source(self, task: Reader, checkpoint: Checkpoint) -> bool:
        """SP-2: whether a source ends its data for a savepoint; else tasks block (1.14)."""
        if not (task.can_be_stopped and self.ends_the_job(checkpoint)):
            return False
        if not self.options.stops_for_aborted and task.aborted.has(checkpoint):
            return False
        blocks = self.options.no_drain == NoDrain.BLOCKING
        return not blocks or checkpoint.kind == CheckpointKind.DRAIN

    @rule(fair=STRONG)
    def stop_source(self, task: Reader, checkpoint: Checkpoint) -> None:
        """SP-2, SP-3: a source notes the savepoint and stops reading; an end before it stays."""
        require(task.mail.has(checkpoint), task.is_alive)
        require(self.ends_data_of_source(task, checkpoint), lambda: task.sync != checkpoint)
        require(self.is_in_turn(task, checkpoint))
        if task.status == TaskStatus.QUIESCED:
            self.reject_savepoint(task, checkpoint)
        elif task.sync != Nothing:
            self.task_failed(task)
        else:
            task.sync = checkpoint
            drain = checkpoint.kind == CheckpointKind.DRAIN
            task.stop_reading(StopMode.DRAIN if drain else StopMode.NO_DRAIN)

    @step
    def reject_savepoint(self, task: Reader, checkpoint: Checkpoint) -> None:
        """H14: a mailbox that drains takes no further mail, so the savepoint is declined."""
        task.mail.remove(checkpoint)
        self.decline(checkpoint)

    @rule(fair=STRONG)
    def perform_savepoint(self, task: Reader, checkpoint: Checkpoint) -> None:
        """SP-2: a source that has stopped takes the savepoint: with drain after its data's end."""
        require(task.mail.has(checkpoint), task.is_alive)
        require(self.ends_data_of_source(task, checkpoint), lambda: task.sync == checkpoint)
        require(self.has_stopped(task))
        task.mail.remove(checkpoint)
        task.gate.on_trigger(checkpoint)

    @assumed("SourceOperatorStreamTask.triggerStopWithSavepointAsync")
    @define
    def has_stopped(self, task: Reader) -> bool:
        """SP-2: whether its data have ended; they need not without drain, under back pressure."""
        if task.has_finished:
            return True
        return self.options.stop_order == StopOrder.EITHER and task.stops_at_once

    @rule(fair=STRONG)
    def run_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-7, SP-6: the mailbox runs a trigger, also the savepoint's where no source runs."""
        if isinstance(task, Reader):
            require(not self.ends_data_of_source(task, checkpoint))
        require(not self.is_stalled(task))
        super().run_trigger(task, checkpoint)

    @step
    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """SP-5: a task that takes the savepoint knows of it from now on; a second one fails it."""
        super().snapshot_taken(task, checkpoint)
        if self.ends_the_job(self.known(checkpoint)):
            if task.sync not in (Nothing, checkpoint):
                self.task_failed(task)
            else:
                task.sync = checkpoint

    # --- the end of data -------------------------------------------------------------------------

    @rule(fair=STRONG)
    def end_source(self, task: Source) -> None:
        """FC-1, FC-3: a source without further records, or stopped, ends its data."""
        if self.fails_at_its_end(task):
            require(task.is_running, self.has_no_more(task))
            self.task_failed(task)
        else:
            super().end_source(task)

    @define
    def fails_at_its_end(self, task: Source) -> bool:
        """V-10: release 1.14 has no answer to an end during a savepoint without drain."""
        if self.options.end_during_savepoint == EndDuringSavepoint.WAITS:
            return False
        return self.blocks(task) and not task.released and self.runs()

    @step
    def finish_operators(self, task: Task) -> None:
        """FC-1, FC-3: endInput and finish only with drain; EndOfData in either case."""
        super().finish_operators(task)
        if self.observes("calls") and self.drains(task):
            task.called_end = True

    @define
    def drains(self, task: Task) -> bool:
        """FC-2, FC-3: one input that was stopped makes it an end without drain."""
        return not self.was_stopped(task)

    @step
    def end_data(self, channel: Channel, drain: bool) -> None:
        """FC-2, FC-3: the reader knows that no record comes any more, and why."""
        super().end_data(channel, drain)
        if self.stops:
            channel.stopped = not drain

    @define
    def ends_data_of(self, task: Task, channel: Channel) -> bool:
        """FC-2, H7: as built, the last of several inputs must have drained, on each channel."""
        last = tuple(each for each in task.inputs if each.edge.edge == channel.edge.edge)
        as_built = self.stops and self.options.multi_input == MultiInput.AS_BUILT
        several = len(last) < len(task.inputs)
        if as_built and several and any(each.stopped for each in last):
            return False
        return super().ends_data_of(task, channel)

    @rule(fair=WEAK)
    def end_without_end_of_data(self, task: Task) -> None:
        """H7: a task whose inputs have ended ends, though its data never did."""
        require(self.options.multi_input == MultiInput.AS_BUILT, task.inputs)
        require(task.is_running, task.inputs_ended)
        task.status = TaskStatus.WAITING_FOR_FINAL_CP

    @define
    def opens_transaction(self, task: Task) -> bool:
        """1.7: a sink that was not finished opens a transaction with each checkpoint."""
        if self.was_stopped(task):
            return True
        return super().opens_transaction(task)

    # --- release ---------------------------------------------------------------------------------

    @define
    def releases(self, task: Task, checkpoint: CheckpointId) -> bool:
        """SP-8, FC-7: a task that knows of the savepoint is released by it alone."""
        if self.options.release_on == ReleaseOn.MINIMUM:
            return super().releases(task, checkpoint)
        if task.knows(checkpoint):
            return True
        if self.options.release_on == ReleaseOn.EXACT and task.knows_savepoint:
            return False
        return super().releases(task, checkpoint)

    @define
    def awaits(self, task: Task, checkpoint: CheckpointId) -> bool:
        """FC-7, SP-8: the savepoint that it knows of, or any from its first final one on."""
        if task.knows_savepoint:
            return task.knows(checkpoint)
        return super().awaits(task, checkpoint)

    @define
    def may_close(self, task: Task) -> bool:
        """FC-6: and a task that knows of the savepoint waits for it in any case."""
        waits = self.waits_for_savepoint(task)
        if self.options.multi_input == MultiInput.AS_BUILT and self.skipped_its_end(task):
            return not waits and task.inputs_ended
        return not waits and super().may_close(task)

    @assumed("StreamTask.afterInvoke", without=False)
    @define
    def waits_for_savepoint(self, task: Task) -> bool:
        """SP-8: whether a task has noted the savepoint and its completion is not confirmed."""
        return task.knows_savepoint and not task.released

    @define
    def skipped_its_end(self, task: Task) -> bool:
        """H7: whether a task has ended without ending its data."""
        unsent = any(not channel.end_of_data for channel in task.outputs)
        return bool(task.inputs) and self.was_stopped(task) and unsent

    @define
    def ended_by_suspension(self, task: Task) -> bool:
        """Whether a stop without drain ended a task's data, and not their end."""
        return self.was_stopped(task)

    # --- abort -----------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def deliver_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-3, SP-10: the abort of a savepoint that a task knows of makes it fail."""
        knows = task.knows(checkpoint)
        super().deliver_abort(task, checkpoint)
        if knows:
            self.savepoint_aborted(task, checkpoint)

    @at_once(
        "StreamTask.notifyCheckpointAbortAsync",
        apart="finale.model.protocols.apart:FailsLater",
    )
    @assumed("StreamTask.notifyCheckpointAbortAsync")
    @step
    def savepoint_aborted(self, task: Task, checkpoint: Checkpoint) -> None:
        """SP-10: the task fails, and with it what is connected; or it forgets the savepoint."""
        if self.options.sync_abort == SyncAbort.FAILS:
            self.task_failed(task)
        else:
            task.sync = Nothing
            if not task.aborted.has(checkpoint):
                # What was taken since is newer: a second mail would do nothing (AL-1), and must not
                # pass for a first one.
                task.mail.remove(checkpoint)

    # --- the blocking stop of 1.14 ---------------------------------------------------------------

    @define
    def blocks(self, task: Task) -> bool:
        """V-10: whether a task knows of a savepoint without drain of release 1.14."""
        if self.options.no_drain == NoDrain.UNIFIED:
            return False
        return any(
            task.knows(checkpoint) and checkpoint.kind == CheckpointKind.SUSPEND
            for checkpoint in self.checkpoints
        )

    @define
    def is_stalled(self, task: Task) -> bool:
        """SS-3: whether a task waits for the savepoint and does nothing else."""
        if isinstance(task, Source):
            return False
        return self.blocks(task) and not task.released

    @define
    def reads(self, task: Task, channel: Channel) -> bool:
        """1.5, SS-3: whether a task's main loop takes elements from a channel."""
        return super().reads(task, channel) and not self.is_stalled(task)

    @step
    def act_on_confirmation(self, task: Task, checkpoint: CheckpointId) -> None:
        """FC-7, SS-5: a newer confirmation commits; the blocking savepoint's ends a source."""
        super().act_on_confirmation(task, checkpoint)
        if isinstance(task, Source) and self.ends_now(task, checkpoint):
            task.mode = StopMode.NO_DRAIN

    @define
    def ends_now(self, task: Source, checkpoint: CheckpointId) -> bool:
        """SS-5: whether the confirmation is that of the savepoint that blocks a source."""
        return task.is_running and self.blocks(task) and task.knows(checkpoint)
