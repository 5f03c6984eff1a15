"""What becomes of users' requests, and of their queue (S28, L2, L8, PL-1)."""

from __future__ import annotations

from finale.model.properties.observed import newest_stored
from finale.model.protocols.coordinator.checkpoints import UNUSED, Checkpoint, CheckpointKind
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.requests import (
    CancelRequest,
    JobStatus,
    Request,
    Requests,
    RequestStatus,
    StopRequest,
)
from finale.model.protocols.stopping import Stopping
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import (
    Nothing,
    Taken,
    always,
    before,
    count,
    define,
    leads_to,
    on_step,
    reachable,
    when,
)


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


@on_step(on_request=True)
def served_in_order(state: FinalCheckpoint, request: Request, checkpoint: Checkpoint) -> bool:
    """While a request waits no checkpoint begins but for those that are before it (PL-1)."""
    when(before(lambda: waits(state, request)) and waits(state, request))
    when(before(lambda: checkpoint.status == UNUSED) and checkpoint.is_pending)
    place = state.may_wait.index(request) if request in state.may_wait else 0
    return any(other.of == checkpoint for other in state.may_wait[:place])


@define
def waits(state: FinalCheckpoint, request: Request) -> bool:
    """Whether a request is in the queue."""
    return state.queue > 0 and request in state.may_wait and state.waits(request)


@always(on_request=True)
def queue_has_a_limit(state: FinalCheckpoint) -> bool:
    """No more requests wait than may (PL-1)."""
    users = count(state.may_wait, lambda request: waits(state, request))
    periodic = 1 if state.queue and state.periodic_waits else 0
    when(users + periodic > 0)
    return users + periodic <= state.queue


@leads_to(on_request=True)
def who_waits_is_served(state: FinalCheckpoint, request: Request) -> bool:
    """A request that waits is served or refused in the end (PL-1)."""
    when(waits(state, request))
    return not waits(state, request)


@on_step(on_request=True)
def none_begins_while_off(state: Requests, checkpoint: Checkpoint) -> bool:
    """While periodic checkpoints are off, none begins but what a user has asked for (S7, SP-1)."""
    when(before(lambda: not state.schedules() and checkpoint.status == UNUSED))
    return not checkpoint.is_pending or any(each.of == checkpoint for each in state.requests)


@reachable(on_request=True)
def waits_while_off(state: FinalCheckpoint) -> bool:
    """The timer's request waits while periodic checkpoints are off (JM-05)."""
    return state.queue > 0 and state.periodic_waits and not state.schedules()


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
    served_in_order,
    queue_has_a_limit,
    who_waits_is_served,
    none_begins_while_off,
    waits_while_off,
)
