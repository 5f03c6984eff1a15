"""Consistent cuts: what a completed checkpoint says of the channels (S1)."""

from __future__ import annotations

from model.protocols.parts.channels import Channel
from model.protocols.parts.checkpoints import Checkpoint
from model.protocols.parts.layout import JobProtocol
from model.rules import always, when


@always(needs="cut")
def consistent_cut(state: JobProtocol, channel: Channel, checkpoint: Checkpoint) -> bool:
    """In a completed checkpoint a channel's receiver has seen exactly the records that its sender
    had sent (S1, aligned: nothing is in flight); a finished sender had sent all it ever did."""
    when(state.newest_completed() == checkpoint)
    when(not checkpoint.finished.has(state.reader(channel)))
    if checkpoint.finished.has(state.writer(channel)):
        return channel.sent == channel.received_before[checkpoint]
    return channel.sent_before[checkpoint] == channel.received_before[checkpoint]


FAMILIES = (consistent_cut,)
