"""A stop with a savepoint: what it ends, keeps and says (S1, S6, S7, S21, S24, S26)."""

from __future__ import annotations

from finale.model.properties.observed import is_excused, was_suspended
from finale.model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Datum
from finale.model.protocols.requests import JobStatus, Request, RequestStatus, StopRequest
from finale.model.protocols.sinks import AtLeastOnceSink, Sink, Transaction, TwoPhaseSink
from finale.model.protocols.stopping import Stopping
from finale.model.protocols.sync_savepoint import SyncSavepoint
from finale.model.protocols.task.operators import Buffering
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import (
    Nothing,
    Taken,
    always,
    before,
    define,
    leads_to,
    on_step,
    reachable,
    when,
)


@always(needs="cut")
def savepoint_is_a_cut(state: Stopping, channel: Channel, checkpoint: Checkpoint) -> bool:
    """In a completed savepoint of a stop a channel's receiver has seen exactly the records that its
    sender had sent (S1)."""
    when(checkpoint.is_completed and state.ends_the_job(checkpoint))
    when(not checkpoint.finished.has(state.reader(channel)))
    when(not checkpoint.finished.has(state.writer(channel)))
    return channel.sent_before[checkpoint] == channel.received_before[checkpoint]


# --- what is kept --------------------------------------------------------------------------------


@always(needs="effects")
def suspended_records_are_kept(
    state: Stopping, sink: Sink, record: Datum, checkpoint: Checkpoint
) -> bool:
    """When a job has been stopped without drain, a record that was emitted before the savepoint is
    visible or in it, never in both, and no other is visible: it will be emitted again (S6)."""
    when(state.is_finished and not state.has_processed_all())
    when(state.suspends(checkpoint) and state.is_of_this_start(checkpoint))
    when(record in sink.data and not record.of_clock)
    held = any(
        task.buffered[checkpoint][each] > 0 for task, each in _holders(state, record)
    ) and not checkpoint.finished.has(state.task_of[record.source])
    shown = sum(each.visible[record] for each in state.siblings_of(sink))
    due = state.had_emitted(record, checkpoint) and not held
    if isinstance(sink, TwoPhaseSink):
        return shown == (1 if due else 0)
    return (shown > 0) == due


def _holders(state: Stopping, record: Datum) -> list[tuple[Buffering, Datum]]:
    return [
        (task, each)
        for task in state.tasks
        if isinstance(task, Buffering)
        for each in task.data
        if each.source == record.source and each.number == record.number
    ]


@on_step
def nothing_after_the_cut(state: Stopping, channel: Channel, step: Taken) -> bool:
    """After a task has taken the savepoint of a stop without drain it processes no record (S26)."""
    when(state.stops)
    when(step.rule == "poll_data" and step.binding["channel"] == channel.name)
    return not before(lambda: is_cut(state, state.reader(channel)))


@define
def is_cut(state: Stopping, task: Task) -> bool:
    """Whether a task has taken the savepoint of a stop without drain."""
    return state.stops and any(
        checkpoint.kind == CheckpointKind.SUSPEND
        and task.sync == checkpoint
        and task.newest == checkpoint
        and not task.gate.aligning
        for checkpoint in state.checkpoints
    )


@always(needs="effects")
def not_repeated_after_resuming(state: Stopping, sink: AtLeastOnceSink, record: Datum) -> bool:
    """Without failures no record is written a second time by a job that was resumed (S26)."""
    when(state.can_resume and int(state.bounds.failures) == 0)
    when(state.resumed_from != Nothing and sink.visible[record] > 0)
    return sink.visible[record] < 2


@reachable(on_request=True)
def a_job_is_resumed(state: Stopping) -> bool:
    """A job that has ended is started again from what it has left (RC-3, F45-7)."""
    when(state.can_resume)
    return state.resumed_from != Nothing and any(task.is_running for task in state.tasks)


# --- what it ends --------------------------------------------------------------------------------


@always(of_all_ids=True)
def closed_after_its_savepoint(state: Stopping, task: Task, checkpoint: Checkpoint) -> bool:
    """A task that knows of a savepoint closes only after it has completed, or after an older one
    that was final for the task and has released it before (S7)."""
    when(state.stops)
    when(task.is_closed and task.sync == checkpoint)
    return checkpoint.is_completed or any(
        older < checkpoint and older.is_completed and is_final_for(older, task)
        for older in state.checkpoints
    )


@define
def is_final_for(checkpoint: Checkpoint, task: Task) -> bool:
    """Whether a checkpoint was taken after a task's operators had finished (FC-4)."""
    return task.final_from != Nothing and task.final_from <= checkpoint


@always(needs="calls")
def suspend_ends_nothing(state: Stopping, task: Task) -> bool:
    """A stop without drain does not make operators end their input or finish (S7)."""
    when(was_suspended(state, task) or is_excused(state, task))
    return not task.called_end


@always
def one_sync_savepoint(state: Stopping, checkpoint: Checkpoint, other: Checkpoint) -> bool:
    """At any time at most one savepoint that ends the job is pending (S24)."""
    when(checkpoint.is_pending and state.ends_the_job(checkpoint) and other != checkpoint)
    return not (other.is_pending and state.ends_the_job(other))


@on_step
def only_its_savepoint_releases(state: Stopping, task: Task) -> bool:
    """A task that knows of a savepoint is released by its completion alone (S24)."""
    when(state.stops)
    when(before(lambda: task.sync != Nothing and not task.released) and task.released)
    return task.confirmed == before(lambda: task.sync)


@always
def stalled_can_be_released(state: SyncSavepoint, task: Task) -> bool:
    """What a stalled task waits for can still come: its savepoint is pending, or news of its end is
    under way (twin of L2)."""
    when(state.stops)
    when(task.stalled)
    return any(
        task.sync == checkpoint
        and (
            checkpoint.is_pending
            or checkpoint.confirmations.has(task)
            or checkpoint.aborts.has(task)
        )
        for checkpoint in state.checkpoints
    )


# --- what it says --------------------------------------------------------------------------------


@on_step
def stop_report_is_true(state: Stopping, request: StopRequest, checkpoint: Checkpoint) -> bool:
    """Success is told when the savepoint has completed, all tasks have finished, and every sink has
    committed (S21)."""
    when(request.of == checkpoint and request.status == RequestStatus.SUCCEEDED)
    when(before(lambda: request.is_admitted) and state.ends_the_job(checkpoint))
    committed = all(
        sink.transaction[checkpoint] != Transaction.PRECOMMITTED
        for sink in state.sinks
        if isinstance(sink, TwoPhaseSink)
    )
    return checkpoint.is_completed and state.is_finished and committed


@on_step
def success_is_not_denied(state: Stopping, request: StopRequest, checkpoint: Checkpoint) -> bool:
    """A stop does not fail when its savepoint has completed and all tasks have finished (S21)."""
    when(request.of == checkpoint and checkpoint.is_completed and state.is_finished)
    when(before(lambda: request.is_admitted) and not request.is_admitted)
    return request.status == RequestStatus.SUCCEEDED or state.job_status != JobStatus.RUNNING


@leads_to
def failed_stop_leaves_a_job(state: Stopping, request: StopRequest) -> bool:
    """After a stop has failed the job ends, or goes on with its checkpoints (S21)."""
    when(request.status == RequestStatus.FAILED)
    stuck = any(task.sync == request.of and task.sync != Nothing for task in state.tasks)
    return not state.runs() or (state.scheduling and not stuck)


@reachable(on_request=True)
def closes_before_its_savepoint(state: Stopping, task: Task, checkpoint: Checkpoint) -> bool:
    """A task that knows of a savepoint has closed, and the savepoint is pending (SP-8)."""
    if not state.stops:
        return False
    return task.is_closed and task.sync == checkpoint and checkpoint.is_pending


@reachable(on_request=True)
def savepoint_before_end_of_data(state: Stopping, task: Source) -> bool:
    """A source has taken the savepoint of a stop and not yet ended its data (SP-2)."""
    return task.is_running and is_cut(state, task)


@reachable(on_request=True)
def stop_meets_natural_end(state: Stopping, request: Request, task: Task) -> bool:
    """A stop's trigger is on its way to a task that is closing or has closed (H14)."""
    ended = task.status in (TaskStatus.QUIESCED, TaskStatus.CLOSED)
    return ended and any(
        request.of == checkpoint and checkpoint.is_pending and checkpoint.triggers.has(task)
        for checkpoint in state.checkpoints
        if isinstance(request, StopRequest)
    )


@reachable(on_request=True)
def fails_after_the_savepoint(
    state: Stopping, request: StopRequest, checkpoint: Checkpoint
) -> bool:
    """The savepoint of a stop has completed, and tasks have failed since (SWS-06, SWS-07)."""
    down = any(task.status in (TaskStatus.RESTORING, TaskStatus.FAILED) for task in state.tasks)
    return down and request.of == checkpoint and checkpoint.is_completed


@reachable(on_request=True)
def job_ends_before_the_answer(state: Stopping, request: StopRequest) -> bool:
    """All tasks have finished, and the stop is not answered yet (SWS-09)."""
    return state.is_finished and request.is_admitted


@reachable(on_request=True)
def a_stop_fails_in_a_job(state: Stopping, request: StopRequest) -> bool:
    """A stop has failed, and no task with it (SWS-10)."""
    failed = request.status == RequestStatus.FAILED
    return failed and all(task.is_running for task in state.tasks)


@reachable(on_request=True)
def savepoint_meets_an_end(state: Stopping, task: Source, checkpoint: Checkpoint) -> bool:
    """A source has taken the savepoint of a stop without drain, and come to its end (FIN-05)."""
    when(state.stops)
    if not state.stops:
        return False
    suspends = checkpoint.kind == CheckpointKind.SUSPEND and checkpoint.is_pending
    return suspends and task.newest == checkpoint and task.has_finished


@reachable(on_request=True)
def savepoint_completes_in_a_job(state: Stopping, checkpoint: Checkpoint) -> bool:
    """The savepoint of a stop has completed, and some task still runs (OTH-11)."""
    completed = checkpoint.is_completed and state.ends_the_job(checkpoint)
    return completed and any(task.is_alive for task in state.tasks)


@reachable(on_request=True)
def stop_meets_a_checkpoint(state: Stopping, checkpoint: Checkpoint, older: Checkpoint) -> bool:
    """A task has still to run the trigger of a checkpoint when a stop's is there, too (OTH-02)."""
    suspends = checkpoint.is_pending and state.ends_the_job(checkpoint) and older < checkpoint
    return suspends and any(
        task.mail.has(older) and task.mail.has(checkpoint) for task in state.tasks
    )


@reachable(on_request=True)
def late_abort_meets_a_stall(state: SyncSavepoint, task: Task, checkpoint: Checkpoint) -> bool:
    """A task stalls, and the abort of another checkpoint is on its way to it (FIN-07)."""
    when(state.stops)
    return task.stalled and task.newest != checkpoint and checkpoint.aborts.has(task)


FAMILIES = (
    a_job_is_resumed,
    savepoint_is_a_cut,
    suspended_records_are_kept,
    nothing_after_the_cut,
    not_repeated_after_resuming,
    closed_after_its_savepoint,
    suspend_ends_nothing,
    one_sync_savepoint,
    only_its_savepoint_releases,
    stalled_can_be_released,
    stop_report_is_true,
    success_is_not_denied,
    failed_stop_leaves_a_job,
    closes_before_its_savepoint,
    savepoint_before_end_of_data,
    stop_meets_natural_end,
    fails_after_the_savepoint,
    job_ends_before_the_answer,
    a_stop_fails_in_a_job,
    savepoint_meets_an_end,
    savepoint_completes_in_a_job,
    stop_meets_a_checkpoint,
    late_abort_meets_a_stall,
)
