"""Barriers that overtake: what they make possible, and that they must not wait for records."""

from __future__ import annotations

from finale.model.properties.cut import accounted_for
from finale.model.properties.views import EndOfDataView
from finale.model.protocols.barriers.logs import LoggedChannel
from finale.model.protocols.barriers.tracking_gate import TrackingGate
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Barrier, Data, EndOfPartition
from finale.model.protocols.task.tasks import Task
from finale.model.protocols.unaligned import Unaligned
from finale.model.rules import Nothing, always, reachable, when


@always(needs="cut")
def acknowledged_with_channel_state(
    state: Unaligned, channel: Channel, checkpoint: Checkpoint
) -> bool:
    """When a task has acknowledged a checkpoint, its snapshot and its logs have all that was sent
    before the barrier of each input, or before the end of an input without a barrier (UN-4)."""
    task, writer = state.reader(channel), state.writer(channel)
    planned = not (checkpoint.finished.has(task) or checkpoint.finished.has(writer))
    done = checkpoint.acknowledgements.has(task) or not checkpoint.awaited.has(task)
    when(checkpoint.is_pending and planned and done)
    if channel.ended and (writer.newest == Nothing or writer.newest < checkpoint):
        return channel.sent == accounted_for(channel, checkpoint)
    return channel.sent_before[checkpoint] == accounted_for(channel, checkpoint)


@reachable(on_request=True, of_all_ids=True)
def final_upstream_only(state: EndOfDataView, channel: Channel, checkpoint: Checkpoint) -> bool:
    """A task's first final checkpoint is taken by its consumer before the consumer has finished, so
    that one ends with it and the other needs a later one (FC-12)."""
    reader, writer = state.reader(channel), state.writer(channel)
    later = reader.final_from == Nothing or reader.final_from > checkpoint
    return checkpoint.is_completed and writer.final_from == checkpoint and later


@reachable(on_request=True)
def meets_obsolete_barrier(state: Unaligned, channel: Channel, checkpoint: Checkpoint) -> bool:
    """While a task logs a channel, the barrier of an earlier checkpoint is the next to be read
    there (UC-01)."""
    gate = state.gate_of(state.reader(channel))
    obsolete = channel.queue.head == Barrier(checkpoint) and gate.is_past(checkpoint)
    return gate.started and not channel.aligned and obsolete


@reachable(on_request=True)
def triggered_with_ended_inputs(state: EndOfDataView, task: Task, checkpoint: Checkpoint) -> bool:
    """A trigger waits in the mailbox of a task whose inputs have all ended (FIN-17)."""
    return len(task.inputs) > 0 and task.mail.has(checkpoint) and task.inputs_ended


@reachable(on_request=True)
def logs_what_was_replayed(state: Unaligned, channel: LoggedChannel, older: Checkpoint) -> bool:
    """A record that a restart has put back is overtaken and logged once more, for a checkpoint that
    completes (RC-9)."""
    if not channel.keeps_log:
        return False
    again = any(
        each.is_completed and not channel.log[each].is_empty and older < each
        for each in state.checkpoints
    )
    return again and not channel.recovered.is_empty


@reachable(on_request=True)
def counts_two_at_once(state: JobProtocol, task: Task, older: Checkpoint) -> bool:
    """A task at least once waits for barriers of two checkpoints (TR)."""
    gate = task.gate
    if not isinstance(gate, TrackingGate):
        return False
    return gate.refers_to(older) and any(
        older < newer and gate.refers_to(newer) for newer in state.checkpoints
    )


@reachable(on_request=True)
def savepoint_finds_records(state: Unaligned, channel: Channel, checkpoint: Checkpoint) -> bool:
    """The barrier of a pending savepoint stands behind a record (UC-04)."""
    if not state.has_kinds:
        return False
    behind = channel.queue.head == Data and channel.queue.holds(Barrier(checkpoint))
    return checkpoint.is_pending and not state.is_unaligned(checkpoint) and behind


@reachable(on_request=True)
def ends_while_announced(state: Unaligned, channel: Channel) -> bool:
    """The end of a channel is read next, and the open checkpoint has no barrier yet (FIN-16)."""
    gate = state.gate_of(state.reader(channel))
    return gate.aligning and not gate.has_barrier and channel.queue.head == EndOfPartition


@reachable(on_request=True)
def abort_meets_queued_barrier(state: Unaligned, channel: Channel, gone: Checkpoint) -> bool:
    """An abort is on its way to a task whose barrier is still queued at it (UC-08)."""
    return gone.aborts.has(state.writer(channel)) and channel.queue.holds(Barrier(gone))


FAMILIES = (
    acknowledged_with_channel_state,
    final_upstream_only,
    meets_obsolete_barrier,
    triggered_with_ended_inputs,
    logs_what_was_replayed,
    counts_two_at_once,
    savepoint_finds_records,
    ends_while_announced,
    abort_meets_queued_barrier,
)
