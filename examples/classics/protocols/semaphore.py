"""Processes that share one binary semaphore: the place where weak and strong fairness differ.

A waiting process is enabled again and again, and not all the time: with weak fairness it may wait
forever, with strong fairness it enters.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from finale.rules import (
    STRONG,
    WEAK,
    Entity,
    Enum,
    Protocol,
    Setting,
    always,
    define,
    field,
    leads_to,
    require,
    rule,
    when,
)


class At(enum.Enum):
    """Where a process is."""

    IDLE = 0
    WAITING = 1
    CRITICAL = 2


class Customer(Entity):
    """A process that wants the semaphore."""

    at = field(Enum(At), At.IDLE)


@dataclass(frozen=True)
class Sizes:
    """How many processes there are."""

    #: how many processes there are
    customers: int = 3


class Semaphore(Protocol):
    """A process waits, takes the semaphore if it is free, and gives it back."""

    key = "semaphore"
    Sizes = Sizes
    sizes: Sizes

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.customers = tuple(Customer(f"c{n + 1}") for n in range(self.sizes.customers))

    def entities(self) -> Sequence[Entity]:
        return self.customers

    @define
    def terminal(self) -> bool:
        """Whether no process has the semaphore or waits for it: none need ask again."""
        return all(each.at == At.IDLE for each in self.customers)

    @rule
    def ask(self, customer: Customer) -> None:
        """A process begins to wait."""
        require(customer.at == At.IDLE)
        customer.at = At.WAITING

    @rule(fair=WEAK)
    def take(self, customer: Customer) -> None:
        """A waiting process takes the semaphore if it is free."""
        require(customer.at == At.WAITING)
        require(all(each.at != At.CRITICAL for each in self.customers))
        customer.at = At.CRITICAL

    @rule(fair=WEAK)
    def release(self, customer: Customer) -> None:
        """A process gives the semaphore back."""
        require(customer.at == At.CRITICAL)
        customer.at = At.IDLE


class StrongSemaphore(Semaphore):
    """The semaphore is strongly fair."""

    @rule(fair=STRONG)
    def take(self, customer: Customer) -> None:
        """A waiting process takes the semaphore if it is free; it is not passed over forever."""
        super().take(customer)


@always
def one_holds_the_semaphore(state: Semaphore, customer: Customer) -> bool:
    """At most one process has the semaphore."""
    when(customer.at == At.CRITICAL)
    return all(each.at != At.CRITICAL for each in state.customers if each != customer)


@leads_to
def semaphore_lets_in(state: Semaphore, customer: Customer) -> bool:
    """A process that waits gets the semaphore."""
    when(customer.at == At.WAITING)
    return customer.at == At.CRITICAL


PROTOCOLS = (Semaphore,)
VARIANTS = {"strongly-fair": StrongSemaphore}
PROPERTIES = (one_holds_the_semaphore, semaphore_lets_in)
