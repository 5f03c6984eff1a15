"""Lamport's distributed mutual exclusion with logical clocks (CACM 1978).

As in the TLA+ examples (`lamport_mutex/LamportMutex.tla`); a clock that is at its bound receives no
more requests.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from finale.rules import (
    EMPTY,
    Bool,
    Bound,
    Entity,
    PerEntity,
    Protocol,
    Queue,
    Range,
    Record,
    Ref,
    Set,
    Setting,
    Union,
    always,
    define,
    field,
    part,
    reachable,
    require,
    rule,
    when,
    within,
)


class Ask(Record):
    """A request with the clock of its sender."""

    clock: int = part(Range(1, Bound("clock")))


class Acknowledge(Record):
    """A request was received."""


class Release(Record):
    """The sender has left."""


class Site(Entity):
    """A process: its clock, whether it is in the critical section."""

    clock = field(Range(1, Bound("clock")), 1)
    is_critical = field(Bool, False)


@dataclass(frozen=True)
class Options:
    """What a process waits for."""

    #: a process waits for an answer of each other process
    waits_for_all: bool = True


@dataclass(frozen=True)
class Sizes:
    """How many there are."""

    #: how many processes there are
    sites: int = 2


@dataclass(frozen=True)
class Bounds:
    """How much is explored."""

    #: how far the clocks go
    clock: int = 4


class LamportMutex(Protocol):
    """A process enters when all know of its request and none has an older one."""

    key = "lamport-mutex"
    Options = Options
    options: Options
    Sizes = Sizes
    sizes: Sizes
    Bounds = Bounds
    bounds: Bounds

    requests = field(PerEntity(Site, PerEntity(Site, Range(0, Bound("clock")))), 0)
    answered = field(PerEntity(Site, Set(Ref(Site))), EMPTY)
    network = field(
        PerEntity(Site, PerEntity(Site, Queue(Union(Ask, Acknowledge, Release), 3))), ()
    )

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.sites = tuple(Site(f"s{n + 1}") for n in range(self.sizes.sites))

    def entities(self) -> Sequence[Entity]:
        return self.sites

    def others(self, site: Site) -> tuple[Site, ...]:
        """All processes but one."""
        return tuple(each for each in self.sites if each != site)

    @define
    def beats(self, site: Site, other: Site) -> bool:
        """Whether a process knows of no older request of another."""
        mine, theirs = self.requests[site][site], self.requests[site][other]
        tie = self.sites.index(site) < self.sites.index(other)
        return theirs == 0 or mine < theirs or (mine == theirs and tie)

    @rule
    def ask(self, site: Site) -> None:
        """A process asks all others."""
        require(self.requests[site][site] == 0)
        self.requests[site][site] = site.clock
        for other in self.others(site):
            self.network[site][other].put(Ask(clock=site.clock))
        self.answered[site].clear()
        self.answered[site].add(site)

    @rule
    def receive_request(self, site: Site, other: Site) -> None:
        """A process gets a request, and answers."""
        require(site != other)
        match self.network[other][site].head:
            case Ask(clock=clock):
                within(site.clock if site.clock > clock else clock, self.bounds.clock)
                self.requests[site][other] = clock
                site.clock = (site.clock if site.clock > clock else clock) + 1
                self.network[other][site].take()
                self.network[site][other].put(Acknowledge())
            case _:
                require(False)

    @rule
    def receive_answer(self, site: Site, other: Site) -> None:
        """A process gets an answer."""
        require(site != other)
        match self.network[other][site].head:
            case Acknowledge():
                self.answered[site].add(other)
                self.network[other][site].take()
            case _:
                require(False)

    @rule
    def receive_release(self, site: Site, other: Site) -> None:
        """A process learns that another has left."""
        require(site != other)
        match self.network[other][site].head:
            case Release():
                self.requests[site][other] = 0
                self.network[other][site].take()
            case _:
                require(False)

    @rule
    def enter(self, site: Site) -> None:
        """A process enters when all have answered, and its request is the oldest."""
        if self.options.waits_for_all:
            require(self.answered[site].size == len(self.sites))
        else:
            require(self.answered[site].has(site))
        require(all(self.beats(site, other) for other in self.others(site)))
        site.is_critical = True

    @rule
    def leave(self, site: Site) -> None:
        """A process leaves, and tells all others."""
        require(site.is_critical)
        site.is_critical = False
        self.requests[site][site] = 0
        self.answered[site].clear()
        for other in self.others(site):
            self.network[site][other].put(Release())


@always
def one_site_is_critical(state: LamportMutex, site: Site) -> bool:
    """At most one process is in its critical section."""
    when(site.is_critical)
    return all(not other.is_critical for other in state.others(site))


@reachable
def each_site_enters(state: LamportMutex, site: Site) -> bool:
    """Each process can enter."""
    return site.is_critical


PROTOCOLS = (LamportMutex,)
PROPERTIES = (one_site_is_critical, each_site_enters)
