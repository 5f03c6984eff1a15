"""Barriers that overtake: what they make possible, and that they must not wait for records."""

from __future__ import annotations

from model.properties.views import EndOfDataView
from model.protocols.parts.channels import Channel
from model.protocols.parts.checkpoints import Checkpoint
from model.protocols.parts.elements import Barrier
from model.protocols.parts.logs import LoggedChannel
from model.protocols.parts.overtaking import Overtaking
from model.protocols.parts.tasks import Task
from model.rules import Nothing, reachable


@reachable(on_request=True)
def final_upstream_only(state: EndOfDataView, channel: Channel, checkpoint: Checkpoint) -> bool:
    """A task's first final checkpoint is taken by its consumer before the consumer has finished, so
    that one ends with it and the other needs a later one (FC-12)."""
    reader, writer = state.reader(channel), state.writer(channel)
    later = reader.final_from == Nothing or reader.final_from > checkpoint
    return checkpoint.is_completed and writer.final_from == checkpoint and later


@reachable(on_request=True)
def meets_obsolete_barrier(state: Overtaking, channel: Channel, checkpoint: Checkpoint) -> bool:
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
def logs_what_was_replayed(state: Overtaking, channel: LoggedChannel, older: Checkpoint) -> bool:
    """A record that a restart has put back is overtaken and logged once more, for a checkpoint that
    completes (RC-9)."""
    again = any(
        each.is_completed and not channel.log[each].is_empty and older < each
        for each in state.checkpoints
    )
    return again and not channel.recovered.is_empty


FAMILIES = (
    final_upstream_only,
    meets_obsolete_barrier,
    triggered_with_ended_inputs,
    logs_what_was_replayed,
)
