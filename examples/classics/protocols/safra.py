"""Safra's termination detection for messages that take time (EWD 998).

Each node counts the messages that it has sent less those that it has received; a token adds the
counts up, and is black if a node on its way has received something since.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from finale.rules import (
    WEAK,
    AnyOf,
    Bool,
    Bound,
    Entity,
    Protocol,
    Range,
    Ref,
    Setting,
    always,
    define,
    field,
    leads_to,
    require,
    rule,
    when,
    within,
)


class Station(Entity):
    """A node: whether it works, its colour, its count, and the messages under way to it."""

    is_active = field(Bool, AnyOf((False, True)))
    is_black = field(Bool, False)
    count = field(Range(-3, 3), 0)
    pending = field(Range(0, Bound("messages")), 0)


@dataclass(frozen=True)
class Options:
    """What a node does when it receives something."""

    #: a node that receives a message becomes black
    blackens: bool = True


@dataclass(frozen=True)
class Sizes:
    """How large the ring is."""

    #: how many nodes there are
    stations: int = 3


@dataclass(frozen=True)
class Bounds:
    """How much is explored."""

    #: how many messages are sent, three at most
    messages: int = 2


class Safra(Protocol):
    """The first node sends the token round until it comes back white, with the sum zero."""

    key = "safra"
    Options = Options
    options: Options
    Sizes = Sizes
    sizes: Sizes
    Bounds = Bounds
    bounds: Bounds

    at = field(Ref(Station), lambda self: self.stations[0])
    token_is_black = field(Bool, True)
    token_count = field(Range(-3, 3), 0)
    sent = field(Range(0, Bound("messages")), 0)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.stations = tuple(Station(f"n{n}") for n in range(self.sizes.stations))

    def entities(self) -> Sequence[Entity]:
        return self.stations

    @define
    def detected(self) -> bool:
        """Whether the first node knows that all is over."""
        first = self.stations[0]
        return (
            self.at == first
            and not self.token_is_black
            and not first.is_black
            and not first.is_active
            and self.token_count + first.count == 0
        )

    @define
    def terminated(self) -> bool:
        """Whether no node works, and no message is under way."""
        return all(not each.is_active and each.pending == 0 for each in self.stations)

    @define
    def terminal(self) -> bool:
        """Whether termination is detected, or a node can still work, which it may do forever."""
        return not self.terminated() or self.detected()

    @rule(fair=WEAK)
    def initiate(self) -> None:
        """The first node sends the token round again."""
        first = self.stations[0]
        require(self.at == first)
        require(self.token_is_black or first.is_black or self.token_count + first.count != 0)
        self.at = self.stations[-1]
        self.token_is_black = False
        self.token_count = 0
        first.is_black = False

    @rule(fair=WEAK)
    def pass_on(self, station: Station) -> None:
        """A node that does not work passes the token on, with its count and its colour."""
        require(station != self.stations[0], self.at == station, not station.is_active)
        self.at = self.stations[self.stations.index(station) - 1]
        self.token_count += station.count
        if station.is_black:
            self.token_is_black = True
        station.is_black = False

    @rule
    def send(self, station: Station, to: Station) -> None:
        """A node that works sends a message to another."""
        require(station != to, station.is_active)
        within(self.sent, self.bounds.messages)
        self.sent += 1
        station.count += 1
        to.pending += 1

    @rule
    def receive(self, station: Station) -> None:
        """A node receives a message, and works."""
        require(station.pending > 0)
        station.pending -= 1
        station.count -= 1
        station.is_active = True
        if self.options.blackens:
            station.is_black = True

    @rule
    def stop(self, station: Station) -> None:
        """A node stops to work."""
        require(station.is_active)
        station.is_active = False


@always
def detected_is_terminated(state: Safra) -> bool:
    """If termination is detected, no node works and no message is under way."""
    when(state.detected())
    return state.terminated()


@leads_to
def termination_is_found(state: Safra) -> bool:
    """If all is over, the first node comes to know it."""
    when(state.terminated())
    return state.detected()


PROTOCOLS = (Safra,)
PROPERTIES = (detected_is_terminated, termination_is_found)
