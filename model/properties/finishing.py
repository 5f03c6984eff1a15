"""The end of a task: after its final checkpoint, in order, and after what it reads (S7, S8)."""

from __future__ import annotations

from finale.model.properties.observed import is_excused
from finale.model.properties.views import EndOfDataView
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import always, before, on_step, reachable, when


@always(needs="taken", of_all_ids=True)
def closed_after_final_checkpoint(state: JobProtocol, task: Task) -> bool:
    """A closed task has taken part in a completed checkpoint after its operators finished (S7)."""
    when(task.is_closed and not is_excused(state, task))
    return any(
        checkpoint.is_completed
        and task.taken.has(checkpoint)
        and task.taken_after_finish.has(checkpoint)
        for checkpoint in state.checkpoints
    )


@on_step
def finish_before_close(state: EndOfDataView, task: Task) -> bool:
    """A task runs, finishes its operators, refuses new mail, closes: in this order, until it is
    restored (S8)."""
    when(task.status != before(lambda: task.status))
    match task.status:
        case TaskStatus.WAITING_FOR_FINAL_CP:
            return before(lambda: task.status) == TaskStatus.RUNNING
        case TaskStatus.QUIESCED:
            return before(lambda: task.status) == TaskStatus.WAITING_FOR_FINAL_CP
        case TaskStatus.CLOSED:
            return before(lambda: task.status) == TaskStatus.QUIESCED
        case _:
            ends = task.status in (TaskStatus.RESTORING, TaskStatus.FAILED)
            return ends or before(lambda: task.status == TaskStatus.RESTORING)


@on_step(needs="cut")
def no_record_after_finish(state: JobProtocol, channel: Channel) -> bool:
    """An operator emits no record after it has finished (S8)."""
    when(before(lambda: state.writer(channel).has_finished))
    when(state.writer(channel).has_finished)
    return channel.sent == before(lambda: channel.sent)


@reachable(of_all_ids=True)
def one_checkpoint_for_all(state: JobProtocol) -> bool:
    """The job can finish with a single checkpoint, shared by all tasks as their final one."""
    completed = sum(checkpoint.is_completed for checkpoint in state.checkpoints)
    return state.is_finished and completed == 1


FAMILIES = (
    closed_after_final_checkpoint,
    finish_before_close,
    no_record_after_finish,
    one_checkpoint_for_all,
)
