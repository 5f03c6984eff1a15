"""What must come: the end of the job, of a checkpoint, of a wait, and the next checkpoint (L1-L9).

Under F1, F2 and F3 of the fact sheet: what a task's main loop does is strongly fair (a channel that
is full again and again does not keep it from its turn), other rules of the protocol are weakly
fair; failures and losses happen as often as the bounds allow and are never promised. Nor is the
time-out of a checkpoint: what is a wait for ever here may in an engine be one for the time-out.
"""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Datum
from finale.model.protocols.sinks import TwoPhaseSink
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import leads_to, when


def _goes_on(state: JobProtocol) -> bool:
    """Whether some source, chained or not, never ends: a plain truth value."""
    return any(not task.subtask.bounded for task in state.tasks)


@leads_to
def job_finishes(state: JobProtocol) -> bool:
    """A job whose sources are all bounded finishes, or is cancelled or fails for good (L1)."""
    when(not _goes_on(state))
    return state.is_finished or state.has_ended_otherwise()


@leads_to
def checkpoint_ends(state: JobProtocol, checkpoint: Checkpoint) -> bool:
    """A checkpoint that was triggered completes or is aborted (L3)."""
    when(checkpoint.is_pending)
    return not checkpoint.is_pending


@leads_to(needs="progress")
def checkpoints_go_on(state: JobProtocol) -> bool:
    """While some source never ends, after each trigger some checkpoint completes (L4).

    With `triggers-go-on` that is: again and again, until the job is stopped or fails for good.
    """
    when(_goes_on(state))
    return state.progress or state.is_finished or state.has_ended_otherwise()


@leads_to(needs="progress")
def triggers_go_on(state: JobProtocol) -> bool:
    """While some source never ends, checkpoints are triggered again and again (L4)."""
    when(_goes_on(state))
    return not state.progress or state.is_finished or state.has_ended_otherwise()


@leads_to
def waiting_task_closes(state: JobProtocol, task: Task) -> bool:
    """A task that only waits for its release closes, or its attempt fails (L7)."""
    when(task.status == TaskStatus.WAITING_FOR_FINAL_CP and task.inputs_ended)
    return task.is_closed or task.status in (TaskStatus.RESTORING, TaskStatus.FAILED)


@leads_to(on_request=True)
def blocked_channel_resumes(state: JobProtocol, channel: Channel) -> bool:
    """A channel that is blocked is read again (L9)."""
    when(channel.blocked)
    return not channel.blocked


@leads_to(on_request=True)
def completes_without_processing(state: JobProtocol, checkpoint: Checkpoint) -> bool:
    """A checkpoint that is pending completes, also where records wait until it has (L5)."""
    when(checkpoint.is_pending)
    return checkpoint.is_completed


@leads_to(needs="effects", on_request=True)
def pending_is_committed(state: JobProtocol, sink: TwoPhaseSink, record: Datum) -> bool:
    """A record in a transaction that waits for its commit becomes visible, or is taken back by a
    restart (L6)."""
    when(sink.has_pending_record(record))
    return not sink.has_pending_record(record)


FAMILIES = (
    job_finishes,
    checkpoint_ends,
    checkpoints_go_on,
    triggers_go_on,
    waiting_task_closes,
    blocked_channel_resumes,
    completes_without_processing,
    pending_is_committed,
)
