"""A stop with a savepoint on the side of the coordinator, from the request to the answer.

What a task does with a savepoint that is to end the job is the protocols' to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from finale.reference.asking import Asking, JobStatus, Request, RequestKind, RequestStatus
from finale.reference.coordinator import CheckpointKind, Status
from finale.reference.operators.base import Word
from finale.reference.steps import Guarded, action
from finale.reference.task import Phase, Task


class Stopping(Asking):
    """A job that can be stopped."""

    #: A failure behind the savepoint of a stop ends the job; else it goes on as from any other.
    fails_after_savepoint = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.periodic = True
        """Checkpoints are triggered again and again."""

    def seen(self) -> tuple[tuple[str, Word], ...]:
        return (("periodic", self.periodic), *super().seen())

    def names(self, kind: str) -> Sequence[str]:
        return ("False", "True") if kind == "drain" else super().names(kind)

    def thing(self, kind: str, name: str) -> object:
        return name == "True" if kind == "drain" else super().thing(kind, name)

    @property
    def stops_with_savepoint(self) -> bool:
        """Whether a stop leaves something to go on from."""
        return True

    def ends_the_job(self, checkpoint: int) -> bool:
        return self.kind_of(checkpoint).ends_the_job

    # --- the request and its answer --------------------------------------------------------------

    @action("request", "drain")
    def request_stop(self, request: Request, drain: bool) -> Guarded:
        """Abort pending checkpoints, and trigger a savepoint if possible."""
        others = any(each.is_admitted for each in self.requests_for(RequestKind.STOP))
        refused = others and self.options.scheduler == "adaptive"
        may = self.may_plan() and not refused
        yield self.is_next(request, RequestKind.STOP) and (self.has_numbers_left() or not may)
        if not refused:
            self.coordinator.abort_all()
        if may:
            self.periodic = False
            self.trigger_for(request, self.kind_of_stop(drain=drain))
        else:
            request.answer = RequestStatus.FAILED

    def kind_of_stop(self, *, drain: bool) -> CheckpointKind:
        return CheckpointKind.DRAIN if drain else CheckpointKind.SUSPEND

    def may_trigger(self) -> bool:
        return self.periodic and super().may_trigger()

    @action("request", "checkpoint")
    def conclude_stop(self, request: Request, checkpoint: int) -> Guarded:
        """The savepoint is complete, and the job has finished."""
        done = self.has_savepoint(request) and self.coordinator.job_finished
        yield request.kind is RequestKind.STOP and request.checkpoint == checkpoint and done
        request.answer = RequestStatus.SUCCEEDED

    @action("request", "checkpoint")
    def savepoint_failed(self, request: Request, checkpoint: int) -> Guarded:
        """The savepoint is aborted: so is the stop, and checkpoints go on."""
        stop = request.kind is RequestKind.STOP and request.is_admitted
        aborted = self.coordinator.checkpoints[checkpoint].status is Status.ABORTED
        yield stop and request.checkpoint == checkpoint and aborted
        request.answer = RequestStatus.FAILED
        self.periodic = self.periodic or self.options.resumes_scheduling

    def has_savepoint(self, request: Request) -> bool:
        """Whether the checkpoint of a request that is not answered yet has completed."""
        if not request.is_admitted or request.checkpoint is None:
            return False
        return self.coordinator.checkpoints[request.checkpoint].status is Status.COMPLETED

    def cancel(self) -> None:
        super().cancel()
        self.periodic = False

    # --- what a stop ends ------------------------------------------------------------------------

    @action("task")
    def emit(self, task: Task) -> Guarded:
        if task.stopped is not None:
            yield False
        yield from super().emit(task)

    def has_no_more(self, task: Task) -> bool:
        stopped = task.source is not None and task.stopped is not None
        return stopped or super().has_no_more(task)

    def was_stopped(self, task: Task) -> bool:
        """Whether the data of a task ended since the job is to go on later."""
        if task.source is not None:
            return task.stopped is False
        return any(channel.stopped for channel in task.inputs)

    # --- what fails ------------------------------------------------------------------------------

    def call_failed(self, task: Task, checkpoint: int) -> None:
        """A task that is about to close declines the savepoint; one that has closed aborts it."""
        if self.ends_the_job(checkpoint) and task.phase is Phase.DRAINING:
            self.decline(checkpoint)
        else:
            super().call_failed(task, checkpoint)

    @action("checkpoint")
    def apply_decline(self, checkpoint: int) -> Guarded:
        """A savepoint that is to end the job, and is declined, fails it."""
        fails = self.ends_the_job(checkpoint) and self.options.decline_fails
        yield from super().apply_decline(checkpoint)
        if fails:
            self.restart()

    def restart(self) -> None:
        """All attempts end. A stop that has its savepoint has failed, and so may the job have."""
        over = [each for each in self.requests_for(RequestKind.STOP) if self.has_savepoint(each)]
        super().restart()
        self.periodic = True
        for request in over:
            request.answer = RequestStatus.FAILED
        if over and self.fails_after_savepoint:
            self.status, self.periodic = JobStatus.FAILED, False
            for task in self.tasks.values():
                self.end_for_good(task)
