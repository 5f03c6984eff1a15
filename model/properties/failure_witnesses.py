"""How far the interleaving of a historical bug goes that needs a failure or a loss.

Asked on request only, as in `interleavings.py`: each is reached with the bug and with its fix.
"""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.failures.failures import Failures, Region
from finale.model.protocols.requests.requests import RequestStatus, StopRequest
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import Nothing, reachable


@reachable(needs="taken", on_request=True)
def abort_carries_the_restore_point(state: JobProtocol, task: Task, checkpoint: Checkpoint) -> bool:
    """An abort is on its way that carries a completion of an attempt before (FIN-08)."""
    latest = checkpoint.latest
    if latest == Nothing or not checkpoint.aborts.has(task):
        return False
    return task.is_running and not task.taken.has(latest)


@reachable(on_request=True)
def an_acknowledgement_is_missing(state: JobProtocol, task: Task, checkpoint: Checkpoint) -> bool:
    """A task has taken a checkpoint that waits for it, and its message is nowhere (JM-06)."""
    waits = checkpoint.is_pending and checkpoint.awaited.has(task)
    taken = task.newest == checkpoint and not task.gate.aligning
    return waits and taken and not checkpoint.acknowledgements.has(task)


@reachable(on_request=True)
def a_checkpoint_meets_a_restore(state: Failures, task: Task, checkpoint: Checkpoint) -> bool:
    """A checkpoint waits for a task that is still being restored (PL-2.5)."""
    return task.status == TaskStatus.RESTORING and checkpoint.awaited.has(task)


@reachable(on_request=True)
def a_late_report_meets_a_new_attempt(state: Failures, region: Region, task: Task) -> bool:
    """A failure is reported once more, and the tasks run again already (OTH-04)."""
    if not state.has_late_reports:
        return False
    return region.late and task in region.tasks and task.is_running


@reachable(on_request=True)
def a_stop_is_refused_for_a_failure(state: StopWithSavepoint, request: StopRequest) -> bool:
    """A stop was refused while a task waits for its restart (H2)."""
    refused = request.status == RequestStatus.FAILED and request.of == Nothing
    return refused and any(task.status == TaskStatus.FAILED for task in state.tasks)


@reachable(on_request=True)
def a_stop_misses_a_failed_task(
    state: StopWithSavepoint, request: StopRequest, checkpoint: Checkpoint
) -> bool:
    """A stop that met a FAILED task has failed, and its savepoint has completed (H2, SP-9)."""
    if not state.stops_meet_failures or request.status != RequestStatus.FAILED:
        return False
    return request.met_failure and request.of == checkpoint and checkpoint.is_completed


FAMILIES = (
    abort_carries_the_restore_point,
    an_acknowledgement_is_missing,
    a_checkpoint_meets_a_restore,
    a_late_report_meets_a_new_attempt,
    a_stop_is_refused_for_a_failure,
    a_stop_misses_a_failed_task,
)
