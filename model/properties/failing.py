"""What fails, and by whom: the protocol itself never makes an attempt fail (S27)."""

from __future__ import annotations

from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.failures.failures import Failures
from finale.model.protocols.requests.requests import JobStatus, Requests
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import Taken, before, on_step, reachable, when

#: What the environment does to an attempt, and what follows from it alone; H11: time-outs, too.
ENVIRONMENT = (
    *("fail", "resume", "cancel_task"),
    *("fail_region", "restart_region", "crash_coordinator", "time_out_under_load"),
)


@on_step
def legal_never_fails(state: JobProtocol, task: Task, step: Taken) -> bool:
    """As long as no snapshot fails or expires, an attempt ends only by what the environment does: a
    failure, a crash, a new start (S27). In a job that is being cancelled each attempt may fail."""
    failed = (TaskStatus.RESTORING, TaskStatus.FAILED)
    when(before(lambda: task.status not in failed))
    lives = task.status not in failed
    excused = step.rule in ENVIRONMENT or state.declines + state.expiries > 0
    return lives or excused or (task.status == TaskStatus.FAILED and _is_cancelled(state))


def _is_cancelled(state: JobProtocol) -> bool:
    """Whether a user has cancelled the job; a plain truth value where nobody can."""
    if not (isinstance(state, Requests) and state.has_job_status):
        return False
    return state.job_status == JobStatus.CANCELLING


@reachable(on_request=True)
def failed_checkpoints_restart(state: Failures, task: Task) -> bool:
    """Without any failure of a task or of the coordinator, the job is restarted (AB-4)."""
    never = int(state.bounds.failures) == 0 and int(state.bounds.crashes) == 0
    return never and task.status == TaskStatus.RESTORING


FAMILIES = (legal_never_fails, failed_checkpoints_restart)
