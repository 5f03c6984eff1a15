"""The queue of requests for checkpoints: who waits, who goes first, and for whom there is no room.

Models PL-1 of the fact sheet (`CheckpointRequestDecider`). Savepoints go first, what a user asked
for goes before what the timer asked for, older requests before younger ones. A savepoint does not
wait for checkpoints that are pending; in a job with barriers that overtake it does. Nothing of it
is in the system unless requests may wait.
A request that waits is one that was admitted and has no checkpoint yet, so that the queue needs no
cells but one for the timer's. Periodic requests are alike: one that waits stands for all. A stop's
savepoint does not wait, since a stop empties the queue before.
Left out: the pause after a checkpoint, and checkpoints that are still being cleaned up.
"""

from __future__ import annotations

from dataclasses import dataclass

from model.protocols.coordinator.checkpoints import CheckpointKind
from model.protocols.coordinator.triggering import Triggering, TriggeringOptions
from model.protocols.requests.requests import (
    CheckpointRequest,
    Request,
    RequestStatus,
    SavepointRequest,
)
from model.rules import (
    WEAK,
    Bool,
    Nothing,
    Setting,
    count,
    define,
    field,
    require,
    rule,
    step,
)


@dataclass(frozen=True)
class QueueingOptions(TriggeringOptions):
    """Options of requests that wait."""

    #: PL-1: how many requests may wait; with none a user asks when a checkpoint can be triggered
    queue: int = 0
    #: PL-1, JM-05: a periodic request that has waited looks whether they are still wanted
    rechecks_schedule: bool = True


class Queueing(Triggering):
    """A coordinator with which requests wait for their turn."""

    periodic_waits = field(Bool, False, ghost="queue")
    """The timer's request waits."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        #: Who may wait, in the order in which they are served.
        self.may_wait: tuple[Request, ...] = (*self.savepoint_requests, *self.checkpoint_requests)

    @property
    def room(self) -> int:
        """How many requests may wait: a plain number."""
        return int(self.options.queue)

    def keeps(self) -> frozenset[str]:
        return super().keeps() | ({"queue"} if self.room else set[str]())

    @define
    def waits(self, request: Request) -> bool:
        """Whether a request is in the queue."""
        return request.is_admitted and request.of == Nothing

    @define
    def is_full(self) -> bool:
        """PL-1: whether as many requests wait as may."""
        users = count(self.may_wait, self.waits)
        return users + (1 if self.periodic_waits else 0) >= self.room

    # --- into the queue --------------------------------------------------------------------------

    @rule
    def request_savepoint(self, request: SavepointRequest) -> None:
        """PL-1: a user asks for a savepoint."""
        if self.room:
            self.enqueue(request)
        else:
            super().request_savepoint(request)

    @rule
    def request_checkpoint(self, request: CheckpointRequest) -> None:
        """PL-1: a user asks for a checkpoint."""
        if self.room:
            self.enqueue(request)
        else:
            super().request_checkpoint(request)

    @step
    def enqueue(self, request: Request) -> None:
        """PL-1: in a full queue the timer's request gives way; if there is none the new one is
        refused, whatever it is for."""
        require(self.is_next(request), self.runs())
        if not self.is_full():
            request.status = RequestStatus.ADMITTED
        elif self.periodic_waits:
            self.periodic_waits = False
            request.status = RequestStatus.ADMITTED
        else:
            request.status = RequestStatus.FAILED

    @rule(fair=WEAK)
    def trigger_checkpoint(self) -> None:
        """PL-1, PL-2, PL-3: the timer asks for a checkpoint; it is triggered now, or waits."""
        if self.room:
            require(self.runs(), not self.periodic_waits, not self.is_full())
            self.periodic_waits = True
        else:
            super().trigger_checkpoint()

    # --- out of the queue ------------------------------------------------------------------------

    @define
    def is_in_front(self, request: Request) -> bool:
        """PL-1: whether no request that waits is served before this one."""
        ahead = self.may_wait[: self.may_wait.index(request)]
        return self.waits(request) and not any(self.waits(other) for other in ahead)

    def is_forced(self, request: Request) -> bool:
        """PL-1: whether a request is served however many checkpoints are pending."""
        return self.forces_savepoints and isinstance(request, SavepointRequest)

    @rule(fair=WEAK)
    def serve_request(self, request: Request) -> None:
        """PL-1: the first of the queue is triggered; if it cannot be, it is refused."""
        require(self.room > 0, request in self.may_wait)
        require(self.is_in_front(request), self.triggers_nothing())
        require(self.is_forced(request) or self.may_be_pending())
        savepoint = isinstance(request, SavepointRequest)
        self.serve(request, CheckpointKind.SAVEPOINT if savepoint else CheckpointKind.CHECKPOINT)

    @rule(fair=WEAK)
    def serve_periodic(self) -> None:
        """PL-1: nobody else waits: the timer's request is triggered, or dropped if not wanted."""
        require(self.room > 0, lambda: self.periodic_waits)
        if self.is_wanted():
            require(not self.is_behind())
            super().trigger_checkpoint()
        self.periodic_waits = False

    @define
    def is_behind(self) -> bool:
        """PL-1: whether somebody waits who is served before the timer."""
        return any(self.waits(request) for request in self.may_wait)

    @define
    def is_wanted(self) -> bool:
        """JM-05: whether periodic checkpoints are taken now, as the one who serves them sees it."""
        return self.runs() and (not self.options.rechecks_schedule or self.schedules())

    def refuse_queued(self) -> None:
        """SP-1, RC-1: what users have asked for and what waits is refused."""
        if self.room:
            for request in self.may_wait:
                self._refuse(request)

    @step
    def _refuse(self, request: Request) -> None:
        if self.waits(request):
            request.status = RequestStatus.FAILED
