"""Consistent cuts: what a completed checkpoint says of the channels (S1)."""

from __future__ import annotations

from finale.model.properties.observed import newest_stored
from finale.model.protocols.barriers.logs import LoggedChannel
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.channels import Channel
from finale.model.rules import always, define, reachable, when


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


FAMILIES = (consistent_cut, copies_are_cut_alike, cut_is_a_prefix, completes_with_records_queued)
