"""Animals of the zoo that do what no rule may do, or get stuck."""

from collections.abc import Sequence

from finale.model.rules import (
    WEAK,
    Array,
    Bool,
    Entity,
    Nothing,
    Option,
    Protocol,
    Queue,
    Range,
    Record,
    Ref,
    Setting,
    Union,
    always,
    field,
    leads_to,
    part,
    require,
    rule,
    when,
)
from tests.zoo.animal import Animal


class Overflow(Protocol):
    """Puts without looking."""

    queue = field(Queue(Bool, 1), ())

    @rule
    def put(self) -> None:
        """A value is put, whether there is space or not."""
        self.queue.put(False)


# [] → [false] → fault: the step into the fault is no transition, but a step of the trace. A state
# whose only step is a fault is no deadlock: something happens.
OVERFLOW = Animal(
    Overflow, states=2, transitions=1, depth=1, expected={"well-formed": "violated 2"}
)


class Underflow(Protocol):
    """Takes without looking."""

    queue = field(Queue(Bool, 1), (True,))

    @rule
    def take(self) -> None:
        """A value is taken, whether there is one or not."""
        self.queue.take()


# [true] → [] → fault.
UNDERFLOW = Animal(
    Underflow, states=2, transitions=1, depth=1, expected={"well-formed": "violated 2"}
)


class Outgrown(Protocol):
    """Counts beyond its domain."""

    number = field(Range(0, 1), 0)

    @rule
    def tick(self) -> None:
        """One more."""
        self.number += 1


# 0 → 1 → fault.
OUTGROWN = Animal(
    Outgrown, states=2, transitions=1, depth=1, expected={"well-formed": "violated 2"}
)


class Forgetful(Protocol):
    """Copies an option as if it were always a value."""

    original = field(Option(Range(0, 1)), 0)
    copy = field(Range(0, 1), 1)

    @rule
    def forget(self) -> None:
        """The original is forgotten."""
        require(self.original != Nothing)
        self.original = Nothing

    @rule
    def duplicate(self) -> None:
        """The original is copied."""
        self.copy = self.original


# (original, copy): forget from (0, 1) and (0, 0); duplicate from the same two, once without effect.
# After forget, in (none, 1), duplicate is a fault.
FORGETFUL = Animal(
    Forgetful, states=4, transitions=4, depth=2, expected={"well-formed": "violated 2"}
)


class Unread(Forgetful):
    """The same, with a property that makes the same mistake."""


@always
def original_is_zero(forgetful: Unread) -> bool:
    """Reads the original where there is none: one step earlier than the rule does."""
    when(forgetful.copy >= 0)
    return forgetful.original + 1 == 1


UNREAD = Animal(
    Unread,
    states=4,
    transitions=4,
    depth=2,
    families=(original_is_zero,),
    expected={"well-formed": "violated 1"},
)


class Number(Record):
    """A message with a number."""

    value: int = part(Range(0, 1))


class Silence(Record):
    """A message without."""


class Mistaken(Protocol):
    """Reads a part of a record that may be of another class."""

    message = field(Union(Number, Silence), Number(1))
    number = field(Range(0, 1), 0)

    @rule
    def hush(self) -> None:
        """The message becomes silence."""
        require(self.message == Number)
        self.message = Silence()

    @rule
    def read(self) -> None:
        """The number of the message is read."""
        self.number = self.message.value


# (number 1, 0), (number 1, 1), (silence, 0), (silence, 1): hush from two, read from the same two.
MISTAKEN = Animal(
    Mistaken, states=4, transitions=4, depth=2, expected={"well-formed": "violated 2"}
)


class Overrun(Protocol):
    """Fills an array beyond its end."""

    slots = field(Array(Bool, 2), False)
    position = field(Range(0, 2), 0)

    @rule
    def fill(self) -> None:
        """The next slot is filled."""
        self.slots[self.position] = True
        self.position += 1


# 00 → 10 → 11 → fault: the index is outside before the position would be.
OVERRUN = Animal(Overrun, states=3, transitions=2, depth=2, expected={"well-formed": "violated 3"})


class Thread(Entity):
    """Takes two locks, one after the other, then gives both back."""

    held = field(Range(0, 2), 0)

    wanted: "tuple[Lock, Lock]"


class Lock(Entity):
    """Held by one thread at most."""

    owner = field(Option(Ref(Thread)), Nothing)


class Locks(Protocol):
    """Two threads that take two locks in opposite orders."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        left, right = Lock("left"), Lock("right")
        self.locks = (left, right)
        self.threads = (Thread("first"), Thread("second"))
        self.threads[0].wanted = (left, right)
        self.threads[1].wanted = (right, left)

    def entities(self) -> Sequence[Entity]:
        return (*self.threads, *self.locks)

    @rule(fair=WEAK)
    def advance(self, thread: Thread) -> None:
        """A thread takes the next lock that it wants, if it is free, or gives all back."""
        if thread.held == 2:
            for lock in self.locks:
                lock.owner = Nothing
            thread.held = 0
        else:
            lock = thread.wanted[0] if thread.held == 0 else thread.wanted[1]
            require(lock.owner == Nothing)
            lock.owner = thread
            thread.held += 1


@leads_to
def one_lock_leads_to_two(locks: Locks, thread: Thread) -> bool:
    """A thread that has a lock gets the other."""
    when(thread.held == 1)
    return thread.held == 2


# Held by (first, second): (0,0) → (1,0), (0,1); (1,0) → (2,0), (1,1); (0,1) → (0,2), (1,1);
# (2,0) → (0,0); (0,2) → (0,0); (1,1) is stuck, two steps away.
LOCKS = Animal(
    Locks,
    states=6,
    transitions=8,
    depth=2,
    families=(one_lock_leads_to_two,),
    expected={"no-deadlock": "violated 2", "one-lock-leads-to-two": "violated 2"},
)

FAULTS = (
    OVERFLOW,
    UNDERFLOW,
    OUTGROWN,
    FORGETFUL,
    UNREAD,
    MISTAKEN,
    OVERRUN,
    LOCKS,
)
