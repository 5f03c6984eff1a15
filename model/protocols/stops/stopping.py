"""A stop with a savepoint, as the coordinator sees it: from the request to the answer.

Models SP-1, SP-7, SP-9, SP-11, SP-12 of the fact sheet, and so SS-1, SS-9, F45-1 and F45-5. What a
task does with the savepoint is the protocols' to say. A savepoint that ends the job is DRAIN or
SUSPEND by its kind. That its failure makes tasks fail can start the job again without any failure
from outside, so what a restart needs is kept wherever a stop is explored.
"""

from __future__ import annotations

import enum
from typing import ClassVar, TypeGuard

from model.protocols.coordinator.checkpoints import ABORTED, Checkpoint, CheckpointKind
from model.protocols.job.elements import CheckpointId, Datum
from model.protocols.requests.requests import (
    CancelRequest,
    JobStatus,
    Request,
    Requests,
    RequestStatus,
    StopRequest,
)
from model.protocols.task.sources import Reader, Source, StopMode
from model.protocols.task.tasks import Task
from model.rules import (
    WEAK,
    Bool,
    Nothing,
    Setting,
    define,
    field,
    require,
    rule,
    step,
)


class Scheduler(enum.Enum):
    """Who deals with a second stop: the default scheduler lets it abort the first, the adaptive
    one refuses it."""

    DEFAULT = "default"
    ADAPTIVE = "adaptive"


class AfterFailure(enum.Enum):
    """What a failure does after the savepoint of a stop has completed (SP-9).

    REGION restarts what is connected with a task that has not FINISHED, and tells nobody.
    """

    FAIL_JOB = "fail-job"
    RESTART = "restart"
    REGION = "region"


class Stopping(Requests):
    """A job that can be stopped by a savepoint."""

    #: SP-1: what a second stop meets.
    scheduler: Scheduler = Scheduler.DEFAULT
    #: SP-9: what a failure does after the savepoint has completed.
    after_failure: AfterFailure = AfterFailure.FAIL_JOB
    #: SP-11: periodic checkpoints go on after a stop has failed.
    resumes_scheduling: bool = True
    #: SP-9: the end of the job and the savepoint's completion are both waited for.
    waits_for_both: bool = True
    #: SP-12: a savepoint that a task declines fails the job.
    decline_fails: bool = True

    ghosts = (*Requests.ghosts, "calls")
    explores: ClassVar[tuple[str, ...]] = ("stops",)

    scheduling = field(Bool, True, ghost="stops")
    """Periodic checkpoints are triggered."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.regions_of_job = self.connected()

    @property
    def stalls(self) -> bool:
        """Whether tasks stall on the savepoint of a stop (SS-3): a plain truth value."""
        return False

    @property
    def stops(self) -> bool:
        """Whether stops are explored: a plain truth value."""
        return int(self.bounds.stops) > 0

    @property
    def recovers(self) -> bool:
        """A stop can fail tasks by itself."""
        return super().recovers or self.stops

    def keeps(self) -> frozenset[str]:
        own = {"stops"} if self.stops else set[str]()
        own |= {"told"} if self.stops and not self.waits_for_both else set[str]()
        return super().keeps() | own

    # --- the request -----------------------------------------------------------------------------

    @rule
    def request_stop(self, request: StopRequest, drain: bool) -> None:
        """SP-1, SS-1: a user stops the job: what is pending is aborted, a savepoint triggered."""
        require(self.is_next(request), self.runs())
        if self.refuses_stop():
            request.status = RequestStatus.FAILED
        else:
            self.make_room_if(self.may_trigger())
            for checkpoint in self.checkpoints:
                self.abort_for_stop(checkpoint)
            self.refuse_queued()
            if self.may_trigger():
                self.scheduling = False
                self.trigger_for(request, self.kind_of_stop(drain=drain))
            else:
                request.status = RequestStatus.FAILED

    def kind_of_stop(self, *, drain: bool) -> CheckpointKind:
        """SP-1: TERMINATE with drain, else SUSPEND."""
        return CheckpointKind.DRAIN if drain else CheckpointKind.SUSPEND

    @define
    def refuses_stop(self) -> bool:
        """Whether a stop is refused because another one is under way."""
        if self.scheduler == Scheduler.DEFAULT:
            return False
        return any(other.is_admitted for other in self.stop_requests)

    @step
    def abort_for_stop(self, checkpoint: Checkpoint) -> None:
        """SP-1: whatever is pending is aborted."""
        if checkpoint.is_pending:
            self.abort(checkpoint)

    @define
    def ends_the_job(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint is the savepoint of a stop."""
        if not self.stops:
            return False
        return checkpoint.kind in (CheckpointKind.DRAIN, CheckpointKind.SUSPEND)

    @define
    def schedules(self) -> bool:
        """SP-1, SP-11: whether periodic checkpoints are taken: not from a stop to its failure."""
        return not self.stops or self.scheduling

    # --- the answer ------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def learn_savepoint(self, request: StopRequest, checkpoint: Checkpoint) -> None:
        """SP-7: the scheduler hears that the savepoint has completed, before or after the end."""
        require(not self.waits_for_both)
        require(request.is_admitted, request.of == checkpoint, checkpoint.is_completed)
        require(not request.told)
        request.told = True

    @rule(fair=WEAK)
    def conclude_stop(self, request: StopRequest, checkpoint: Checkpoint) -> None:
        """SP-9, SS-9: the savepoint has completed and the job has finished: the stop succeeded."""
        require(request.is_admitted, request.of == checkpoint)
        require(checkpoint.is_completed, self.is_finished)
        if not self.waits_for_both and not request.told:
            request.status = RequestStatus.FAILED
        else:
            request.status = RequestStatus.SUCCEEDED

    @rule(fair=WEAK)
    def savepoint_failed(self, request: StopRequest, checkpoint: Checkpoint) -> None:
        """SP-11, SS-7: the savepoint has failed: so has the stop, and checkpoints go on."""
        require(request.is_admitted, request.of == checkpoint, checkpoint.status == ABORTED)
        request.status = RequestStatus.FAILED
        if self.resumes_scheduling:
            self.scheduling = True

    # --- what a stop ends ------------------------------------------------------------------------

    @define
    def may_emit(self, task: Source) -> bool:
        """Whether a source emits a record if it has one: not after a stop has reached it."""
        if not self.stops:
            return super().may_emit(task)
        return super().may_emit(task) and task.mode == StopMode.NONE

    @define
    def has_no_more(self, task: Source) -> bool:
        """Whether a source comes to the end of its data, by itself or because it was stopped."""
        if not self.stops:
            return super().has_no_more(task)
        if self.can_be_over(task) and task.over:
            return True
        return task.mode != StopMode.NONE or super().has_no_more(task)

    @define
    def was_stopped(self, task: Task) -> bool:
        """Whether a stop without drain has ended the data of a source, or of one of the inputs."""
        if isinstance(task, Source):
            return task.mode == StopMode.NO_DRAIN
        return any(channel.stopped for channel in task.inputs)

    # --- failures --------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def apply_decline(self, checkpoint: Checkpoint) -> None:
        """AB-1, SP-12: a decline aborts the checkpoint, and if it ends the job fails the job."""
        super().apply_decline(checkpoint)
        if self.fails_when_declined(checkpoint):
            self.restart_all()

    @define
    def fails_when_declined(self, checkpoint: Checkpoint) -> bool:
        """SP-12: whether a decline of this checkpoint fails the job."""
        return self.stops and self.decline_fails and self.ends_the_job(checkpoint)

    @step
    def snapshot_failed(self, checkpoint: Checkpoint) -> None:
        """AB-1, SP-12: where it fails the job at once, the savepoint's decline is not counted."""
        if self.fails_when_declined(checkpoint):
            checkpoint.declined = True
        else:
            super().snapshot_failed(checkpoint)

    @step
    def trigger_failed(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-5, H14: a task that is closing declines the savepoint; one that is gone aborts it."""
        declines = self.stops and checkpoint.is_pending and self.ends_the_job(checkpoint)
        if declines and not task.is_closed:
            checkpoint.declined = True
        else:
            super().trigger_failed(task, checkpoint)

    @step
    def restart_all(self) -> None:
        """RC-1, SP-9: all attempts end; after a stop's savepoint has completed the job fails."""
        if not self.stops:
            super().restart_all()
        elif self.after_failure == AfterFailure.REGION:
            self._restart_regions()
        else:
            over = any(self.has_savepoint(request) for request in self.stop_requests)
            super().restart_all()
            self.scheduling = True
            if over:
                self._fail_stops()

    @step
    def _restart_regions(self) -> None:
        if any(self.has_savepoint(request) for request in self.stop_requests):
            for region in self.regions_of_job:
                self._restart_region(region)
        else:
            super().restart_all()
            self.scheduling = True

    @step
    def _restart_region(self, region: tuple[Task, ...]) -> None:
        if any(not task.is_closed for task in region):
            for task in region:
                self.drop_messages(task)
            self.end_attempts(region)

    @step
    def end_attempts(self, tasks: tuple[Task, ...]) -> None:
        """RC-1: what these tasks knew is gone, that they were to stop included."""
        super().end_attempts(tasks)
        if self.stops:
            for task in tasks:
                self.forget_stop(task)

    @define
    def has_savepoint(self, request: Request) -> bool:
        """Whether the checkpoint of an admitted request has completed."""
        return any(
            request.is_admitted and request.of == checkpoint and checkpoint.is_completed
            for checkpoint in self.checkpoints
        )

    @step
    def end_for_good(self, task: Task) -> None:
        """An attempt ends, and there is no other; nor does it stall any more."""
        super().end_for_good(task)
        if self.stalls:
            task.stalled = False

    @step
    def keep_snapshot(self, task: Task, checkpoint: CheckpointId) -> None:
        super().keep_snapshot(task, checkpoint)
        if self.can_be_over(task):
            task.over_before[checkpoint] = task.over

    @step
    def restart_from_nothing(self, task: Task) -> None:
        super().restart_from_nothing(task)
        if self.can_be_over(task):
            task.over = False

    @step
    def restore_from(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-7: a source that had ended ends again, and counts as such in what comes after it."""
        super().restore_from(task, checkpoint)
        if self.can_be_over(task):
            task.over = self.known(checkpoint).finished.has(task) or task.over_before[checkpoint]

    def can_be_over(self, task: Task) -> TypeGuard[Source]:
        """Whether only a stop can have ended its data: a plain truth value."""
        restarts = self.stops and self.keeps_snapshots
        return restarts and isinstance(task, Source) and not task.subtask.bounded

    @step
    def forget_stop(self, task: Task) -> None:
        """What a task knew of a stop is gone."""
        task.sync = Nothing
        if self.stalls:
            task.stalled = False
        for channel in task.inputs:
            channel.stopped = False
        if self.observes("calls"):
            task.called_end = False
        if isinstance(task, Reader):
            task.read_on()

    @step
    def _fail_stops(self) -> None:
        for request in self.stop_requests:
            if self.has_savepoint(request):
                request.status = RequestStatus.FAILED
        if self.after_failure == AfterFailure.FAIL_JOB:
            self.job_status = JobStatus.FAILED
            self.scheduling = False
            self.shut_down()
            for task in self.tasks:
                self.end_for_good(task)

    @rule
    def request_cancel(self, request: CancelRequest) -> None:
        """SP-13, F45-6: a user cancels the job: nothing is pending or planned any more."""
        super().request_cancel(request)
        if self.stops:
            self.scheduling = False

    # --- what others ask -------------------------------------------------------------------------

    @define
    def suspends(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint is the completed savepoint of a stop without drain."""
        if not self.stops:
            return False
        return checkpoint.is_completed and checkpoint.kind == CheckpointKind.SUSPEND

    @define
    def is_of_this_start(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint was triggered since the job was last started."""
        return True

    @define
    def has_emitted(self, record: Datum) -> bool:
        """Whether the source of a record has emitted it."""
        source = self.task_of[record.source]
        if not isinstance(source, Source):
            return True
        return not self.stops or record.number <= len(source.data) - source.remaining

    @define
    def had_emitted(self, record: Datum, checkpoint: Checkpoint) -> bool:
        """Whether the source of a record had emitted it when it took a checkpoint, or finished."""
        source = self.task_of[record.source]
        if not self.stops or not isinstance(source, Source):
            return True
        taken = record.number <= len(source.data) - source.offset[checkpoint]
        return taken or checkpoint.finished.has(source)

    @define
    def has_processed_all(self) -> bool:
        """Whether a job that has finished came to the end of its data, and was not suspended: a
        savepoint that has completed does not suspend a job that was restarted since."""
        if not any(
            self.suspends(checkpoint) and self.is_of_this_start(checkpoint)
            for checkpoint in self.checkpoints
        ):
            return True
        return not any(self.ended_by_suspension(task) for task in self.tasks)
