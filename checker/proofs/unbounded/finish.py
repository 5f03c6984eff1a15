"""Clauses about the finish of FLIP-147: they hold in every reachable state, proven together."""

from __future__ import annotations

from finale.model.properties.channels import (
    close_after_acknowledgement,
    end_of_partition_after_close,
    no_data_after_end_of_data,
    nothing_after_end_of_partition,
    unblocked_without_alignment,
)
from finale.model.properties.checkpoints import (
    counted_finished_are_finished,
    triggered_tasks_are_heads,
)
from finale.model.protocols.coordinator.checkpoints import UNUSED, Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Barrier, EndOfData
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import Nothing, always, define, when


@define
def is_ending(task: Task) -> bool:
    """Whether nothing holds a task any more, or it has closed."""
    return task.status in (TaskStatus.QUIESCED, TaskStatus.CLOSED)


@always
def end_of_data_is_sent_at_the_finish(state: FinalCheckpoint, channel: Channel) -> bool:
    """EndOfData is out on a channel if and only if the operators of its sender have finished."""
    out = channel.end_of_data or channel.queue.holds(EndOfData)
    when(out or state.writer(channel).has_finished)
    return out and state.writer(channel).has_finished


@always
def finished_when_all_data_ended(state: FinalCheckpoint, task: Task) -> bool:
    """A task that reads others has finished its operators if and only if the data of all its
    inputs have ended."""
    when(len(task.inputs) > 0)
    return all(channel.end_of_data for channel in task.inputs) == task.has_finished


@always
def ends_behind_its_inputs(state: FinalCheckpoint, task: Task) -> bool:
    """A task that is closing was released, all its inputs have ended, and its EndOfData was
    polled."""
    when(is_ending(task))
    acknowledged = all(channel.end_of_data for channel in task.outputs)
    return task.released and task.inputs_ended and acknowledged


@always
def reported_tasks_are_closed(state: FinalCheckpoint, task: Task) -> bool:
    """What the coordinator knows as FINISHED has closed."""
    when(task.reported_finished)
    return task.is_closed


# --- ids ----------------------------------------------------------------------------------------


@always
def unused_ids_are_blank(state: FinalCheckpoint, checkpoint: Checkpoint) -> bool:
    """Of an id that was not given yet nothing is planned, and nothing is under way."""
    when(checkpoint.status == UNUSED)
    return (
        checkpoint.finished.is_empty
        and checkpoint.awaited.is_empty
        and checkpoint.triggers.is_empty
        and checkpoint.acknowledgements.is_empty
        and checkpoint.confirmations.is_empty
        and checkpoint.aborts.is_empty
    )


@always
def only_pending_ones_are_declined(state: FinalCheckpoint, checkpoint: Checkpoint) -> bool:
    """A decline is under way only of a checkpoint that is pending."""
    when(checkpoint.declined)
    return checkpoint.is_pending


@always
def ids_are_given_in_order(
    state: FinalCheckpoint, checkpoint: Checkpoint, other: Checkpoint
) -> bool:
    """No id was given that is above one that was not."""
    when(checkpoint.status == UNUSED and other.status != UNUSED)
    return other < checkpoint


@always
def pending_is_newer_than_completed(
    state: FinalCheckpoint, checkpoint: Checkpoint, other: Checkpoint
) -> bool:
    """What is pending is newer than all that has completed."""
    when(checkpoint.is_pending and other.is_completed)
    return other < checkpoint


# --- taking part ---------------------------------------------------------------------------------


@always(needs="taken")
def acknowledged_is_taken(state: FinalCheckpoint, task: Task, checkpoint: Checkpoint) -> bool:
    """A task that has acknowledged a pending checkpoint, or whose acknowledgement is under way,
    has taken it."""
    acknowledged = not checkpoint.finished.has(task) and not checkpoint.awaited.has(task)
    when((checkpoint.is_pending and acknowledged) or checkpoint.acknowledgements.has(task))
    return task.taken.has(checkpoint)


@always(needs="taken")
def confirmed_is_completed(state: FinalCheckpoint, task: Task, checkpoint: Checkpoint) -> bool:
    """A confirmation under way is of a checkpoint that has completed and that its task took."""
    when(checkpoint.confirmations.has(task))
    return checkpoint.is_completed and task.taken.has(checkpoint)


@always(needs="taken")
def completed_is_taken_or_restored(
    state: FinalCheckpoint, task: Task, checkpoint: Checkpoint
) -> bool:
    """A task that runs took each completed checkpoint, or was restored from it or a newer one."""
    when(checkpoint.is_completed)
    when(task.is_alive)
    restored = task.confirmed != Nothing and checkpoint <= task.confirmed
    return task.taken.has(checkpoint) or restored


@always(needs="taken")
def aborts_carry_what_completed(
    state: FinalCheckpoint, checkpoint: Checkpoint, latest: Checkpoint
) -> bool:
    """The newest completed checkpoint that an abort carries has completed."""
    when(checkpoint.latest == latest)
    return latest.is_completed


@always(needs="taken")
def taken_is_begun(state: FinalCheckpoint, task: Task, checkpoint: Checkpoint) -> bool:
    """A task that has taken a checkpoint has begun it or a newer one, and no longer aligns it."""
    when(task.taken.has(checkpoint))
    if task.newest == Nothing:
        return False
    return checkpoint < task.newest or (checkpoint == task.newest and not task.gate.aligning)


@always(needs="taken")
def final_ones_come_after_the_finish(
    state: FinalCheckpoint, task: Task, checkpoint: Checkpoint
) -> bool:
    """From a task's first final checkpoint on, all that it takes come after its finish."""
    when(task.final_from != Nothing and task.final_from <= checkpoint)
    when(task.taken.has(checkpoint))
    return task.taken_after_finish.has(checkpoint)


@always
def final_after_finish(state: FinalCheckpoint, task: Task) -> bool:
    """Only a task whose operators have finished has a first final checkpoint."""
    when(task.final_from != Nothing)
    return task.has_finished


@always(needs="taken")
def released_by_a_final_one(state: FinalCheckpoint, task: Task, checkpoint: Checkpoint) -> bool:
    """A task is released whose newest confirmation is of a checkpoint that it took after its
    operators had finished, and which has completed."""
    when(task.released and task.confirmed == checkpoint)
    return checkpoint.is_completed and task.taken.has(checkpoint) and task.final_from <= checkpoint


@always
def released_by_a_confirmation(state: FinalCheckpoint, task: Task) -> bool:
    """A task that is released has a first final checkpoint, and a confirmation of that or a newer
    one."""
    when(task.released)
    if Nothing in (task.final_from, task.confirmed):
        return False
    return task.final_from <= task.confirmed


@always
def waited_for_until_acknowledged(
    state: FinalCheckpoint, task: Task, checkpoint: Checkpoint
) -> bool:
    """An acknowledgement under way is of a checkpoint that is pending and waits for it."""
    when(checkpoint.acknowledgements.has(task))
    return checkpoint.is_pending and checkpoint.awaited.has(task)


@define
def gave_up(task: Task, checkpoint: Checkpoint) -> bool:
    """Whether a task will not take a checkpoint any more that it has not taken."""
    is_called = task.mail.has(checkpoint) or checkpoint.triggers.has(task)
    ends_before = is_ending(task) and not is_called
    return (task.gate.is_past(checkpoint) or ends_before) and not task.taken.has(checkpoint)


@always(needs="taken")
def declined_by_one_waited_for(state: FinalCheckpoint, checkpoint: Checkpoint) -> bool:
    """A decline is under way from a task that the checkpoint waits for, and which gave it up, or
    whose snapshot failed."""
    when(checkpoint.declined)
    return any(
        checkpoint.awaited.has(task)
        and not checkpoint.acknowledgements.has(task)
        and (gave_up(task, checkpoint) or task.taken.has(checkpoint))
        for task in state.tasks
    )


@always
def called_once(state: FinalCheckpoint, task: Task, checkpoint: Checkpoint) -> bool:
    """A task whose mailbox has accepted the call for a checkpoint is not called once more."""
    when(task.mail.has(checkpoint))
    return not checkpoint.triggers.has(task)


@always(needs="taken")
def called_before_its_part(state: FinalCheckpoint, task: Task, checkpoint: Checkpoint) -> bool:
    """A task that is called for a pending checkpoint has not taken it, nor begun to align it, and
    all its producers count as finished there."""
    when(task.mail.has(checkpoint) or checkpoint.triggers.has(task))
    when(checkpoint.is_pending)
    aligns = task.gate.aligning and task.newest == checkpoint
    heads = all(checkpoint.finished.has(producer) for producer in state.producers(task))
    return not task.taken.has(checkpoint) and checkpoint.awaited.has(task) and not aligns and heads


@always
def calls_are_of_given_ids(state: FinalCheckpoint, task: Task, checkpoint: Checkpoint) -> bool:
    """Of an id that was not given yet no task was called, and none has begun or taken it."""
    when(checkpoint.status == UNUSED)
    begun = task.newest != Nothing and checkpoint <= task.newest
    return not task.mail.has(checkpoint) and not begun


@always
def elements_are_of_given_ids(
    state: FinalCheckpoint, channel: Channel, checkpoint: Checkpoint
) -> bool:
    """Of an id that was not given yet no barrier is on its way, nor one that cancels it."""
    when(checkpoint.status == UNUSED)
    return not channel.refers_to(checkpoint)


@always(needs="taken")
def finished_take_no_part(state: FinalCheckpoint, task: Task, checkpoint: Checkpoint) -> bool:
    """A task that a pending checkpoint counts as finished has no part in it."""
    when(checkpoint.is_pending and checkpoint.finished.has(task))
    return not task.taken.has(checkpoint)


@always(needs="taken")
def barrier_is_of_one_taken(
    state: FinalCheckpoint, channel: Channel, checkpoint: Checkpoint
) -> bool:
    """A barrier is on a channel only when the sender has taken the checkpoint."""
    when(channel.queue.holds(Barrier(checkpoint)))
    return state.writer(channel).taken.has(checkpoint)


@always
def aligns_while_barriers_are_missing(state: FinalCheckpoint, task: Task) -> bool:
    """A task aligns the checkpoint that it began last, as long as some input has not brought its
    barrier."""
    when(task.gate.aligning)
    return task.newest != Nothing and any(not channel.aligned for channel in task.inputs)


@always
def ended_inputs_count_as_aligned(state: FinalCheckpoint, channel: Channel) -> bool:
    """An input that has ended counts as aligned."""
    when(channel.ended and state.reader(channel).gate.aligning)
    return channel.aligned


@always
def told_while_it_runs(state: FinalCheckpoint, task: Task, checkpoint: Checkpoint) -> bool:
    """Notifications are on their way only to tasks that run."""
    when(checkpoint.confirmations.has(task) or checkpoint.aborts.has(task))
    return task.is_alive


@always
def pending_while_tasks_run(state: FinalCheckpoint, task: Task, checkpoint: Checkpoint) -> bool:
    """While a checkpoint is pending, each task runs or has closed."""
    when(checkpoint.is_pending)
    return task.is_alive or task.is_closed


@always
def restored_without_memory(state: FinalCheckpoint, task: Task) -> bool:
    """A task that is to be restored knows of no confirmation yet."""
    when(task.status == TaskStatus.RESTORING)
    forgotten: bool = task.confirmed == Nothing
    return forgotten


@always
def failed_with_the_job(state: FinalCheckpoint, task: Task) -> bool:
    """A task is FAILED only with the job: any other failure restarts all tasks at once."""
    when(task.status == TaskStatus.FAILED)
    return state.has_ended_otherwise()


@always
def nothing_is_pending_after_the_end(state: FinalCheckpoint, checkpoint: Checkpoint) -> bool:
    """Nothing is pending in a job that has failed or was cancelled."""
    when(checkpoint.is_pending)
    return not state.has_ended_otherwise()


@always
def one_is_pending(state: FinalCheckpoint, checkpoint: Checkpoint, other: Checkpoint) -> bool:
    """Where one checkpoint may be pending at once, no two are."""
    when(state.concurrent == 1 and checkpoint < other)
    return not (checkpoint.is_pending and other.is_pending)


CLAUSES = (
    no_data_after_end_of_data,
    nothing_after_end_of_partition,
    end_of_partition_after_close,
    close_after_acknowledgement,
    unblocked_without_alignment,
    counted_finished_are_finished,
    triggered_tasks_are_heads,
    end_of_data_is_sent_at_the_finish,
    finished_when_all_data_ended,
    ends_behind_its_inputs,
    reported_tasks_are_closed,
    unused_ids_are_blank,
    only_pending_ones_are_declined,
    ids_are_given_in_order,
    pending_is_newer_than_completed,
    acknowledged_is_taken,
    confirmed_is_completed,
    completed_is_taken_or_restored,
    aborts_carry_what_completed,
    taken_is_begun,
    final_ones_come_after_the_finish,
    final_after_finish,
    released_by_a_final_one,
    released_by_a_confirmation,
    waited_for_until_acknowledged,
    declined_by_one_waited_for,
    called_once,
    called_before_its_part,
    calls_are_of_given_ids,
    elements_are_of_given_ids,
    finished_take_no_part,
    barrier_is_of_one_taken,
    aligns_while_barriers_are_missing,
    ended_inputs_count_as_aligned,
    told_while_it_runs,
    pending_while_tasks_run,
    restored_without_memory,
    failed_with_the_job,
    nothing_is_pending_after_the_end,
    one_is_pending,
)

#: What is to follow, by S-number: S7, S8, S9, S10, S12, S13, S17, S18, S19.
GOALS = (
    "closed-after-final-checkpoint",
    "finish-before-close",
    "no-data-after-end-of-data",
    "nothing-after-end-of-partition",
    "end-of-partition-after-close",
    "close-after-acknowledgement",
    "triggered-tasks-are-heads",
    "counted-finished-are-finished",
    "waiting-tasks-are-reached",
    "plan-is-a-partition",
    "finished-flag-is-sound",
    "decided-once",
    "completed-in-order",
    "only-older-are-subsumed",
    "restores-newest",
    "confirms-what-was-taken",
    "unblocked-without-alignment",
)

#: The newest confirmation of a closed task is of a checkpoint that was final for it.
WITNESSES = {
    "closed-after-final-checkpoint": "confirmed",
    "finished-flag-is-sound": "confirmed",
}
