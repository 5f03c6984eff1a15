"""How far a historical bug's interleaving goes: the state from which the fix does something else.

Asked on request only. Each witness is reached with the bug and with its fix: a fixed protocol must
not hold merely because the interleaving never comes about.
"""

from __future__ import annotations

from finale.model.protocols.committer import CommittableChannel, Writer
from finale.model.protocols.coordinator.checkpoints import ABORTED, Checkpoint
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.failures import Failures, Region
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import (
    Barrier,
    Committables,
    EndOfData,
    EndOfPartition,
    StopMode,
)
from finale.model.protocols.requests import Request, Requests, RequestStatus, StopRequest
from finale.model.protocols.sinks import TwoPhaseSink
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.stopping import Stopping
from finale.model.protocols.task.chained import ChainingTask
from finale.model.protocols.task.chained_source import ChainedSource
from finale.model.protocols.task.operators import StableTask
from finale.model.protocols.task.sources import Source, ThreadedSource
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import Nothing, always, before, on_step, reachable, when


@reachable(on_request=True)
def some_task_is_known_finished(state: JobProtocol, task: Task, other: Task) -> bool:
    """The coordinator plans while one task has FINISHED and another one runs (FIN-01)."""
    return task.reported_finished and other.is_running


@reachable(needs="effects", on_request=True)
def finishes_with_open_records(state: JobProtocol, task: Task) -> bool:
    """A sink's operators have finished, and no checkpoint has its last records yet (FIN-01)."""
    sink = task.sink
    if not isinstance(sink, TwoPhaseSink):
        return False
    return task.has_finished and any(sink.current[record] > 0 for record in sink.data)


@reachable(needs="taken", on_request=True, of_all_ids=True)
def two_final_snapshots(
    state: JobProtocol, task: Task, first: Checkpoint, other: Checkpoint
) -> bool:
    """A task that writes to the outside takes two checkpoints after its operators' end (FIN-09)."""
    when(task.subtask.vertex.is_sink and first < other)
    return task.taken_after_finish.has(first) and task.taken_after_finish.has(other)


@reachable(on_request=True)
def finishes_with_held_records(state: JobProtocol, task: StableTask) -> bool:
    """The data of a task ends while it holds records that no checkpoint has yet (OTH-08)."""
    ends = all(channel.queue.head == EndOfData for channel in task.inputs)
    return ends and any(task.buffer[record] > 0 for record in task.data)


@reachable(needs="taken", on_request=True)
def writer_runs_again(state: JobProtocol, task: Writer, checkpoint: Checkpoint) -> bool:
    """A writer starts again from a checkpoint that it took after the end of its data (SNK-01)."""
    last = checkpoint.is_completed and task.last == checkpoint
    return last and task.is_running and task.taken_after_finish.has(checkpoint)


@reachable(on_request=True)
def ended_writer_meets_checkpoint(state: JobProtocol, task: Writer) -> bool:
    """A barrier comes to a writer whose data have ended (SNK-03)."""
    return task.has_ended and task.final_from != Nothing


@reachable(on_request=True)
def barrier_behind_committables(state: JobProtocol, channel: CommittableChannel) -> bool:
    """A barrier is queued behind what a writer hands over, and its committer waits (UC-06)."""
    return all((channel.queue.head == Committables, channel.queue.at(1) == Barrier))


@reachable(on_request=True)
def knows_abort_before_trigger(state: JobProtocol, task: Task, checkpoint: Checkpoint) -> bool:
    """A task knows that a checkpoint is aborted, and its trigger still waits (ALN-01)."""
    return task.aborted.has(checkpoint) and task.mail.has(checkpoint)


@reachable(on_request=True)
def end_meets_alignment(state: JobProtocol, channel: Channel) -> bool:
    """The end of a channel is read next while its reader aligns (ALN-03)."""
    aligning = state.reader(channel).gate.aligning
    return aligning and not channel.blocked and channel.queue.head == EndOfPartition


@reachable(on_request=True)
def newer_barrier_meets_alignment(state: JobProtocol, channel: Channel, newer: Checkpoint) -> bool:
    """A barrier is read next while its reader aligns an older checkpoint (ALN-03)."""
    task = state.reader(channel)
    meets = channel.queue.head == Barrier(newer) and not channel.blocked
    return task.gate.aligning and task.newest < newer and meets


@reachable(on_request=True)
def aligns_after_a_source_has_closed(state: JobProtocol, task: Task, source: Source) -> bool:
    """A task that feeds others aligns a checkpoint, and some source has closed (OTH-15)."""
    return task.gate.aligning and len(task.outputs) > 0 and source.is_closed


@reachable(on_request=True)
def triggered_with_open_inputs(state: JobProtocol, task: Task, checkpoint: Checkpoint) -> bool:
    """A trigger waits in the mailbox of a task that has not read the ends of all its inputs
    (FIN-17)."""
    return len(task.inputs) > 0 and task.mail.has(checkpoint) and not task.inputs_ended


@reachable(on_request=True)
def told_while_its_thread_runs(state: Stopping, source: ThreadedSource) -> bool:
    """The completion of the savepoint ends a source whose thread is still in its loop (SWS-12)."""
    when(state.stops)
    return source.mode != StopMode.NONE and not source.thread_ended


@reachable(on_request=True)
def ends_before_its_savepoint(state: Stopping, source: Source, checkpoint: Checkpoint) -> bool:
    """A stop has ended the data of a source that has not taken the savepoint yet (FIN-04)."""
    when(state.stops)
    taken = source.newest == checkpoint
    ended = source.has_finished and source.mode == StopMode.DRAIN
    return ended and checkpoint.is_pending and checkpoint.awaited.has(source) and not taken


@reachable(on_request=True)
def waits_for_a_closed_input(state: JobProtocol, task: ChainingTask, channel: Channel) -> bool:
    """All sources chained into a task are at their barrier, and it waits for the end of a channel
    whose sender the checkpoint counts as finished (H17)."""
    called = all(source.aligned for source in task.chained)
    waits = channel in task.inputs and not channel.aligned
    return called and waits and state.writer(channel).reported_finished


@reachable(on_request=True)
def stop_meets_an_ended_source(
    state: Stopping, source: ChainedSource, other: ChainedSource
) -> bool:
    """A stop without drain has told one of a task's chained sources to end, and another had ended
    by itself (SP-4)."""
    together = source.subtask == other.subtask and source != other
    return state.stops and together and source.mode == StopMode.NO_DRAIN and other.ended_by_itself()


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
    triggered_with_open_inputs,
    told_while_its_thread_runs,
    ends_before_its_savepoint,
    waits_for_a_closed_input,
    stop_meets_an_ended_source,
    some_task_is_known_finished,
    finishes_with_open_records,
    two_final_snapshots,
    finishes_with_held_records,
    writer_runs_again,
    ended_writer_meets_checkpoint,
    barrier_behind_committables,
    knows_abort_before_trigger,
    end_meets_alignment,
    newer_barrier_meets_alignment,
    aligns_after_a_source_has_closed,
    abort_carries_the_restore_point,
    an_acknowledgement_is_missing,
    a_checkpoint_meets_a_restore,
    a_late_report_meets_a_new_attempt,
    a_stop_is_refused_for_a_failure,
    a_stop_misses_a_failed_task,
    triggers_only_pending,
    reported_is_durable,
    aborted_while_triggering,
    all_have_acknowledged,
)
