"""A bounded buffer with one condition variable: notify wakes any thread that waits.

With more threads than twice the places, a producer may wake a producer, and all wait forever.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from finale.rules import (
    EMPTY,
    Bound,
    Entity,
    Protocol,
    Range,
    Ref,
    Set,
    Setting,
    always,
    define,
    field,
    require,
    rule,
    when,
)

Number = Annotated[int, Range(1, Bound("threads"))]


class Thread(Entity):
    """Puts into the buffer, or takes from it."""

    puts: bool


@dataclass(frozen=True)
class Options:
    """Whom a thread wakes."""

    #: a thread wakes one of the other kind only
    wakes_other_kind: bool = False


@dataclass(frozen=True)
class Sizes:
    """How many there are."""

    #: how many threads there are, producers and consumers
    threads: int = 3
    #: how many of them are producers
    producers: int = 2
    #: how many elements the buffer holds
    capacity: int = 1


class BoundedBuffer(Protocol):
    """A thread that can go on wakes one that waits; otherwise it waits itself."""

    key = "bounded-buffer"
    Options = Options
    options: Options
    Sizes = Sizes
    sizes: Sizes

    filled = field(Range(0, Bound("capacity")), 0)
    waiting = field(Set(Ref(Thread)), EMPTY)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.threads = tuple(Thread(f"t{n + 1}") for n in range(self.sizes.threads))
        for n, thread in enumerate(self.threads):
            thread.puts = n < self.sizes.producers

    def entities(self) -> Sequence[Entity]:
        return self.threads

    @define
    def can_go_on(self, thread: Thread) -> bool:
        """Whether there is place to put, or something to take."""
        return self.filled < self.sizes.capacity if thread.puts else self.filled > 0

    def may_wake(self, thread: Thread, other: Thread) -> bool:
        """Whether a thread wakes another at all."""
        return thread.puts != other.puts or not self.options.wakes_other_kind

    @rule
    def go_on(self, thread: Thread, number: Number) -> None:
        """A thread puts or takes, and wakes one that waits."""
        woken = self.threads[number - 1]
        require(not self.waiting.has(thread), self.can_go_on(thread))
        wakes = [each for each in self.threads if self.may_wake(thread, each)]
        nobody = all(not self.waiting.has(each) for each in wakes)
        require((number == 1 and nobody) or (woken in wakes and self.waiting.has(woken)))
        if woken in wakes:
            self.waiting.remove(woken)
        if thread.puts:
            self.filled += 1
        else:
            self.filled -= 1

    @rule
    def wait(self, thread: Thread) -> None:
        """A thread that cannot go on waits."""
        require(not self.waiting.has(thread), not self.can_go_on(thread))
        self.waiting.add(thread)


@always
def somebody_is_awake(state: BoundedBuffer) -> bool:
    """Not all threads wait."""
    when(not state.waiting.is_empty)
    return state.waiting.size < len(state.threads)


PROTOCOLS = (BoundedBuffer,)
PROPERTIES = (somebody_is_awake,)
