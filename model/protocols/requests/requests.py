"""What users ask for while a job runs: savepoints, and that the job be cancelled.

Models CN-2, L8, F45-6 and SP-13 of the fact sheet, and what a checkpoint's kind decides at the
coordinator (PL-1, CN-1). Each request is an entity, so that its answer can be followed. Nothing of
it is in the system where the bounds allow no request.
A user asks for a checkpoint when it can be triggered, unless requests may wait (`queueing.py`).
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import ClassVar, TypeVar

from model.protocols.coordinator.checkpoints import ABORTED, UNUSED, Checkpoint, CheckpointKind
from model.protocols.coordinator.completion_order import CompletionOrder
from model.protocols.job.elements import CheckpointId
from model.protocols.task.tasks import Task, TaskStatus
from model.rules import (
    STRONG,
    WEAK,
    Bool,
    Entity,
    Enum,
    Nothing,
    Option,
    Ref,
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

    status = field(Enum(RequestStatus), RequestStatus.UNUSED)
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


class Requests(CompletionOrder):
    """Requests, and the kinds of checkpoints that they lead to."""

    parts: ClassVar[tuple[type[Entity], ...]] = (
        *CompletionOrder.parts,
        SavepointRequest,
        CheckpointRequest,
        StopRequest,
        CancelRequest,
    )
    explores: ClassVar[tuple[str, ...]] = ("savepoints", "manual", "cancels")

    #: CN-2: whether a savepoint is kept among the checkpoints that a failed job starts again from.
    savepoint_stored: bool = False
    #: CN-2: whether the completion of a savepoint is confirmed to the tasks.
    savepoint_confirmed: bool = False
    #: 1.6: trigger RPCs to a task arrive, and its mailbox runs them, in their order.
    calls_in_order: bool = False
    #: PL-1: a savepoint does not wait until fewer checkpoints are pending.
    forces_savepoints: bool = True

    job_status = field(Enum(JobStatus), JobStatus.RUNNING, ghost="job-status")

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

    def entities(self) -> Sequence[Entity]:
        return (*super().entities(), *self.requests)

    def keeps(self) -> frozenset[str]:
        own = {"kinds"} if self.has_kinds else set[str]()
        own |= {"job-status"} if self.has_job_status else set[str]()
        return super().keeps() | own

    def note_kind(self, checkpoint: Checkpoint, kind: CheckpointKind) -> None:
        if self.has_kinds:
            checkpoint.kind = kind

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
        """PL-1, PL-2.1, PL-2.5: whether a savepoint can be triggered; they need not wait."""
        return self.accepts_finished() and self.those_wanted_run()

    @define
    def schedules(self) -> bool:
        """Whether periodic checkpoints are taken."""
        return True

    @define
    def those_wanted_run(self) -> bool:
        """PL-2.5: nothing is triggered in a job that is about to end."""
        return super().those_wanted_run() and self.runs()

    @rule(fair=WEAK)
    def deliver_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-4: a trigger RPC arrives: the mailbox takes it, or the call fails."""
        if self.calls_in_order:
            require(all(e >= checkpoint or not e.triggers.has(task) for e in self.checkpoints))
        super().deliver_trigger(task, checkpoint)

    @rule(fair=STRONG)
    def run_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-7: the mailbox runs a trigger."""
        require(self.is_in_turn(task, checkpoint))
        super().run_trigger(task, checkpoint)

    @define
    def is_in_turn(self, task: Task, checkpoint: Checkpoint) -> bool:
        """1.6: whether the trigger is the mailbox's oldest, if they keep their order."""
        if not self.calls_in_order:
            return True
        return all(e >= checkpoint or not task.mail.has(e) for e in self.checkpoints)

    @step
    def trigger_for(self, request: Request, kind: CheckpointKind) -> None:
        """PL-1, PL-3: a checkpoint of a kind is triggered for a request. Room was made for it."""
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
        """PL-1: a user asks for a savepoint; it is triggered at once or refused."""
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
        """PL-1: a user asks for a checkpoint, and it can be triggered."""
        require(self.is_next(request), self.runs())
        self.admit()
        self.make_room()
        self.trigger_for(request, CheckpointKind.CHECKPOINT)

    @define
    def can_be_subsumed(self, checkpoint: Checkpoint) -> bool:
        """CN-1: a savepoint is not made superfluous by a newer checkpoint."""
        return not self.has_kinds or checkpoint.kind == CheckpointKind.CHECKPOINT

    @define
    def subsumes(self, checkpoint: Checkpoint) -> bool:
        """CN-2: the completion of a savepoint makes no older checkpoint superfluous."""
        return not self.has_kinds or checkpoint.kind != CheckpointKind.SAVEPOINT

    @define
    def is_stored(self, checkpoint: Checkpoint) -> bool:
        """CN-1, CN-2: whether a checkpoint that completes is put into the store."""
        if not self.has_kinds:
            return True
        if self.savepoint_stored:
            return checkpoint.kind in (CheckpointKind.CHECKPOINT, CheckpointKind.SAVEPOINT)
        return checkpoint.kind == CheckpointKind.CHECKPOINT

    @define
    def is_spared(self, checkpoint: Checkpoint) -> bool:
        """CN-1: whether no newer one evicts it: a savepoint evicts savepoints only, unless it is
        that of a stop. So the last checkpoint before savepoints is spared."""
        if not (self.has_kinds and self.savepoint_stored):
            return False
        return self.has_entered(checkpoint) and all(
            not (checkpoint < newer and self.has_entered(newer))
            or (self.can_be_subsumed(checkpoint) and not self.subsumes(newer))
            for newer in self.checkpoints
        )

    @define
    def is_confirmed(self, checkpoint: Checkpoint) -> bool:
        """CN-2: whether the completion of a checkpoint is confirmed to the tasks."""
        if not self.has_kinds or self.savepoint_confirmed:
            return True
        return checkpoint.kind != CheckpointKind.SAVEPOINT

    @step
    def subsume(self, older: Checkpoint, newer: Checkpoint) -> None:
        """CN-1, CN-2: savepoints subsume nothing and are not subsumed."""
        if self.can_be_subsumed(older) and self.subsumes(newer):
            super().subsume(older, newer)

    @step
    def confirm(self, task: Task, checkpoint: Checkpoint) -> None:
        """CN-1, CN-2: a task that took part will be told, unless of a savepoint."""
        if self.is_confirmed(checkpoint):
            super().confirm(task, checkpoint)

    @rule(fair=WEAK)
    def complete(self, checkpoint: Checkpoint) -> None:
        """CN-1, CN-2: all have acknowledged: the checkpoint is durable, its request answered."""
        super().complete(checkpoint)
        for request in (*self.savepoint_requests, *self.checkpoint_requests):
            self._answer(request, checkpoint)

    @step
    def abort(self, checkpoint: Checkpoint) -> None:
        """AB-1: dispose of a pending checkpoint; its request has failed."""
        super().abort(checkpoint)
        for request in (*self.savepoint_requests, *self.checkpoint_requests):
            self._answer(request, checkpoint)

    @step
    def _answer(self, request: Request, checkpoint: Checkpoint) -> None:
        if request.is_admitted and request.of == checkpoint:
            failed = checkpoint.status == ABORTED
            request.status = RequestStatus.FAILED if failed else RequestStatus.SUCCEEDED

    @define
    def is_unnamed(self, checkpoint: Checkpoint) -> bool:
        """Whether nothing can name a checkpoint again: no request, either."""
        unnamed = all(request.of != checkpoint for request in self.requests)
        return unnamed and super().is_unnamed(checkpoint)

    # --- cancellation ----------------------------------------------------------------------------

    @rule
    def request_cancel(self, request: CancelRequest) -> None:
        """SP-13, F45-6: a user cancels the job: nothing is pending any more."""
        require(self.is_next(request), self.runs())
        request.status = RequestStatus.ADMITTED
        self.job_status = JobStatus.CANCELLING
        self.shut_down()

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
    def end_for_good(self, task: Task) -> None:
        """An attempt ends, and there is no other."""
        task.status = TaskStatus.FAILED
        task.mail.clear()
        self.drop_messages(task)

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

    @rule
    def fail(self) -> None:
        """RC-1: a task fails: pending checkpoints are aborted, and all attempts end."""
        require(self.runs())
        super().fail()


def _requests(kind: type[R], name: str, number: int) -> tuple[R, ...]:
    return tuple(kind(f"{name}{each + 1}") for each in range(number))
