"""Requests of users to a running job: savepoints, cancellation and restart.

Each request is a thing of its own, so that its answer can be waited for. Stops are in `stopping`.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from finale.reference.coordinator import Checkpoint, CheckpointKind, Status
from finale.reference.failing import Failing
from finale.reference.operators.base import Word
from finale.reference.steps import Guarded, action
from finale.reference.task import Phase, Task


class RequestKind(enum.Enum):
    """The kind of a request."""

    SAVEPOINT = "savepoint"
    STOP = "stop"
    CANCEL = "cancel"


class RequestStatus(enum.Enum):
    """The status of a request."""

    UNUSED = "unused"
    ADMITTED = "admitted"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


@dataclass(eq=False)
class Request:
    """One request of a user, and the checkpoint that answers it."""

    kind: RequestKind
    answer: RequestStatus = RequestStatus.UNUSED
    checkpoint: int | None = None

    @property
    def is_admitted(self) -> bool:
        return self.answer is RequestStatus.ADMITTED


class JobStatus(enum.Enum):
    """The status of the job as a whole. A finished job follows from its finished tasks."""

    RUNNING = "running"
    CANCELLING = "cancelling"
    CANCELED = "canceled"
    FAILED = "failed"
    """It is not started again by itself."""


class Asking(Failing):
    """A job that hears what users ask for."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        if self.options.savepoint_stored:
            self.coordinator.stored |= set(CheckpointKind)
        if self.options.savepoint_confirmed:
            self.coordinator.told.add(CheckpointKind.SAVEPOINT)
        self.status = JobStatus.RUNNING
        self.resumed_from: int | None = None
        self.used_before: int | None = None
        """The newest number that was given before the job was last resumed."""
        self.requests: dict[str, Request] = {}
        for kind in RequestKind:
            for _ in range(getattr(self.faults, f"{kind.value}s")):
                self.add_request(kind)

    def add_request(self, kind: RequestKind) -> str:
        """Room for one more request; by the name that it gets it is made."""
        name = f"{kind.value}{len(self.requests_for(kind)) + 1}"
        self.requests[name] = Request(kind)
        return name

    def requests_for(self, kind: RequestKind) -> list[Request]:
        return [request for request in self.requests.values() if request.kind is kind]

    def is_next(self, request: Request, kind: RequestKind) -> bool:
        """Whether the job runs, and a request is the next of its kind."""
        unused = [each for each in self.requests_for(kind) if each.answer is RequestStatus.UNUSED]
        return self.runs() and unused[:1] == [request]

    def runs(self) -> bool:
        """The job has not ended and is not about to."""
        return self.status is JobStatus.RUNNING and not self.coordinator.job_finished

    def has_ended(self) -> bool:
        ended = self.status in (JobStatus.CANCELED, JobStatus.FAILED)
        return ended or self.coordinator.job_finished

    def seen(self) -> tuple[tuple[str, Word], ...]:
        asked = ((name, (r.answer.value, r.checkpoint)) for name, r in self.requests.items())
        start = self.resumed_from, self.used_before
        return (("status", self.status.value), ("start", start), *asked)

    def names(self, kind: str) -> Sequence[str]:
        return tuple(self.requests) if kind == "request" else super().names(kind)

    def thing(self, kind: str, name: str) -> object:
        return self.requests[name] if kind == "request" else super().thing(kind, name)

    def in_use(self) -> Iterator[int]:
        yield from super().in_use()
        yield from (r.checkpoint for r in self.requests.values() if r.checkpoint is not None)

    # --- calls -----------------------------------------------------------------------------------

    @action("task", "checkpoint")
    def deliver_trigger(self, task: Task, checkpoint: int) -> Guarded:
        earlier = any((task.name, each) in self.network.triggers for each in range(checkpoint))
        if self.options.calls_in_order and earlier:
            yield False
        yield from super().deliver_trigger(task, checkpoint)

    @action("task", "checkpoint")
    def run_trigger(self, task: Task, checkpoint: int) -> Guarded:
        if not self.is_in_turn(task, checkpoint):
            yield False
        yield from super().run_trigger(task, checkpoint)

    def is_in_turn(self, task: Task, checkpoint: int) -> bool:
        """Whether a call is the oldest of those that the mailbox has, if that matters."""
        return not self.options.calls_in_order or all(each >= checkpoint for each in task.mail)

    # --- savepoints ------------------------------------------------------------------------------

    def may_plan(self) -> bool:
        """Whether a savepoint can be triggered, however many checkpoints are pending."""
        return self.runs() and self.all_restored() and self.coordinator.may_plan()

    def may_trigger(self) -> bool:
        return self.runs() and super().may_trigger()

    @action("request")
    def request_savepoint(self, request: Request) -> Guarded:
        """A savepoint is triggered at once, or refused."""
        may = self.may_plan()
        asked = self.is_next(request, RequestKind.SAVEPOINT)
        yield asked and (self.has_numbers_left() or not may)
        if may:
            self.trigger_for(request, CheckpointKind.SAVEPOINT)
        else:
            request.answer = RequestStatus.FAILED

    def trigger_for(self, request: Request, kind: CheckpointKind) -> None:
        request.answer = RequestStatus.ADMITTED
        request.checkpoint = self.coordinator.trigger(kind).number

    def answer(self, checkpoint: Checkpoint) -> None:
        """Answer the user who asked for a savepoint as soon as the checkpoint is decided."""
        for request in self.requests_for(RequestKind.SAVEPOINT):
            if request.is_admitted and request.checkpoint == checkpoint.number:
                failed = checkpoint.status is Status.ABORTED
                request.answer = RequestStatus.FAILED if failed else RequestStatus.SUCCEEDED

    # --- cancellation ----------------------------------------------------------------------------

    @action("request")
    def request_cancel(self, request: Request) -> Guarded:
        """Nothing is pending any more, and tasks will be told."""
        yield self.is_next(request, RequestKind.CANCEL)
        request.answer = RequestStatus.ADMITTED
        self.cancel()

    def cancel(self) -> None:
        self.status = JobStatus.CANCELLING
        self.coordinator.abort_all()

    @action("task")
    def cancel_task(self, task: Task) -> Guarded:
        """A task ends at once, whatever it waits for."""
        over = task.phase in (Phase.CLOSED, Phase.FAILED)
        yield self.status is JobStatus.CANCELLING and not over and self.heeds_cancellation(task)
        self.end_for_good(task)

    def heeds_cancellation(self, task: Task) -> bool:
        """Whether a cancellation ends a task at once."""
        return True

    def fails(self, task: Task) -> None:
        """A task fails by itself; in a job that is being cancelled it is not started again."""
        if self.status is JobStatus.CANCELLING:
            self.end_for_good(task)
        else:
            super().fails(task)

    def end_for_good(self, task: Task) -> None:
        """An attempt ends, and there is no other."""
        task.phase = Phase.FAILED
        task.stalled = False
        task.mail.clear()
        self.network.forget_notices(task.name)
        self.network.triggers = {call for call in self.network.triggers if call[0] != task.name}

    @action()
    def finish_cancelling(self) -> Guarded:
        """All tasks have ended."""
        over = all(task.phase in (Phase.CLOSED, Phase.FAILED) for task in self.tasks.values())
        yield self.status is JobStatus.CANCELLING and over
        self.status = JobStatus.CANCELED
        for request in self.requests.values():
            if request.is_admitted:
                won = self.won_by_cancellation(request)
                request.answer = RequestStatus.SUCCEEDED if won else RequestStatus.FAILED

    def won_by_cancellation(self, request: Request) -> bool:
        """Whether a request succeeds because the job is canceled."""
        return request.kind is RequestKind.CANCEL

    @action()
    def fail(self) -> Guarded:
        if not self.runs():
            yield False
        yield from super().fail()

    # --- a new start -----------------------------------------------------------------------------

    @action("checkpoint")
    def resume(self, checkpoint: int) -> Guarded:
        """A job that has ended is started again, from a checkpoint that it has left."""
        left = self.happened.resumes < self.faults.resumes and self.has_ended()
        asked = any(request.is_admitted for request in self.requests.values())
        kept = sorted(n for n, each in self.coordinator.checkpoints.items() if self.is_left(each))
        taken = kept[-1:] if self.options.resume_from == "newest" else kept
        yield left and not asked and checkpoint in taken
        self.happened.resumes += 1
        self.restart()
        self.store.newest = self.resumed_from = checkpoint
        self.used_before = self.coordinator.last_number
        self.status = JobStatus.RUNNING

    def is_left(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint outlives the job: what a user has asked for does, or all do."""
        end = 2 if self.status is JobStatus.CANCELED else 1
        end = 3 if self.coordinator.job_finished else end
        kept = (
            checkpoint.kind is not CheckpointKind.CHECKPOINT
            or KEPT.get(self.options.retention, 0) >= end
        )
        return checkpoint.status is Status.COMPLETED and kept


#: Up to which end of a job a policy keeps its checkpoints: failed, canceled, finished.
KEPT = {"on-failure": 1, "on-cancellation": 2, "on-finish": 3}
