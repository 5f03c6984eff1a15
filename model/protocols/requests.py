"""Requests of users: savepoints, checkpoints, cancellations, and the queue in which requests wait.

Models CN-2, L8, F45-6, SP-13 and PL-1 of the fact sheet, and what a checkpoint's kind decides at
the coordinator. Each request is an entity, so that its answer can be followed. Nothing of it is in
the system if the bounds allow no request.

**The queue** (PL-1, `CheckpointRequestDecider`). A user asks for a checkpoint when it can be
triggered, unless requests may wait. Savepoints go first, what a user asked for goes before what the
timer asked for, older requests before younger ones. A savepoint does not wait for checkpoints that
are pending; in a job with barriers that overtake it does. A request that waits is one that was
admitted and has no checkpoint yet, so that the queue needs no cells but one for the timer's.
Periodic requests are alike: one that waits stands for all. A stop empties the queue before its
savepoint.

**Steps that come apart** (PL-1, PL-3, CN-1). Between the plan and the calls to tasks, coordinators
of operators and master hooks are asked, and meanwhile the checkpoint can be aborted; what goes on
then must look whether the checkpoint still is pending. A checkpoint is stored first, and then the
future of the user who asked for it completes.

**The order of completion** (CN-5). Flink sends the confirmations of a checkpoint under the
coordinator's lock when the checkpoint completes, and calls of one sender arrive in order: a task
receives confirmations in the order of completion. A newer checkpoint that completes aborts each
older one, except a savepoint. So the order of completion is the order of ids, except for a
savepoint that completes while newer checkpoints are still being confirmed: the savepoint remembers
these.

**Jobs without periodic checkpoints** (FC-5, FC-6, 1.7). The coordinator triggers nothing by itself.
If checkpointing is merely not configured, a user still gets savepoints, and a stop still works by
its savepoint. In batch mode the coordinator refuses both.
Left out: failures in batch mode, after which finished tasks keep their results; the pause after a
checkpoint, and checkpoints that are still being cleaned up.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from finale.model.errors import FinaleError, Place
from finale.model.language.protocol import kept
from finale.model.protocols.coordinator.checkpoints import (
    UNUSED,
    Checkpoint,
    CheckpointKind,
)
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.execution import TaskExecution
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import (
    EMPTY,
    WEAK,
    Bool,
    Entity,
    Enum,
    Nothing,
    Option,
    Ref,
    Set,
    Setting,
    count,
    define,
    field,
    require,
    rule,
    step,
    within,
)


class RequestStatus(enum.Enum):
    """What has become of a request."""

    UNUSED = "unused"
    ADMITTED = "admitted"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class JobStatus(enum.Enum):
    """What the coordinator says of the job; that it has FINISHED follows from its tasks."""

    RUNNING = "running"
    CANCELLING = "cancelling"
    CANCELED = "canceled"
    FAILED = "failed"


class Request(Entity):
    """One request of a user. Those of a kind are used in their order."""

    status = field(
        Enum(RequestStatus),
        RequestStatus.UNUSED,
        effect=(RequestStatus.SUCCEEDED, RequestStatus.FAILED),
    )
    of = field(Option(Ref(CheckpointId)), Nothing)
    """The checkpoint that it is answered by."""

    @property
    def is_admitted(self) -> bool:
        return self.status == RequestStatus.ADMITTED


R = TypeVar("R", bound=Request)


class SavepointRequest(Request):
    """A savepoint is wanted, and the job to go on."""


class CheckpointRequest(Request):
    """A checkpoint is wanted, outside of the period."""


class StopRequest(Request):
    """The job is to take a savepoint and to end."""

    told = field(Bool, False, ghost="told")
    """The scheduler has heard that the savepoint has completed."""
    met_failure = field(Bool, False, ghost="failed-regions")
    """Some task had FAILED, and was not restarted yet, when the stop was admitted."""


class CancelRequest(Request):
    """The job is to end at once."""


def _requests(kind: type[R], name: str, number: int) -> tuple[R, ...]:
    return tuple(kind(f"{name}{each + 1}") for each in range(number))


@dataclass(frozen=True)
class RequestOptions:
    """Options of requests, and of the coordinator's steps that can come apart."""

    #: PL-1: how many requests may wait; with none a user asks when a checkpoint can be triggered
    queue: int = 0
    #: PL-1, JM-05: a periodic request that has waited looks whether they are still wanted
    rechecks_schedule: bool = True
    #: PL-3: coordinators and hooks are asked between the plan and the calls to tasks
    split_trigger: bool = False
    #: PL-3: what waited for them looks whether its checkpoint is still pending
    rechecks_disposed: bool = True
    #: CN-1: the one who asked for a checkpoint hears of it before it is stored
    reports_before_store: bool = False
    #: CN-2: a savepoint is kept among the checkpoints that a failed job starts again from
    savepoint_stored: bool = False
    #: CN-2: the completion of a savepoint is confirmed to the tasks
    savepoint_confirmed: bool = False


class Requests(TaskExecution):
    """Requests, and the kinds of checkpoints that they lead to."""

    #: PL-1: how many requests may wait.
    queue: int = 0
    #: PL-1, JM-05: a periodic request that has waited looks whether they are still wanted.
    rechecks_schedule: bool = True
    #: PL-3: coordinators and hooks are asked between the plan and the calls to tasks.
    split_trigger: bool = False
    #: PL-3: what waited for them looks whether its checkpoint is still pending.
    rechecks_disposed: bool = True
    #: CN-1: the one who asked for a checkpoint hears of it before it is stored.
    reports_before_store: bool = False

    @property
    def keeps_order(self) -> bool:
        """Whether an older savepoint can be confirmed later: a plain truth value."""
        return self.has_kinds and self.confirmations_in_order

    def keeps(self) -> frozenset[str]:
        return super().keeps() | kept(
            {
                "kinds": self.has_kinds,
                "job-status": self.has_job_status,
                "completion-order": self.keeps_order,
                "split-trigger": self.split_trigger,
                "queue": self.queue > 0,
            }
        )

    @define
    def completed_before(self, one: Checkpoint, other: Checkpoint) -> bool:
        """CN-1, CN-5: which of two completed first: a savepoint is not subsumed and may be last."""
        if not self.keeps_order:
            return super().completed_before(one, other)
        if one < other:
            return not one.overtaken_by.has(other)
        return other.overtaken_by.has(one)

    @step
    def note_completion(self, checkpoint: Checkpoint) -> None:
        """CN-5: newer checkpoints that are being confirmed completed before this one."""
        if self.keeps_order:
            for other in self.checkpoints:
                if other > checkpoint and not other.confirmations.is_empty:
                    checkpoint.overtaken_by.add(other)

    parts: ClassVar[tuple[type[Entity], ...]] = (
        *TaskExecution.parts,
        *(SavepointRequest, CheckpointRequest, StopRequest, CancelRequest),
    )
    explores: ClassVar[tuple[str, ...]] = ("savepoints", "manual", "cancels")

    #: PL-1: a savepoint does not wait until fewer checkpoints are pending.
    forces_savepoints: bool = True

    job_status = field(
        Enum(JobStatus),
        JobStatus.RUNNING,
        ghost="job-status",
        effect=(JobStatus.CANCELED, JobStatus.FAILED),
    )

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        bounds = self.bounds
        self.stop_requests = _requests(StopRequest, "stop", bounds.stops)
        self.savepoint_requests = _requests(SavepointRequest, "savepoint", bounds.savepoints)
        self.checkpoint_requests = _requests(CheckpointRequest, "manual", bounds.manual)
        self.cancel_requests = _requests(CancelRequest, "cancel", bounds.cancels)
        kinds: tuple[tuple[Request, ...], ...] = (
            self.stop_requests,
            self.savepoint_requests,
            self.checkpoint_requests,
            self.cancel_requests,
        )
        self.requests = tuple(request for kind in kinds for request in kind)
        self.before: dict[Request, tuple[Request, ...]] = {
            request: kind[:position] for kind in kinds for position, request in enumerate(kind)
        }
        self.has_kinds = bool(self.stop_requests or self.savepoint_requests)
        self.has_job_status = bool(self.stop_requests or self.cancel_requests)
        #: Who may wait, in the order in which they are served.
        self.may_wait: tuple[Request, ...] = (*self.savepoint_requests, *self.checkpoint_requests)
        if self.is_batch:
            self._refuse_in_batch()

    def entities(self) -> Sequence[Entity]:
        return (*super().entities(), *self.requests)

    @define
    def terminal(self) -> bool:
        """Whether the job has ended, or only waits for records of sources that never end."""
        return self.has_ended_otherwise() or super().terminal()

    @define
    def waits_for_records(self) -> bool:
        """Whether only the next record is missing: no answer to a user, either."""
        unanswered = any(request.is_admitted for request in self.requests)
        return super().waits_for_records() and not unanswered

    @define
    def has_ended_otherwise(self) -> bool:
        """The job was cancelled, or has failed and is not started again."""
        if not self.has_job_status:
            return super().has_ended_otherwise()
        ended = self.job_status in (JobStatus.CANCELED, JobStatus.FAILED)
        return ended or super().has_ended_otherwise()

    @define
    def runs(self) -> bool:
        """The job has not ended and is not about to."""
        if not self.has_job_status:
            return not self.is_finished
        return self.job_status == JobStatus.RUNNING and not self.is_finished

    @define
    def goes_on(self) -> bool:
        """Whether what fails is started again: not in a job that is being cancelled."""
        if not self.has_job_status:
            return super().goes_on()
        return super().goes_on() and self.job_status == JobStatus.RUNNING

    @define
    def is_next(self, request: Request) -> bool:
        """Whether a request is the next of its kind."""
        used = all(other.status != RequestStatus.UNUSED for other in self.before[request])
        return used and request.status == RequestStatus.UNUSED

    @define
    def may_trigger(self) -> bool:
        """PL-1, PL-2.1, PL-2.5: whether a savepoint can be triggered; they need not wait. A job in
        batch mode has no coordinator of checkpoints."""
        if self.is_batch:
            return False
        return self.accepts_finished() and self.those_wanted_run()

    @define
    def those_wanted_run(self) -> bool:
        """PL-2.5: nothing is triggered in a job that is about to end."""
        return super().those_wanted_run() and self.runs()

    @step
    def trigger_for(self, request: Request, kind: CheckpointKind) -> None:
        """PL-1, PL-3: a checkpoint of a kind is triggered for a request, when no other is being
        triggered. Room was made for it."""
        require(self.triggers_nothing())
        within(count(self.checkpoints, lambda each: each.status != UNUSED), self.id_limit)
        request.of = self.next_id()
        request.status = RequestStatus.ADMITTED
        self.begin(kind)

    @define
    def next_id(self) -> CheckpointId:
        """The id that the next checkpoint gets."""
        found: CheckpointId = Nothing
        for checkpoint in reversed(self.checkpoints):
            found = checkpoint if checkpoint.status == UNUSED else found
        return found

    # --- savepoints ------------------------------------------------------------------------------

    @rule
    def request_savepoint(self, request: SavepointRequest) -> None:
        """PL-1: a user asks for a savepoint."""
        if self.queue:
            self.enqueue(request)
        else:
            require(self.is_next(request), self.runs())
            self.serve(request, CheckpointKind.SAVEPOINT)

    @step
    def serve(self, request: Request, kind: CheckpointKind) -> None:
        """PL-1, PL-2: what was asked for is triggered, or refused."""
        if self.may_trigger():
            self.make_room()
            self.trigger_for(request, kind)
        else:
            request.status = RequestStatus.FAILED

    @rule
    def request_checkpoint(self, request: CheckpointRequest) -> None:
        """PL-1: a user asks for a checkpoint; in batch mode the request is refused."""
        if self.queue:
            self.enqueue(request)
        else:
            require(self.is_next(request), self.runs())
            if self.is_batch:
                request.status = RequestStatus.FAILED
            else:
                self.admit()
                self.trigger_for(request, CheckpointKind.CHECKPOINT)

    @rule(fair=WEAK)
    def complete(self, checkpoint: Checkpoint) -> None:
        """CN-1, CN-2: all have acknowledged: the checkpoint is durable, its request answered."""
        if self.reports_before_store:
            for request in self.may_wait:
                require(not request.is_admitted or request.of != checkpoint)
        super().complete(checkpoint)
        for request in (*self.savepoint_requests, *self.checkpoint_requests):
            self._answer(request, checkpoint, RequestStatus.SUCCEEDED)
        self.answered(checkpoint)

    def answered(self, checkpoint: Checkpoint) -> None:
        """What a protocol does with a checkpoint after its request is answered."""

    @rule(fair=WEAK)
    def trigger_checkpoint(self) -> None:
        """PL-1, PL-2, PL-3: the coordinator plans the next checkpoint and makes it pending."""
        require(self.schedules(), self.periodic, self.is_configured)
        if self.queue:
            require(self.runs(), not self.periodic_waits, not self.is_full())
            self.periodic_waits = True
        else:
            self.trigger_next()

    @step
    def abort(self, checkpoint: Checkpoint) -> None:
        """AB-1: dispose of a pending checkpoint; its request has failed."""
        super().abort(checkpoint)
        for request in (*self.savepoint_requests, *self.checkpoint_requests):
            self._answer(request, checkpoint, RequestStatus.FAILED)

    @step
    def _answer(self, request: Request, of: Checkpoint, status: RequestStatus) -> None:
        if request.is_admitted and request.of == of:
            request.status = status

    @define
    def is_unnamed(self, checkpoint: Checkpoint) -> bool:
        """Whether nothing can name a checkpoint again: no request and no trigger under way."""
        unnamed = all(request.of != checkpoint for request in self.requests)
        if self.split_trigger:
            return self.triggering != checkpoint and unnamed and super().is_unnamed(checkpoint)
        return unnamed and super().is_unnamed(checkpoint)

    # --- cancellation ----------------------------------------------------------------------------

    @rule
    def request_cancel(self, request: CancelRequest) -> None:
        """SP-13, F45-6: a user cancels the job: nothing is pending any more."""
        require(self.is_next(request), self.runs())
        request.status = RequestStatus.ADMITTED
        self.job_status = JobStatus.CANCELLING
        self.give_up_pending()

    @rule(fair=WEAK)
    def cancel_task(self, task: Task) -> None:
        """F45-6: the cancellation reaches a task and ends it, whatever it waits for."""
        require(self.has_job_status, lambda: self.job_status == JobStatus.CANCELLING)
        require(task.status not in (TaskStatus.CLOSED, TaskStatus.FAILED))
        require(self.heeds_cancellation(task))
        self.end_for_good(task)

    @define
    def heeds_cancellation(self, task: Task) -> bool:
        """Whether a cancellation ends a task at once."""
        return True

    @step
    def task_failed(self, task: Task) -> None:
        """RC-1, L8: a task fails by itself; in a job that is being cancelled that is its end."""
        if self.goes_on():
            super().task_failed(task)
        else:
            self.end_for_good(task)

    @step
    def end_for_good(self, task: Task) -> None:
        """An attempt ends, and there is no other."""
        task.status = TaskStatus.FAILED
        task.mail.clear()
        self.drop_messages(task)
        for checkpoint in self.checkpoints:
            checkpoint.triggers.remove(task)

    @rule(fair=WEAK)
    def finish_cancelling(self) -> None:
        """L8: all tasks have ended: the job is CANCELED."""
        require(self.has_job_status, lambda: self.job_status == JobStatus.CANCELLING)
        require(all(task.status in (TaskStatus.CLOSED, TaskStatus.FAILED) for task in self.tasks))
        self.job_status = JobStatus.CANCELED
        for request in self.requests:
            self.conclude(request)

    @step
    def conclude(self, request: Request) -> None:
        """L8: with the job CANCELED the cancellation has succeeded, and nothing else."""
        if request.is_admitted:
            won = isinstance(request, CancelRequest)
            request.status = RequestStatus.SUCCEEDED if won else RequestStatus.FAILED

    triggering = field(Option(Ref(CheckpointId)), Nothing, ghost="split-trigger")
    """The checkpoint for which coordinators and hooks are asked."""
    to_call = field(Set(Ref(Task)), EMPTY, ghost="split-trigger")
    """The tasks that are called when they have answered."""

    # --- trigger ---------------------------------------------------------------------------------

    @define
    def triggers_nothing(self) -> bool:
        """PL-1: whether no checkpoint is being triggered."""
        return not self.split_trigger or self.triggering == Nothing

    @step
    def compute_plan(self, checkpoint: Checkpoint) -> None:
        """PL-3: the plan is made, and coordinators and hooks are asked before anybody is called."""
        super().compute_plan(checkpoint)
        if self.split_trigger:
            self.to_call = checkpoint.triggers
            checkpoint.triggers.clear()
            self.triggering = checkpoint

    def is_to_be_called(self, task: Task, checkpoint: Checkpoint) -> bool:
        """PL-4: whether a call to a task is on its way, or will be."""
        if self.split_trigger:
            waits = self.triggering == checkpoint and self.to_call.has(task)
            return waits or super().is_to_be_called(task, checkpoint)
        return super().is_to_be_called(task, checkpoint)

    @rule(fair=WEAK)
    def call_tasks(self, checkpoint: Checkpoint) -> None:
        """PL-3, PL-4: coordinators and hooks have answered: tasks are called."""
        require(self.split_trigger, lambda: self.triggering == checkpoint)
        if not self.rechecks_disposed or checkpoint.is_pending:
            checkpoint.triggers = self.to_call
        self.to_call.clear()
        self.triggering = Nothing

    @step
    def restart_all(self) -> None:
        """RC-1, RC-2: whoever was asked answers nobody."""
        super().restart_all()
        if self.split_trigger:
            self.to_call.clear()
            self.triggering = Nothing

    # --- completion ------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def report_first(self, request: Request, checkpoint: Checkpoint) -> None:
        """CN-1 the wrong way round: all have acknowledged, and who asked is told so at once."""
        require(self.reports_before_store, not isinstance(request, StopRequest))
        require(request.is_admitted)
        require(request.of == checkpoint, checkpoint.is_pending, checkpoint.awaited.is_empty)
        request.status = RequestStatus.SUCCEEDED

    periodic_waits = field(Bool, False, ghost="queue")
    """The timer's request waits."""

    @define
    def waits(self, request: Request) -> bool:
        """Whether a request is in the queue."""
        return request.is_admitted and request.of == Nothing

    @define
    def is_full(self) -> bool:
        """PL-1: whether as many requests wait as may."""
        users = count(self.may_wait, self.waits)
        return users + (1 if self.periodic_waits else 0) >= self.queue

    @step
    def enqueue(self, request: Request) -> None:
        """PL-1: in a full queue the timer's request gives way; if there is none the new one is
        refused, whatever it is for."""
        require(self.is_next(request), self.runs())
        if not self.is_full():
            request.status = RequestStatus.ADMITTED
        elif self.periodic_waits:
            self.periodic_waits = False
            request.status = RequestStatus.ADMITTED
        else:
            request.status = RequestStatus.FAILED

    # --- out of the queue ------------------------------------------------------------------------

    @define
    def is_in_front(self, request: Request) -> bool:
        """PL-1: whether no request that waits is served before this one."""
        ahead = self.may_wait[: self.may_wait.index(request)]
        return self.waits(request) and not any(self.waits(other) for other in ahead)

    def is_forced(self, request: Request) -> bool:
        """PL-1: whether a request is served however many checkpoints are pending."""
        return self.forces_savepoints and isinstance(request, SavepointRequest)

    @rule(fair=WEAK)
    def serve_request(self, request: Request) -> None:
        """PL-1: the first of the queue is triggered; if it cannot be, it is refused."""
        require(self.queue > 0, request in self.may_wait)
        require(self.is_in_front(request), self.triggers_nothing())
        require(self.is_forced(request) or self.may_be_pending())
        savepoint = isinstance(request, SavepointRequest)
        self.serve(request, CheckpointKind.SAVEPOINT if savepoint else CheckpointKind.CHECKPOINT)

    @rule(fair=WEAK)
    def serve_periodic(self) -> None:
        """PL-1: nobody else waits: the timer's request is triggered, or dropped if not wanted."""
        require(self.queue > 0, lambda: self.periodic_waits)
        if self.is_wanted():
            require(not self.is_behind())
            self.trigger_next()
        self.periodic_waits = False

    @define
    def is_behind(self) -> bool:
        """PL-1: whether somebody waits who is served before the timer."""
        return any(self.waits(request) for request in self.may_wait)

    @define
    def is_wanted(self) -> bool:
        """JM-05: whether periodic checkpoints are taken now, as the one who serves them sees it."""
        return self.runs() and (not self.rechecks_schedule or self.schedules())

    def refuse_queued(self) -> None:
        """SP-1, RC-1: what users have asked for and what waits is refused."""
        if self.queue:
            for request in self.may_wait:
                self._refuse(request)

    @step
    def _refuse(self, request: Request) -> None:
        if self.waits(request):
            request.status = RequestStatus.FAILED

    def _refuse_in_batch(self) -> None:
        if any(not subtask.bounded for subtask in self.job.subtasks):
            raise FinaleError(
                "unbounded-in-batch",
                "a job in batch mode has a source without an end",
                place=Place(key="job"),
                advice='let all sources be bounded, or write checkpointing = "not-configured"',
            )
        for name in ("failures", "crashes"):
            if int(getattr(self.bounds, name)):
                raise FinaleError(
                    "failures-in-batch",
                    "failures of a job in batch mode are not modelled",
                    place=Place(key=f"bounds.{name}"),
                    advice='leave the bound out, or write checkpointing = "not-configured"',
                )
