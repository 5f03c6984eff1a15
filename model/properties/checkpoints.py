"""The coordinator's bookkeeping: plans, flags, ids, notifications (S12, S13, S17, S18)."""

from __future__ import annotations

from finale.model.properties.observed import newest_stored
from finale.model.protocols.coordinator.checkpoints import ABORTED, COMPLETED, PENDING, Checkpoint
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import Nothing, Taken, always, before, define, on_step, reachable, when


@always
def triggered_tasks_are_heads(state: JobProtocol, task: Task, checkpoint: Checkpoint) -> bool:
    """No task is triggered by RPC while one of its producers is still running, unless sources are
    chained into it (S12)."""
    when(checkpoint.is_pending and checkpoint.triggers.has(task) and not task.chained)
    return all(producer.is_closed for producer in state.producers(task))


@always
def counted_finished_are_finished(state: JobProtocol, task: Task, checkpoint: Checkpoint) -> bool:
    """A task that a pending checkpoint counts as finished has closed (S12)."""
    when(checkpoint.is_pending and checkpoint.finished.has(task))
    return task.is_closed


@on_step
def waiting_tasks_are_reached(state: JobProtocol, task: Task, checkpoint: Checkpoint) -> bool:
    """Every task that a new plan waits for is triggered, or reads one that it waits for and has no
    chained sources of its own (S12)."""
    when(checkpoint.is_pending and before(lambda: not checkpoint.is_pending))
    when(checkpoint.awaited.has(task))
    reached = any(checkpoint.awaited.has(producer) for producer in state.producers(task))
    return state.is_to_be_called(task, checkpoint) or (reached and not task.chained)


@on_step
def plan_is_a_partition(state: JobProtocol, task: Task, checkpoint: Checkpoint) -> bool:
    """A new plan either waits for a task or counts it as finished (S12)."""
    when(checkpoint.is_pending and before(lambda: not checkpoint.is_pending))
    return checkpoint.awaited.has(task) != checkpoint.finished.has(task)


@always(needs="taken", of_all_ids=True)
def finished_flag_is_sound(state: JobProtocol, task: Task, checkpoint: Checkpoint) -> bool:
    """A task that a checkpoint counts as finished had a final checkpoint that completed (S13)."""
    when(checkpoint.is_pending and checkpoint.finished.has(task))
    return any(
        each.is_completed and task.taken_after_finish.has(each) for each in state.checkpoints
    )


@on_step
def decided_once(state: JobProtocol, checkpoint: Checkpoint) -> bool:
    """A checkpoint completes or aborts once (S17)."""
    was_completed = before(lambda: checkpoint.status == COMPLETED)
    was_aborted = before(lambda: checkpoint.status == ABORTED)
    when(was_completed or was_aborted)
    return checkpoint.status == (COMPLETED if was_completed else ABORTED)


@on_step
def completed_in_order(state: JobProtocol, checkpoint: Checkpoint, newer: Checkpoint) -> bool:
    """After a checkpoint has completed no older one completes (S17)."""
    when(checkpoint.is_completed and before(lambda: checkpoint.status == PENDING))
    when(state.can_be_subsumed(checkpoint) and state.subsumes(newer))
    return not (checkpoint < newer and before(lambda: newer.is_completed))


@on_step
def only_older_are_subsumed(state: JobProtocol, checkpoint: Checkpoint, newer: Checkpoint) -> bool:
    """The completion of a checkpoint leaves a newer one pending (S17)."""
    when(checkpoint.is_completed and before(lambda: checkpoint.is_pending))
    when(checkpoint < newer and before(lambda: newer.is_pending))
    return newer.is_pending


@on_step
def restores_newest(state: JobProtocol, task: Task) -> bool:
    """A task is restored from the newest completed checkpoint (S17)."""
    when(before(lambda: task.status == TaskStatus.RESTORING) and task.is_running)
    return task.confirmed == newest_stored(state)


@on_step(needs="taken")
def confirms_what_was_taken(state: JobProtocol, task: Task) -> bool:
    """A task acts on the completion of a checkpoint only if it took it in this attempt (S18)."""
    was_restoring = before(lambda: task.status == TaskStatus.RESTORING)
    when(not was_restoring or task.status == TaskStatus.RESTORING)
    when(task.confirmed != before(lambda: task.confirmed) and task.confirmed != Nothing)
    return task.taken.has(task.confirmed)


@on_step
def no_release_is_dropped(
    state: JobProtocol, task: Task, checkpoint: Checkpoint, step: Taken
) -> bool:
    """A confirmation that is not acted on is not one that the task was waiting for (S18)."""
    when(step.rule == "deliver_confirmation" and step.binding["task"] == task.name)
    when(task.status == TaskStatus.WAITING_FOR_FINAL_CP)
    when(step.binding["checkpoint"] == checkpoint.name)
    when(state.awaits(task, checkpoint))
    return task.released


@reachable(on_request=True)
def confirmation_comes_late(state: JobProtocol, task: Task, older: Checkpoint) -> bool:
    """A confirmation is still on its way to a task that has acted on a newer one (CN-5)."""
    late = task.confirmed != Nothing and older < task.confirmed
    return late and older.confirmations.has(task)


@always
def union_state_is_even(state: JobProtocol, checkpoint: Checkpoint) -> bool:
    """In a completed checkpoint all subtasks of a vertex with union state have finished, or none;
    and of those that run all have ended their operators, or none (S16)."""
    when(checkpoint.is_completed and len(state.unions) > 0)
    return all(is_even(checkpoint, subtasks) for subtasks in state.unions)


@define
def is_even(checkpoint: Checkpoint, subtasks: tuple[Task, ...]) -> bool:
    """Whether the subtasks have all finished or none, and their operators likewise."""
    if checkpoint.has_some(subtasks, checkpoint.finished):
        return checkpoint.has_all(subtasks, checkpoint.finished)
    some = checkpoint.has_some(subtasks, checkpoint.operators_finished)
    return not some or checkpoint.has_all(subtasks, checkpoint.operators_finished)


@reachable(of_all_ids=True)
def completes_after_close(state: JobProtocol, task: Task, checkpoint: Checkpoint) -> bool:
    """A checkpoint that a task took part in completes after the task has closed (CN-6: 44)."""
    taken = not checkpoint.finished.has(task) and task.confirmed != Nothing
    return task.is_closed and checkpoint.is_completed and taken and task.confirmed < checkpoint


@reachable
def closes_while_a_source_runs(state: JobProtocol, task: Task, source: Source) -> bool:
    """A task that reads others has closed while some source still runs (blog, figure 3)."""
    return len(task.inputs) > 0 and task.is_closed and source.is_running


@reachable
def a_checkpoint_completes(state: JobProtocol, checkpoint: Checkpoint) -> bool:
    """Some checkpoint completes."""
    return checkpoint.is_completed


@reachable
def trigger_meets_ended_task(state: JobProtocol, task: Task, checkpoint: Checkpoint) -> bool:
    """A trigger is on its way to a task that has meanwhile ended (PL-5)."""
    return checkpoint.is_pending and checkpoint.triggers.has(task) and task.is_closed


@reachable(of_all_ids=True)
def released_by_later_checkpoint(state: JobProtocol, task: Task, checkpoint: Checkpoint) -> bool:
    """A task is released, and the first checkpoint after its end was aborted (CN-6: 43, not 42)."""
    return task.released and task.final_from == checkpoint and checkpoint.status == ABORTED


@reachable
def taken_with_ended_inputs(state: JobProtocol, channel: Channel, other: Channel) -> bool:
    """A task aligns a barrier with one input blocked by it and another one ended (AL-2)."""
    reader = state.reader(channel)
    if state.reader(other) != reader:
        return False
    return reader.gate.aligning and channel.blocked and other.ended


FAMILIES = (
    triggered_tasks_are_heads,
    counted_finished_are_finished,
    waiting_tasks_are_reached,
    plan_is_a_partition,
    finished_flag_is_sound,
    decided_once,
    completed_in_order,
    only_older_are_subsumed,
    restores_newest,
    confirms_what_was_taken,
    no_release_is_dropped,
    confirmation_comes_late,
    union_state_is_even,
    completes_after_close,
    closes_while_a_source_runs,
    a_checkpoint_completes,
    trigger_meets_ended_task,
    released_by_later_checkpoint,
    taken_with_ended_inputs,
)
