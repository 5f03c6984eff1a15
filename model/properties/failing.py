"""What fails, and by whom: the protocol itself never makes an attempt fail (S27)."""

from __future__ import annotations

from model.protocols.parts.layout import JobProtocol
from model.protocols.parts.tasks import Task, TaskStatus
from model.rules import Taken, before, on_step, when

#: What the environment does to an attempt, and what follows from it alone.
ENVIRONMENT = ("fail", "resume", "cancel_task")


@on_step
def legal_never_fails(state: JobProtocol, task: Task, step: Taken) -> bool:
    """As long as no snapshot fails or expires, an attempt ends only by what the environment does: a
    failure, a cancellation, a new start (S27)."""
    failed = (TaskStatus.RESTORING, TaskStatus.FAILED)
    when(before(lambda: task.status not in failed))
    allowed = step.rule in ENVIRONMENT or state.declines + state.expiries > 0
    return task.status not in failed or allowed


FAMILIES = (legal_never_fails,)
