"""Animals of the zoo that wait for what nobody can rely on: each of them is at a deadlock."""

from dataclasses import dataclass

from finale.model.rules import (
    UNFAIR,
    WEAK,
    Bool,
    Bound,
    Protocol,
    Range,
    define,
    field,
    require,
    rule,
    within,
)
from tests.zoo.animal import Animal


@dataclass(frozen=True)
class Faults:
    """How many faults are searched."""

    failures: int = 1
    expiries: int = 0


class Waits(Protocol):
    """Works, and then waits: only a failure moves it, which begins the work again."""

    Bounds = Faults
    bounds: Faults
    has_worked = field(Bool, False)
    failures = field(Range(0, Bound("failures")), 0)

    @rule(fair=WEAK)
    def work(self) -> None:
        """The work is done."""
        require(not self.has_worked)
        self.has_worked = True

    @rule
    def fail(self) -> None:
        """A failure undoes the work."""
        within(self.failures, self.bounds.failures)
        self.failures += 1
        self.has_worked = False


# Without a failure: work, and then only `fail` is enabled. After it: work, and then only the bound
# forbids `fail`. Both are deadlocks; the first one is one step away.
WAITS = Animal(Waits, states=4, transitions=4, depth=2, expected={"no-deadlock": "violated 1"})


class Pends(Protocol):
    """Is triggered, and then pending: only a time-out would end that, and none is searched."""

    Bounds = Faults
    bounds: Faults
    is_pending = field(Bool, False)
    expiries = field(Range(0, Bound("expiries")), 0)

    @rule(fair=WEAK)
    def trigger(self) -> None:
        """It is pending."""
        require(not self.is_pending)
        self.is_pending = True

    @rule
    def expire(self) -> None:
        """Its time is over."""
        require(self.is_pending)
        within(self.expiries, self.bounds.expiries)
        self.expiries += 1
        self.is_pending = False


PENDS = Animal(Pends, states=2, transitions=1, depth=1, expected={"no-deadlock": "violated 1"})


class Mail(Protocol):
    """A message is sent and received, or lost; no rule is fair, and two are marked as unfair."""

    place = field(Range(0, 3), 0)
    is_up = field(Bool, True)

    @rule
    def send(self) -> None:
        """The message is sent."""
        require(self.place == 0)
        self.place = 1

    @rule
    def receive(self) -> None:
        """The message is received."""
        require(self.place == 1)
        self.place = 2

    @rule(fair=UNFAIR)
    def lose(self) -> None:
        """The message is lost."""
        require(self.place == 1)
        self.place = 3

    @rule(fair=UNFAIR)
    def crash(self) -> None:
        """Somebody who does not matter crashes, or comes back."""
        self.is_up = not self.is_up

    @define
    def terminal(self) -> bool:
        return self.place == 2


# Four places of the message, up or down. Each state has a crash: 8; and twice send, receive, lose.
MAIL = Animal(Mail, states=8, transitions=14, depth=3, expected={"no-deadlock": "violated 2"})

PROGRESS = (WAITS, PENDS, MAIL)
