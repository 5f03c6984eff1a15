"""Reliable broadcast with Byzantine processes (Srikanth and Toueg, 1987, Fig. 7), in one round.

As in the TLA+ examples (`bcastByz/bcastByz.tla`), but the last processes are the faulty ones. TLC
lists 14 424 states for four processes: 3 606 for each choice of the faulty one.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from finale.rules import (
    EMPTY,
    AnyOf,
    Bound,
    Entity,
    Enum,
    Protocol,
    Range,
    Ref,
    Set,
    Setting,
    always,
    define,
    field,
    reachable,
    require,
    rule,
    when,
)

Subset = Annotated[int, Range(0, Bound("subsets") - 1)]
"""A set of processes: bit number n says whether process n is in the set."""


class Status(enum.Enum):
    UNTOLD = "has not got the message of the transmitter"
    TOLD = "has got the message of the transmitter"
    ECHOED = "has sent an echo"
    ACCEPTED = "has sent an echo and accepted"


class Peer(Entity):
    """A process, as another process names it."""


class Process(Peer):
    """A process: how far it is, and whose echoes it has received."""

    status = field(Enum(Status), AnyOf((Status.UNTOLD, Status.TOLD)))
    received = field(Set(Ref(Peer)), EMPTY)


@dataclass(frozen=True)
class BroadcastSizes:
    """How many processes there are."""

    #: all processes
    processes: int = 4
    #: how many processes the algorithm tolerates
    tolerated: int = 1
    #: how many processes are faulty
    faulty: int = 1
    #: 2 to the power of `processes`
    subsets: int = 16


class ByzantineBroadcast(Protocol):
    """Processes receive a set of echoes at once; faulty processes can have sent any echo."""

    key = "byzantine-broadcast"
    Sizes = BroadcastSizes
    sizes: BroadcastSizes

    sent = field(Set(Ref(Process)), EMPTY)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        count = int(self.sizes.processes)
        self.processes = tuple(Process(f"p{n + 1}") for n in range(count))
        self.correct = self.processes[: count - int(self.sizes.faulty)]
        self.few = count - 2 * int(self.sizes.tolerated)
        self.many = count - int(self.sizes.tolerated)

    def entities(self) -> Sequence[Entity]:
        return self.processes

    @define
    def is_silent(self, process: Process) -> bool:
        """Whether a process has sent no echo."""
        return any(process.status == each for each in (Status.UNTOLD, Status.TOLD))

    def receive(self, process: Process, subset: int) -> None:
        """A correct process receives echoes that it has not received yet."""
        require(process in self.correct)
        senders = [each for n, each in enumerate(self.processes) if subset >> n & 1]
        for sender in senders:
            require(not process.received.has(sender))
            require(sender not in self.correct or self.sent.has(sender))
        for sender in senders:
            process.received.add(sender)

    @rule
    def echo(self, process: Process, subset: Subset) -> None:
        """A process that is told, or has enough echoes to trust them, sends an echo."""
        require(self.is_silent(process))
        self.receive(process, subset)
        size = process.received.size
        require(process.status == Status.TOLD or self.few <= size < self.many)
        process.status = Status.ECHOED
        self.sent.add(process)

    @rule
    def accept(self, process: Process, subset: Subset) -> None:
        """A process with the echoes of enough processes accepts."""
        require(process.status != Status.ACCEPTED)
        self.receive(process, subset)
        require(process.received.size >= self.many)
        process.status = Status.ACCEPTED
        self.sent.add(process)


@always(witness="somebody-accepts")
def senders_have_echoed(state: ByzantineBroadcast, process: Process) -> bool:
    """The echo of a process is sent exactly if the process has sent it."""
    has_sent = not state.is_silent(process)
    return state.sent.has(process) == has_sent


@always(witness="somebody-accepts")
def echoes_are_sent(state: ByzantineBroadcast, process: Process) -> bool:
    """A process receives no echo of a correct process that has not sent one."""
    return all(state.sent.has(each) or not process.received.has(each) for each in state.correct)


@always
def accepted_with_many(state: ByzantineBroadcast, process: Process) -> bool:
    """A process accepts only with the echoes of enough processes."""
    when(process.status == Status.ACCEPTED)
    return process.received.size >= state.many


@reachable
def somebody_accepts(state: ByzantineBroadcast) -> bool:
    """A process can accept."""
    return any(each.status == Status.ACCEPTED for each in state.processes)


PROTOCOLS = (ByzantineBroadcast,)
PROPERTIES = (senders_have_echoed, echoes_are_sent, accepted_with_many, somebody_accepts)
