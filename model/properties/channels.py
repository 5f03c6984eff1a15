"""The end of a task, and what flows through a channel and blocks it (S7, S8, S9, S10, S11, S19)."""

from __future__ import annotations

from finale.model.properties.observed import is_excused
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import (
    Barrier,
    CancelBarrier,
    Data,
    EndOfData,
    EndOfPartition,
)
from finale.model.protocols.task.execution import EndOfDataView
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import Taken, always, before, define, on_step, reachable, when


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


@define
def follows(channel: Channel, position: int, wanted: type) -> bool:
    """Whether behind a position of the queue there is an element of a class."""
    return any(channel.queue.at(i) == wanted for i in range(position + 1, channel.queue.capacity))


@always
def no_data_after_end_of_data(state: EndOfDataView, channel: Channel) -> bool:
    """After EndOfData no record and no other EndOfData comes on a channel (S9)."""
    when(channel.end_of_data or channel.queue.holds(EndOfData))
    if channel.end_of_data:
        return not channel.queue.holds(Data) and not channel.queue.holds(EndOfData)
    return all(
        channel.queue.at(i) != EndOfData
        or (not follows(channel, i, Data) and not follows(channel, i, EndOfData))
        for i in range(channel.queue.capacity)
    )


@always
def nothing_after_end_of_partition(state: JobProtocol, channel: Channel) -> bool:
    """EndOfPartition is the last element of a channel, and comes once (S9)."""
    when(channel.ended or channel.queue.holds(EndOfPartition))
    if channel.ended:
        return channel.queue.is_empty
    last = channel.queue.length - 1
    return all(
        channel.queue.at(i) != EndOfPartition or last == i for i in range(channel.queue.capacity)
    )


@always
def end_of_partition_after_close(state: JobProtocol, channel: Channel) -> bool:
    """EndOfPartition is out if and only if a sender has closed whose inputs have ended (S9)."""
    writer = state.writer(channel)
    out = channel.ended or channel.queue.holds(EndOfPartition)
    when(out or writer.is_closed)
    return writer.is_closed and out and writer.inputs_ended


@always
def close_after_acknowledgement(state: EndOfDataView, channel: Channel) -> bool:
    """A task closes only after its consumers have polled EndOfData, and so its records (S10)."""
    when(state.writer(channel).is_closed)
    return channel.end_of_data


@on_step
def call_finds_inputs_read(state: EndOfDataView, task: Task, step: Taken) -> bool:
    """A trigger by RPC runs at a task only when no record or EndOfData is on its inputs, unless
    it is for chained sources alone (S11)."""
    when(step.rule == "run_trigger" and step.binding["task"] == task.name and len(task.inputs) > 0)
    when(not task.chained)
    return before(
        lambda: all(
            not channel.queue.holds(Data) and not channel.queue.holds(EndOfData)
            for channel in task.inputs
        )
    )


@always
def unblocked_without_alignment(state: JobProtocol, channel: Channel) -> bool:
    """A channel is blocked only while its reader aligns a checkpoint (S19)."""
    when(not state.reader(channel).gate.aligning)
    return not channel.blocked


@always(on_request=True)
def alignment_can_end(state: JobProtocol, channel: Channel) -> bool:
    """What an alignment waits for on a channel is still to come: its barrier, or one that cancels
    it, a newer one, the end of the channel (L9, as far as it can be lost)."""
    gate = state.reader(channel).gate
    when(gate.aligning and not channel.aligned)
    awaited = state.reader(channel).newest
    on_its_way = channel.queue.holds(EndOfPartition) or any(
        awaited <= other
        and (channel.queue.holds(Barrier(other)) or channel.queue.holds(CancelBarrier(other)))
        for other in state.checkpoints
    )
    writer = state.writer(channel)
    return on_its_way or not (writer.is_closed or writer.gate.is_past(awaited))


@always(needs="cancellations", witness="a-checkpoint-is-cancelled")
def cancelled_once(state: JobProtocol, channel: Channel, checkpoint: Checkpoint) -> bool:
    """A checkpoint is cancelled at most once over a channel (AL-3, TR)."""
    return channel.cancelled[checkpoint] < 2


@reachable(needs="cancellations")
def a_checkpoint_is_cancelled(state: JobProtocol, channel: Channel, gone: Checkpoint) -> bool:
    """A cancellation goes over a channel (AL-3)."""
    return channel.cancelled[gone] > 0


FAMILIES = (
    closed_after_final_checkpoint,
    finish_before_close,
    no_record_after_finish,
    one_checkpoint_for_all,
    no_data_after_end_of_data,
    nothing_after_end_of_partition,
    end_of_partition_after_close,
    close_after_acknowledgement,
    call_finds_inputs_read,
    unblocked_without_alignment,
    alignment_can_end,
    cancelled_once,
    a_checkpoint_is_cancelled,
)
