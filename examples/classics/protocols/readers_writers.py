"""Readers and writers, served in the order in which they ask (Courtois, Heymans, Parnas 1971).

As in the TLA+ examples (`ReadersWriters/ReadersWriters.tla`): TLC counts 21 527 states for three.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from finale.rules import (
    EMPTY,
    WEAK,
    Bound,
    Entity,
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
    leads_to,
    part,
    require,
    rule,
    when,
)

Number = Annotated[int, Range(1, Bound("actors"))]


class Actor(Entity):
    """Reads and writes."""


class Read(Record):
    """A request to read."""

    actor: Actor = part(Ref(Actor))


class Write(Record):
    """A request to write."""

    actor: Actor = part(Ref(Actor))


@dataclass(frozen=True)
class Sizes:
    """How many there are."""

    #: how many read and write
    actors: int = 2


@dataclass(frozen=True)
class Options:
    """Who may go in."""

    #: a writer waits until nobody reads
    writer_waits: bool = True


class ReadersWriters(Protocol):
    """Requests wait in one queue; several may read at once, one writes alone."""

    key = "readers-writers"
    Sizes = Sizes
    sizes: Sizes
    Options = Options
    options: Options

    readers = field(Set(Ref(Actor)), EMPTY)
    writers = field(Set(Ref(Actor)), EMPTY)
    waiting = field(Queue(Union(Read, Write), 6), ())

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.actors = tuple(Actor(f"a{n + 1}") for n in range(self.sizes.actors))

    def entities(self) -> Sequence[Entity]:
        return self.actors

    @rule(fair=WEAK)
    def try_to_read(self, actor: Actor) -> None:
        """An actor that does not wait to read asks to read."""
        require(not self.waiting.holds(Read(actor=actor)))
        self.waiting.put(Read(actor=actor))

    @rule(fair=WEAK)
    def try_to_write(self, actor: Actor) -> None:
        """An actor that does not wait to write asks to write."""
        require(not self.waiting.holds(Write(actor=actor)))
        self.waiting.put(Write(actor=actor))

    @rule(fair=WEAK)
    def let_in(self) -> None:
        """The first in the queue goes in, if nobody writes, and to write nobody reads."""
        require(self.writers.is_empty)
        match self.waiting.head:
            case Read(actor=actor):
                self.readers.add(actor)
                self.waiting.take()
            case Write(actor=actor):
                require(self.readers.is_empty or not self.options.writer_waits)
                self.writers.add(actor)
                self.waiting.take()
            case _:
                require(False)

    @rule(fair=WEAK)
    def stop(self, number: Number) -> None:
        """Somebody stops: to read, or else to write."""
        actor = self.actors[number - 1]
        require(self.readers.has(actor) or self.writers.has(actor))
        if self.readers.has(actor):
            self.readers.remove(actor)
        else:
            self.writers.remove(actor)

    @define
    def is_quiet(self) -> bool:
        """Whether nobody reads."""
        return self.readers.is_empty


@always
def writers_are_alone(state: ReadersWriters) -> bool:
    """While one writes nobody reads, and nobody else writes."""
    when(not state.writers.is_empty)
    return state.is_quiet() and state.writers.size == 1


@leads_to
def each_reads(state: ReadersWriters, actor: Actor) -> bool:
    """An actor that does not read comes to read."""
    when(not state.readers.has(actor))
    return state.readers.has(actor)


@leads_to
def each_writes(state: ReadersWriters, actor: Actor) -> bool:
    """An actor that does not write comes to write."""
    when(not state.writers.has(actor))
    return state.writers.has(actor)


@leads_to
def each_stops_reading(state: ReadersWriters, actor: Actor) -> bool:
    """An actor that reads stops."""
    when(state.readers.has(actor))
    return not state.readers.has(actor)


PROTOCOLS = (ReadersWriters,)
PROPERTIES = (writers_are_alone, each_reads, each_writes, each_stops_reading)
