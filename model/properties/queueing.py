"""The queue of requests for checkpoints: its order, its limit, and what a stop makes of it (PL-1).

Asked on request only, with the witness of an interleaving of a historical bug.
"""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import UNUSED, Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.requests.requests import Request, Requests
from finale.model.rules import always, before, count, define, leads_to, on_step, reachable, when


@on_step(on_request=True)
def served_in_order(state: FinalCheckpoint, request: Request, checkpoint: Checkpoint) -> bool:
    """While a request waits no checkpoint begins but for those that are before it (PL-1)."""
    when(before(lambda: waits(state, request)) and waits(state, request))
    when(before(lambda: checkpoint.status == UNUSED) and checkpoint.is_pending)
    place = state.may_wait.index(request) if request in state.may_wait else 0
    return any(other.of == checkpoint for other in state.may_wait[:place])


@define
def waits(state: FinalCheckpoint, request: Request) -> bool:
    """Whether a request is in the queue."""
    return state.room > 0 and request in state.may_wait and state.waits(request)


@always(on_request=True)
def queue_has_a_limit(state: FinalCheckpoint) -> bool:
    """No more requests wait than may (PL-1)."""
    users = count(state.may_wait, lambda request: waits(state, request))
    periodic = 1 if state.room and state.periodic_waits else 0
    when(users + periodic > 0)
    return users + periodic <= state.room


@leads_to(on_request=True)
def who_waits_is_served(state: FinalCheckpoint, request: Request) -> bool:
    """A request that waits is served or refused in the end (PL-1)."""
    when(waits(state, request))
    return not waits(state, request)


@on_step(on_request=True)
def none_begins_while_off(state: Requests, checkpoint: Checkpoint) -> bool:
    """While periodic checkpoints are off, none begins but what a user has asked for (S7, SP-1)."""
    when(before(lambda: not state.schedules() and checkpoint.status == UNUSED))
    return not checkpoint.is_pending or any(each.of == checkpoint for each in state.requests)


@reachable(on_request=True)
def waits_while_off(state: FinalCheckpoint) -> bool:
    """The timer's request waits while periodic checkpoints are off (JM-05)."""
    return state.room > 0 and state.periodic_waits and not state.schedules()


FAMILIES = (
    served_in_order,
    queue_has_a_limit,
    who_waits_is_served,
    none_begins_while_off,
    waits_while_off,
)
