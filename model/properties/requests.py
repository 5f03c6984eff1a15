"""What becomes of users' requests: each is answered, and none defeats another (S28, L2, L8)."""

from __future__ import annotations

from finale.model.properties.observed import newest_stored
from finale.model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from finale.model.protocols.requests.requests import (
    CancelRequest,
    JobStatus,
    Request,
    Requests,
    RequestStatus,
    StopRequest,
)
from finale.model.protocols.stops.stopping import Stopping
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import Nothing, Taken, before, leads_to, on_step, reachable, when


@on_step
def requests_do_not_defeat(
    state: Stopping, request: Request, checkpoint: Checkpoint, step: Taken
) -> bool:
    """No request aborts the checkpoint by which another one was to be answered (S28)."""
    when(step.rule in ("request_stop", "request_savepoint"))
    when(before(lambda: request.is_admitted and request.of == checkpoint and checkpoint.is_pending))
    return checkpoint.is_pending


@reachable(on_request=True)
def restarts_behind_a_savepoint(state: Requests, task: Task, checkpoint: Checkpoint) -> bool:
    """A task is to be restored, and a savepoint has completed that it is not restored from."""
    if not state.has_kinds or newest_stored(state) == checkpoint:
        return False
    behind = checkpoint.is_completed and checkpoint.kind == CheckpointKind.SAVEPOINT
    return behind and task.status == TaskStatus.RESTORING


@reachable(on_request=True)
def savepoint_completes_late(state: Requests, checkpoint: Checkpoint, newer: Checkpoint) -> bool:
    """A savepoint completes after a newer checkpoint has (SWS-15)."""
    if not state.has_kinds:
        return False
    if checkpoint.kind != CheckpointKind.SAVEPOINT or newer.kind != CheckpointKind.CHECKPOINT:
        return False
    return checkpoint < newer and newer.is_completed and checkpoint.is_completed


@reachable(on_request=True)
def restores_from_a_savepoint(state: Requests, task: Task) -> bool:
    """A task is to be restored from a savepoint (CN-2, as up to 1.14)."""
    target = newest_stored(state)
    if not state.has_kinds or target == Nothing:
        return False
    kind = state.known(target).kind
    return kind == CheckpointKind.SAVEPOINT and task.status == TaskStatus.RESTORING


@reachable(on_request=True, of_all_ids=True)
def savepoint_is_first_final(state: Requests, task: Task, checkpoint: Checkpoint) -> bool:
    """The first checkpoint that a task takes after its operators finished is a savepoint (FC-4)."""
    if not state.has_kinds or task.final_from != checkpoint:
        return False
    return checkpoint.is_completed and checkpoint.kind == CheckpointKind.SAVEPOINT


@leads_to
def stop_is_answered(state: Stopping, request: StopRequest) -> bool:
    """A stop that was admitted succeeds or fails (L2)."""
    when(request.is_admitted)
    return not request.is_admitted


@leads_to(on_request=True)
def cancel_cancels(state: Requests, request: CancelRequest) -> bool:
    """A job that is cancelled becomes CANCELED, whatever else is under way (L8)."""
    when(request.is_admitted)
    return state.job_status == JobStatus.CANCELED


@on_step(on_request=True)
def cancelled_starts_nothing(state: Requests, task: Task) -> bool:
    """In a job that is being cancelled no task that has ended, or fails, is started again (L8)."""
    if not state.has_job_status:
        return True
    when(before(lambda: state.job_status == JobStatus.CANCELLING))
    when(before(lambda: task.status != TaskStatus.RESTORING))
    return task.status != TaskStatus.RESTORING


@reachable
def a_stop_succeeds(state: Stopping, request: StopRequest) -> bool:
    """A stop can succeed."""
    return request.status == RequestStatus.SUCCEEDED


@reachable(on_request=True)
def all_stops_fail(state: Stopping) -> bool:
    """Each stop that was asked for has failed, and the job runs on (H16)."""
    failed = all(request.status == RequestStatus.FAILED for request in state.stop_requests)
    return failed and state.runs() and all(task.is_running for task in state.tasks)


FAMILIES = (
    requests_do_not_defeat,
    restarts_behind_a_savepoint,
    savepoint_completes_late,
    restores_from_a_savepoint,
    savepoint_is_first_final,
    stop_is_answered,
    cancel_cancels,
    cancelled_starts_nothing,
    a_stop_succeeds,
    all_stops_fail,
)
