"""Dining philosophers (Dijkstra, EWD 310): each takes the forks beside it, one after the other.

If all take the left fork first, they deadlock. If the last one takes the right fork first, they do
not, and with strong fairness each philosopher eats.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from finale.rules import (
    STRONG,
    WEAK,
    Entity,
    Enum,
    Nothing,
    Option,
    Protocol,
    Ref,
    Setting,
    always,
    field,
    leads_to,
    require,
    rule,
    when,
)


class At(enum.Enum):
    """What a philosopher does."""

    THINKING = 0
    HUNGRY = 1
    HALF = 2
    EATING = 3


class Guest(Entity):
    """A philosopher, and the two forks in the order in which it takes them."""

    at = field(Enum(At), At.THINKING)

    first: "Fork"
    second: "Fork"


class Fork(Entity):
    """Lies on the table, or is held."""

    holder = field(Option(Ref(Guest)), Nothing)


@dataclass(frozen=True)
class Options:
    """How deadlock is prevented."""

    #: the last philosopher takes the right fork first
    last_is_right_handed: bool = True


@dataclass(frozen=True)
class Sizes:
    """How many sit at the table."""

    #: how many sit at the table
    guests: int = 3


class Philosophers(Protocol):
    """A philosopher gets hungry, takes two forks, eats, and puts both back at once."""

    key = "philosophers"
    Options = Options
    options: Options
    Sizes = Sizes
    sizes: Sizes

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        number = self.sizes.guests
        self.guests = tuple(Guest(f"g{n + 1}") for n in range(number))
        self.forks = tuple(Fork(f"f{n + 1}") for n in range(number))
        for n, guest in enumerate(self.guests):
            left, right = self.forks[n], self.forks[(n + 1) % number]
            swaps = self.options.last_is_right_handed and n == number - 1
            guest.first, guest.second = (right, left) if swaps else (left, right)

    def entities(self) -> Sequence[Entity]:
        return (*self.guests, *self.forks)

    @rule(fair=WEAK)
    def get_hungry(self, guest: Guest) -> None:
        """A philosopher gets hungry."""
        require(guest.at == At.THINKING)
        guest.at = At.HUNGRY

    @rule(fair=WEAK)
    def take_first(self, guest: Guest) -> None:
        """A hungry philosopher takes its first fork."""
        require(guest.at == At.HUNGRY, guest.first.holder == Nothing)
        guest.first.holder = guest
        guest.at = At.HALF

    @rule(fair=WEAK)
    def take_second(self, guest: Guest) -> None:
        """A philosopher with one fork takes the other."""
        require(guest.at == At.HALF, guest.second.holder == Nothing)
        guest.second.holder = guest
        guest.at = At.EATING

    @rule(fair=WEAK)
    def put_back(self, guest: Guest) -> None:
        """A philosopher has eaten, and puts both forks back."""
        require(guest.at == At.EATING)
        guest.first.holder = Nothing
        guest.second.holder = Nothing
        guest.at = At.THINKING


class StrongPhilosophers(Philosophers):
    """A fork that is free again and again is taken."""

    @rule(fair=STRONG)
    def take_first(self, guest: Guest) -> None:
        """A hungry philosopher takes its first fork, and is not passed over forever."""
        super().take_first(guest)

    @rule(fair=STRONG)
    def take_second(self, guest: Guest) -> None:
        """A philosopher with one fork takes the other, and is not passed over forever."""
        super().take_second(guest)


@always
def neighbours_take_turns(state: Philosophers, guest: Guest) -> bool:
    """Two philosophers who share a fork never eat together."""
    when(guest.at == At.EATING)
    return guest.first.holder == guest and guest.second.holder == guest


@leads_to
def each_philosopher_eats(state: Philosophers, guest: Guest) -> bool:
    """A hungry philosopher eats."""
    when(guest.at == At.HUNGRY)
    return guest.at == At.EATING


PROTOCOLS = (Philosophers,)
VARIANTS = {"strongly-fair": StrongPhilosophers}
PROPERTIES = (neighbours_take_turns, each_philosopher_eats)
