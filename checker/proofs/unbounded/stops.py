"""Clauses about a stop with a savepoint, beside the clauses of the finish or instead of some."""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import UNUSED, Checkpoint, CheckpointKind
from finale.model.protocols.requests import JobStatus, RequestStatus, StopRequest
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import Nothing, always, when

from . import finish


@always
def only_a_user_cancels(state: StopWithSavepoint) -> bool:
    """A job is being cancelled, or was, only if a user has asked for it."""
    when(state.job_status in (JobStatus.CANCELLING, JobStatus.CANCELED))
    return len(state.cancel_requests) > 0


@always
def failed_job_has_no_tasks(state: StopWithSavepoint, task: Task) -> bool:
    """In a job that has failed for good each task has."""
    when(state.job_status == JobStatus.FAILED)
    return task.status == TaskStatus.FAILED


@always
def restored_from_checkpoints(state: StopWithSavepoint, task: Task, checkpoint: Checkpoint) -> bool:
    """While a task is to be restored no savepoint of a stop has completed: the job would fail."""
    when(task.status == TaskStatus.RESTORING and checkpoint.is_completed)
    return checkpoint.kind == CheckpointKind.CHECKPOINT


@always
def no_other_savepoints(state: StopWithSavepoint, checkpoint: Checkpoint) -> bool:
    """A savepoint that does not end the job is there only if a user asks for some."""
    when(checkpoint.kind == CheckpointKind.SAVEPOINT)
    return len(state.savepoint_requests) > 0


@always
def unused_requests_are_blank(
    state: StopWithSavepoint, request: StopRequest, checkpoint: Checkpoint
) -> bool:
    """A stop that was not asked for has no savepoint, and what has one has a given id."""
    when(request.of == checkpoint)
    return request.status != RequestStatus.UNUSED and checkpoint.status != UNUSED


@always
def nothing_is_planned_beside_a_savepoint(state: StopWithSavepoint, checkpoint: Checkpoint) -> bool:
    """While the savepoint of a stop is pending, and when it has completed, no periodic checkpoint
    is taken."""
    when(checkpoint.is_pending or checkpoint.is_completed)
    when(state.ends_the_job(checkpoint))
    return not state.scheduling


@always
def nothing_is_given_after_a_savepoint(
    state: StopWithSavepoint, checkpoint: Checkpoint, other: Checkpoint
) -> bool:
    """While the savepoint of a stop is pending, and when it has completed, no newer id is given."""
    when(checkpoint.is_pending or checkpoint.is_completed)
    when(state.ends_the_job(checkpoint) and checkpoint < other)
    return other.status == UNUSED


@always
def noted_is_a_savepoint(state: StopWithSavepoint, task: Task, checkpoint: Checkpoint) -> bool:
    """What a task has noted to end its data for is the savepoint of a stop."""
    when(task.sync == checkpoint)
    return checkpoint.status != UNUSED and state.ends_the_job(checkpoint)


@always(needs="taken")
def released_by_a_final_one_or_a_savepoint(
    state: StopWithSavepoint, task: Task, checkpoint: Checkpoint
) -> bool:
    """A task is released whose newest confirmation is of a completed checkpoint that it took, and
    which is final for it, or the savepoint of a stop."""
    when(task.released and task.confirmed == checkpoint)
    if not checkpoint.is_completed or not task.taken.has(checkpoint):
        return False
    final = task.final_from != Nothing and task.final_from <= checkpoint
    return final or state.ends_the_job(checkpoint)


@always
def released_by_some_confirmation(state: StopWithSavepoint, task: Task) -> bool:
    """A task that is released acts on confirmations, and has acted on one."""
    when(task.released)
    told: bool = task.confirmed != Nothing
    return told


@always
def completed_savepoint_is_answered(state: StopWithSavepoint, checkpoint: Checkpoint) -> bool:
    """When the savepoint of a stop has completed, the stop waits for the end of the job, or the job
    has ended."""
    when(checkpoint.is_completed and state.ends_the_job(checkpoint))
    waits = any(request.is_admitted and request.of == checkpoint for request in state.stop_requests)
    known = any(request.of == checkpoint for request in state.stop_requests)
    ended = state.is_finished or state.job_status == JobStatus.FAILED
    return waits or (known and ended)


@always
def savepoint_is_of_its_stop(state: StopWithSavepoint, checkpoint: Checkpoint) -> bool:
    """A savepoint that ends the job and is pending is that of a stop that was admitted."""
    when(checkpoint.is_pending and state.ends_the_job(checkpoint))
    return any(request.is_admitted and request.of == checkpoint for request in state.stop_requests)


_OWN = (
    only_a_user_cancels,
    failed_job_has_no_tasks,
    restored_from_checkpoints,
    no_other_savepoints,
    unused_requests_are_blank,
    nothing_is_planned_beside_a_savepoint,
    nothing_is_given_after_a_savepoint,
    noted_is_a_savepoint,
    released_by_a_final_one_or_a_savepoint,
    released_by_some_confirmation,
    completed_savepoint_is_answered,
    savepoint_is_of_its_stop,
)
#: What releases a task is another thing where there are savepoints.
_INSTEAD = ("released-by-a-final-one", "released-by-a-confirmation")

CLAUSES = (*(each for each in finish.CLAUSES if each.name not in _INSTEAD), *_OWN)

#: The clause is about the newest confirmation, and about the one before.
WITNESSES = {**finish.WITNESSES, "released-by-a-final-one-or-a-savepoint": "confirmed"}

#: What is to follow: of the finish, and of stops (S24). What resists is in docs/proofs.md.
_RESISTS = "closed-after-final-checkpoint"
GOALS = (*(name for name in finish.GOALS if name != _RESISTS), "one-sync-savepoint")
