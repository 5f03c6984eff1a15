"""What a restart does with what was in flight (S20)."""

from __future__ import annotations

from finale.model.properties.views import ChannelStateView
from finale.model.protocols.barriers.logs import LoggedChannel
from finale.model.rules import Taken, before, on_step, reachable, when


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


FAMILIES = (recovered_first, replays_what_was_in_flight)
