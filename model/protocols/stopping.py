"""Stops with a savepoint at the coordinator, and the start of a job from what an ended job left.

Models SP-1, SP-7, SP-9, SP-11, SP-12 of the fact sheet, and so SS-1, SS-9, F45-1 and F45-5; F45-7,
RC-3 and the start from a savepoint of RC-4. What a task does with the savepoint is the protocols'
to say. A savepoint that ends the job is DRAIN or SUSPEND by its kind. The failure of the savepoint
makes tasks fail, which can start the job again without any failure from outside. So what a restart
needs is kept wherever a stop is explored.

A job that has ended is resumed in the same system, at the same shape: what is visible outside
stays. Which checkpoints are left is for the protocol to say. Stopping at another shape is a system
of its own.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, TypeGuard

from finale.model.errors import FinaleError, Place
from finale.model.language.protocol import kept
from finale.model.protocols.coordinator.checkpoints import (
    ABORTED,
    UNUSED,
    Checkpoint,
    CheckpointKind,
)
from finale.model.protocols.job.elements import CheckpointId, Datum
from finale.model.protocols.requests import (
    CancelRequest,
    JobStatus,
    Request,
    Requests,
    RequestStatus,
    StopRequest,
)
from finale.model.protocols.task.sources import Reader, Source
from finale.model.protocols.task.tasks import Task
from finale.model.rules import (
    WEAK,
    Bool,
    Bound,
    Nothing,
    Option,
    Range,
    Ref,
    Setting,
    assumed,
    at_once,
    define,
    field,
    require,
    rule,
    step,
    within,
)
from finale.model.topology import Subtask


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


class Retention(enum.Enum):
    """RC-3: after which end of a job its checkpoints are kept, each beside those before it.

    In Flink none is kept after a job has finished; FLIP-45 wants that.
    """

    NEVER = "never"
    ON_FAILURE = "on-failure"
    ON_CANCELLATION = "on-cancellation"
    ON_FINISH = "on-finish"


class ResumeFrom(enum.Enum):
    """F45-7: which of the checkpoints that a job has left a user takes to start it again."""

    NEWEST = "newest"
    ANY = "any"


class Stopping(Requests):
    """A job that can be stopped by a savepoint, and started again after its end."""

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

    ghosts: ClassVar[Mapping[str, str]] = {
        **Requests.ghosts, "calls": "whether a task called endInput in this attempt",
    }  # fmt: skip
    explores: ClassVar[tuple[str, ...]] = ("stops", "resumes")

    scheduling = field(Bool, True, ghost="stops")
    """Periodic checkpoints are triggered."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        for task in self.tasks:
            task.stops = self.stops
        self.regions_of_job = self.connected()
        if self.after_failure == AfterFailure.REGION:
            first, *others = map(self._likeness, self.regions_of_job)
            if any(each != first for each in others):
                raise FinaleError(
                    "unlike-regions",
                    "one region restarts, whichever fails; the parts of this job are not alike",
                    place=Place(key="options.after_failure"),
                    advice='give a job of one part, or of equal parts as in shape = "disjoint"',
                )

    def _likeness(self, region: tuple[Task, ...]) -> tuple[object, ...]:
        """What is equal for two regions if it makes no difference which of them restarts."""
        subtasks = [task.subtask for task in region]

        def of(subtask: Subtask) -> tuple[object, ...]:
            vertex, index = subtask.vertex, subtask.index
            inputs = self.job.inputs(subtask)
            return (
                *(vertex.kind, vertex.sink, vertex.union_state),
                *(vertex.records[index : index + 1], vertex.chained[index : index + 1]),
                vertex.bounded or index in vertex.ending,
                [(subtasks.index(each.sender), replace(each.edge, source="", target=""))
                 for each in inputs],
            )  # fmt: skip

        return tuple(map(of, subtasks))

    @property
    def stalls(self) -> bool:
        """Whether tasks stall on the savepoint of a stop (SS-3): a plain truth value."""
        return False

    @property
    def forgets(self) -> bool:
        """Whether a task can forget the savepoint of a stop (SS-7): a plain truth value."""
        return False

    @property
    def stops(self) -> bool:
        """Whether stops are explored: a plain truth value."""
        return int(self.bounds.stops) > 0

    @property
    def recovers(self) -> bool:
        """A stop can fail tasks by itself, and a new start needs what a restart needs."""
        return super().recovers or self.stops or self.can_resume

    def keeps(self) -> frozenset[str]:
        return super().keeps() | kept(
            {
                "stops": self.stops,
                "told": self.stops and not self.waits_for_both,
                "resumes": self.can_resume,
            }
        )

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
                self.schedule(False)
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

    @at_once(
        "SchedulerBase.stopWithSavepoint",
        apart="finale.model.protocols.apart:AbortsLater",
    )
    @assumed("CheckpointCoordinator.stopCheckpointScheduler")
    @step
    def abort_for_stop(self, checkpoint: Checkpoint) -> None:
        """SP-1: whatever is pending is aborted."""
        if checkpoint.is_pending:
            self.abort(checkpoint)

    @define
    def ends_the_job(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint is the savepoint of a stop."""
        return self.stops and checkpoint.kind in (CheckpointKind.DRAIN, CheckpointKind.SUSPEND)

    @assumed("CheckpointCoordinator.stopCheckpointScheduler")
    @define
    def schedules(self) -> bool:
        """SP-1, SP-11: whether periodic checkpoints are taken: not from a stop to its failure."""
        return not self.stops or self.scheduling

    @step
    def schedule(self, taken: bool) -> None:
        """SP-1, SP-11: periodic checkpoints are taken from now on, or are not."""
        if self.stops:
            self.scheduling = taken

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
            self.schedule(True)

    # --- what a stop ends ------------------------------------------------------------------------

    @define
    def may_emit(self, task: Source) -> bool:
        """Whether a source emits a record if it has one: not after a stop has reached it."""
        return super().may_emit(task) and not task.is_told_to_end

    @define
    def has_no_more(self, task: Source) -> bool:
        """Whether a source comes to the end of its data, by itself or because it was stopped."""
        if self.can_be_over(task) and task.over:
            return True
        return task.is_told_to_end or super().has_no_more(task)

    @define
    def was_stopped(self, task: Task) -> bool:
        """Whether a stop without drain has ended the data of a source, or of one of the inputs."""
        if isinstance(task, Source):
            return task.stops_at_once
        return self.stops and any(channel.stopped for channel in task.inputs)

    # --- failures --------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def apply_decline(self, checkpoint: Checkpoint) -> None:
        """AB-1, SP-12: a decline aborts the checkpoint, and if it ends the job fails the job."""
        super().apply_decline(checkpoint)
        if self.fails_when_declined(checkpoint):
            self.restart_all()

    @assumed("CheckpointFailureManager.handleTaskLevelCheckpointException", without=False)
    @define
    def fails_when_declined(self, checkpoint: Checkpoint) -> bool:
        """SP-12: whether a decline of this checkpoint fails the job."""
        return self.decline_fails and self.ends_the_job(checkpoint)

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
        declines = checkpoint.is_pending and self.ends_the_job(checkpoint)
        if declines and not task.is_closed:
            checkpoint.declined = True
        else:
            super().trigger_failed(task, checkpoint)

    @step
    def restart_all(self) -> None:
        """RC-1, SP-9: all attempts end; after a stop's savepoint has completed the job fails."""
        if self.after_failure == AfterFailure.REGION:
            self._restart_regions()
        else:
            over = any(self.has_savepoint(request) for request in self.stop_requests)
            super().restart_all()
            self.schedule(True)
            if over:
                self._fail_stops()

    @step
    def _restart_regions(self) -> None:
        """SP-9 up to 1.12.1: a failure restarts one region, the last that has not ended; the others
        end for the stop. Which one it is makes no difference: the regions are alike."""
        if any(self.has_savepoint(request) for request in self.stop_requests):
            for position, region in enumerate(self.regions_of_job):
                behind = (task for other in self.regions_of_job[position + 1 :] for task in other)
                if all(task.is_closed for task in behind):
                    self._restart_region(region)
        else:
            super().restart_all()
            self.schedule(True)

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
        if not self.stops:
            return
        task.sync = Nothing
        if self.stalls:
            task.stalled = False
        if self.forgets:
            task.forgot = False
        for channel in task.inputs:
            channel.stopped = False
        if self.observes("calls"):
            task.called_end = False
        if isinstance(task, Reader):
            task.read_on()

    @assumed("StopWithSavepointTerminationHandlerImpl.terminateExceptionallyWithGlobalFailover")
    @step
    def _fail_stops(self) -> None:
        """SP-9: a failure after a stop's savepoint has completed fails the stop and the job."""
        for request in self.stop_requests:
            if self.has_savepoint(request):
                request.status = RequestStatus.FAILED
        if self.after_failure == AfterFailure.FAIL_JOB:
            self.job_status = JobStatus.FAILED
            self.schedule(False)
            self.shut_down()
            for task in self.tasks:
                self.end_for_good(task)

    @rule
    def request_cancel(self, request: CancelRequest) -> None:
        """SP-13, F45-6: a user cancels the job: nothing is pending or planned any more."""
        super().request_cancel(request)
        self.schedule(False)

    # --- what others ask -------------------------------------------------------------------------

    @define
    def suspends(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint is the completed savepoint of a stop without drain."""
        suspends = self.ends_the_job(checkpoint) and checkpoint.kind == CheckpointKind.SUSPEND
        return checkpoint.is_completed and suspends

    @define
    def is_of_this_start(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint was triggered since the job was last started."""
        if not self.can_resume or self.resumed_from == Nothing:
            return True
        return self.used_before < checkpoint

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

    #: RC-3: after which end of the job its checkpoints are kept.
    retention: Retention = Retention.NEVER
    #: F45-7: which of those that are left a user takes.
    resume_from: ResumeFrom = ResumeFrom.NEWEST

    resumes = field(Range(0, Bound("resumes")), 0, ghost="resumes")
    resumed_from = field(Option(Ref(CheckpointId)), Nothing, ghost="resumes")
    """What the job was started from; Nothing for its first start."""
    used_before = field(Option(Ref(CheckpointId)), Nothing, ghost="resumes")
    """The newest id that was given before the job was last started."""

    @property
    def can_resume(self) -> bool:
        """Whether resuming is explored: a plain truth value."""
        return int(self.bounds.resumes) > 0

    @rule
    def resume(self, checkpoint: Checkpoint) -> None:
        """F45-7, RC-4: a user starts the job again from a checkpoint that it has left."""
        require(self.can_resume)
        require(self.job_has_ended())
        require(all(not request.is_admitted for request in self.requests))
        require(self.is_left(checkpoint))
        if self.resume_from == ResumeFrom.NEWEST:
            require(all(new <= checkpoint or not self.is_left(new) for new in self.checkpoints))
        within(self.resumes, self.bounds.resumes)
        self.resumes += 1
        self.restart_all()
        self.resumed_from = checkpoint
        for used in self.checkpoints:
            self._note_use(used)
        if self.has_job_status:
            self.job_status = JobStatus.RUNNING

    @step
    def _note_use(self, checkpoint: Checkpoint) -> None:
        if checkpoint.status != UNUSED:
            self.used_before = checkpoint

    @define
    def job_has_ended(self) -> bool:
        """Whether the job has finished, was cancelled, or has failed for good."""
        return self.is_finished or self.has_ended_otherwise()

    # --- what is left ----------------------------------------------------------------------------

    @define
    def is_left(self, checkpoint: Checkpoint) -> bool:
        """RC-3: whether a checkpoint outlives the job: savepoints do, others by its policy."""
        savepoint = not self.can_be_subsumed(checkpoint)
        return checkpoint.is_completed and (savepoint or self.is_retained(checkpoint))

    @define
    def is_retained(self, checkpoint: Checkpoint) -> bool:
        """RC-3, CN-1: whether the store holds a checkpoint, and what it holds is kept."""
        return self.keeps_after_end() and self.is_in_store(checkpoint)

    @define
    def keeps_after_end(self) -> bool:
        """RC-3: whether the policy keeps checkpoints after this end of the job."""
        if self.is_finished:
            return self.retention == Retention.ON_FINISH
        if self.has_job_status and self.job_status == JobStatus.CANCELED:
            return self.retention in (Retention.ON_CANCELLATION, Retention.ON_FINISH)
        return self.retention != Retention.NEVER

    # --- the new start ---------------------------------------------------------------------------

    @define
    def newest_completed(self) -> CheckpointId:
        """CN-1: the newest checkpoint since the start, else what the job was started from."""
        newest = super().newest_completed()
        if not self.can_resume or self.resumed_from == Nothing:
            return newest
        if newest == Nothing or newest <= self.used_before:
            return self.resumed_from
        return newest

    @define
    def is_unnamed(self, checkpoint: Checkpoint) -> bool:
        """Whether nothing can name a checkpoint again: no new start, either."""
        return not self.can_resume and super().is_unnamed(checkpoint)


class NoDrain(enum.Enum):
    """How a stop without drain works: EndOfData as with drain, or tasks that block (1.14)."""

    UNIFIED = "unified"
    BLOCKING = "blocking"


class StopOrder(enum.Enum):
    """SP-2: without drain, whether a source's snapshot may come before the end of its data."""

    END_FIRST = "end-first"
    EITHER = "either"


class ReleaseOn(enum.Enum):
    """SP-8: what releases a task that knows of the savepoint: it alone, or any final checkpoint,
    too; `MINIMUM` does not know savepoints."""

    EXACT = "exact"
    ANY = "any"
    MINIMUM = "minimum"


class MultiInput(enum.Enum):
    """H7: a task with several inputs ends its data as intended, or as built: not at all if the
    last input to end was stopped."""

    INTENDED = "intended"
    AS_BUILT = "as-built"


class SyncAbort(enum.Enum):
    """SP-10: the abort of a savepoint that a task knows of fails the task, or is forgotten."""

    FAILS = "fails"
    CLEARS = "clears"


class EndDuringSavepoint(enum.Enum):
    """Release 1.14: a source that comes to its end during a savepoint without drain fails, or
    waits for a final checkpoint as if there were no savepoint."""

    FAILS = "fails"
    WAITS = "waits"


@dataclass(frozen=True)
class StopOptions:
    """Options of stops; the defaults are today's Flink as intended."""

    #: SP-1: what a second stop meets
    scheduler: Scheduler = Scheduler.DEFAULT
    #: SP-9: what a failure does after the savepoint has completed
    after_failure: AfterFailure = AfterFailure.FAIL_JOB
    #: SP-11: periodic checkpoints go on after a stop has failed
    resumes_scheduling: bool = True
    #: SP-9: the end of the job and the savepoint's completion are both waited for
    waits_for_both: bool = True
    #: SP-12: a savepoint that a task declines fails the job
    decline_fails: bool = True
    #: SP-2, FC-3: how a stop without drain works
    no_drain: NoDrain = NoDrain.UNIFIED
    #: SP-2: without drain, whether a source's snapshot may come before the end of its data
    stop_order: StopOrder = StopOrder.EITHER
    #: SP-8: what releases a task that knows of the savepoint
    release_on: ReleaseOn = ReleaseOn.EXACT
    #: FC-2, H7: how the data of a task with several inputs end
    multi_input: MultiInput = MultiInput.INTENDED
    #: SP-2: a source also ends its data for a savepoint that it knows to be aborted
    stops_for_aborted: bool = True
    #: SP-10: what the abort of a savepoint does to a task that knows of it
    sync_abort: SyncAbort = SyncAbort.FAILS
    #: V-10: with `no_drain = blocking`, what a source does that ends during the savepoint
    end_during_savepoint: EndDuringSavepoint = EndDuringSavepoint.FAILS
    #: RC-3: after which end of the job its checkpoints are kept
    retention: Retention = Retention.NEVER
    #: F45-7: which of the checkpoints that a job has left a user takes to start it again
    resume_from: ResumeFrom = ResumeFrom.NEWEST
