"""What the coordinator does in several steps: triggers for what is pending, reports what is stored.

Asked on request only, with the witnesses of the interleavings of two historical bugs.
"""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import ABORTED, Checkpoint
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.requests.requests import Request, Requests, RequestStatus
from finale.model.protocols.task.tasks import Task
from finale.model.rules import always, before, on_step, reachable, when


@on_step(on_request=True)
def triggers_only_pending(state: JobProtocol, task: Task, checkpoint: Checkpoint) -> bool:
    """A task is called only for a checkpoint that is pending (S17)."""
    when(checkpoint.triggers.has(task) and before(lambda: not checkpoint.triggers.has(task)))
    return checkpoint.is_pending


@always(on_request=True)
def reported_is_durable(state: Requests, request: Request, checkpoint: Checkpoint) -> bool:
    """A checkpoint of which a user was told that it has completed is stored (S21)."""
    when(request.status == RequestStatus.SUCCEEDED and request.of == checkpoint)
    return checkpoint.is_completed


@reachable(on_request=True)
def aborted_while_triggering(state: FinalCheckpoint, checkpoint: Checkpoint) -> bool:
    """A checkpoint is aborted while its coordinators and hooks are asked (JM-02)."""
    if not state.options.split_trigger:
        return False
    return checkpoint.status == ABORTED and state.triggering == checkpoint


@reachable(on_request=True)
def all_have_acknowledged(state: Requests, request: Request, checkpoint: Checkpoint) -> bool:
    """All have acknowledged a checkpoint that a user asked for, and it is still pending (JM-03)."""
    return checkpoint.is_pending and checkpoint.awaited.is_empty and request.of == checkpoint


FAMILIES = (
    triggers_only_pending,
    reported_is_durable,
    aborted_while_triggering,
    all_have_acknowledged,
)
