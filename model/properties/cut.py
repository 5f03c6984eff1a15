"""What a checkpoint holds of the channels: consistent cuts, logs, and their recovery (S1, S20)."""

from __future__ import annotations

from finale.model.properties.observed import newest_stored
from finale.model.protocols.barriers.tracking_gate import TrackingGate
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.channels import Channel, LoggedChannel
from finale.model.protocols.job.elements import Barrier, Data, EndOfPartition
from finale.model.protocols.task.execution import ChannelStateView, EndOfDataView
from finale.model.protocols.task.tasks import Task
from finale.model.protocols.unaligned import Unaligned
from finale.model.rules import Nothing, Taken, always, before, define, on_step, reachable, when


@always(needs="cut")
def consistent_cut(state: JobProtocol, channel: Channel, checkpoint: Checkpoint) -> bool:
    """In a completed checkpoint a channel's receiver has seen the records that its sender had sent
    or they are logged, each once and in order (S1; aligned: nothing is logged); a finished sender
    had sent all it ever did."""
    when(newest_stored(state) == checkpoint)
    when(not checkpoint.finished.has(state.reader(channel)))
    if checkpoint.finished.has(state.writer(channel)):
        return channel.sent == accounted_for(channel, checkpoint)
    return channel.sent_before[checkpoint] == accounted_for(channel, checkpoint)


@define
def accounted_for(channel: Channel, checkpoint: Checkpoint) -> int:
    """How many of the first records a channel's snapshot and log have; with a gap or a record in
    both, one that fits nothing."""
    seen = channel.received_before[checkpoint]
    if not isinstance(channel, LoggedChannel):
        return seen
    logged = channel.logged[checkpoint]
    joins = logged == 0 or channel.logged_after[checkpoint] == seen
    return seen + logged if joins else -1


@reachable(needs="cut")
def completes_with_records_queued(
    state: JobProtocol, channel: Channel, checkpoint: Checkpoint
) -> bool:
    """A checkpoint completes while a record that was sent before it waits in a channel (L5): it
    does not take the processing of what is queued."""
    return checkpoint.is_completed and channel.received < channel.sent_before[checkpoint]


@always(needs="cut", on_request=True)
def cut_is_a_prefix(state: JobProtocol, channel: Channel, checkpoint: Checkpoint) -> bool:
    """In a completed checkpoint a channel's receiver has seen at least the records that its sender
    had sent, or they are logged, so that a restart repeats some and loses none (S1, at least once).
    """
    when(newest_stored(state) == checkpoint)
    when(not checkpoint.finished.has(state.reader(channel)))
    if checkpoint.finished.has(state.writer(channel)):
        return channel.sent == accounted_for(channel, checkpoint)
    return channel.sent_before[checkpoint] <= accounted_for(channel, checkpoint)


@always(needs="cut")
def copies_are_cut_alike(
    state: JobProtocol, channel: Channel, other: Channel, checkpoint: Checkpoint
) -> bool:
    """In a completed checkpoint all subtasks that are sent copies of the same records have seen
    equally many of them, so that a state made of them is the same in each (S16)."""
    one, two = channel.edge, other.edge
    when(one.edge.broadcast and one.edge == two.edge and one.sender == two.sender and one != two)
    when(newest_stored(state) == checkpoint)
    return channel.received_before[checkpoint] == other.received_before[checkpoint]


@on_step
def recovered_first(state: ChannelStateView, channel: LoggedChannel, step: Taken) -> bool:
    """After a restart a task reads nothing new before it has processed all that was in flight, on
    all of its channels (S20)."""
    when(step.rule in ("poll_data", "poll_end_of_data", "poll_end_of_partition"))
    when(step.binding["channel"] == channel.name)
    inputs = state.reader(channel).inputs
    return before(
        lambda: all(
            not isinstance(other, LoggedChannel) or other.recovered.is_empty for other in inputs
        )
    )


@reachable
def replays_what_was_in_flight(state: ChannelStateView, channel: LoggedChannel) -> bool:
    """A task is restarted with records that were in flight (CL-5)."""
    return not channel.recovered.is_empty


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
    return gate.awaits_barriers_of(older) and any(
        older < newer and gate.awaits_barriers_of(newer) for newer in state.checkpoints
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


FAMILIES = (consistent_cut, copies_are_cut_alike, cut_is_a_prefix, completes_with_records_queued)
RECOVERED = (recovered_first, replays_what_was_in_flight)
OVERTAKING = (
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
