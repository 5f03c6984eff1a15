"""Animals of the zoo: sets, arrays, maps, options, references, helpers over several entities."""

from collections.abc import Sequence
from typing import Annotated

from finale.model.rules import (
    Array,
    Bool,
    Entity,
    Nothing,
    Option,
    PerEntity,
    Protocol,
    Range,
    Ref,
    Set,
    Setting,
    always,
    define,
    each,
    exists,
    field,
    forall,
    reachable,
    require,
    rule,
    step,
)
from tests.zoo.animal import Animal


class Client(Entity):
    """Wants the lease."""


class Lease(Protocol):
    """A lease that one client holds at a time; who has had it is remembered."""

    holder = field(Option(Ref(Client)), Nothing)
    served = field(PerEntity(Client, Bool), False)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.clients = (Client("ann"), Client("bob"))

    def entities(self) -> Sequence[Entity]:
        return self.clients

    @rule
    def acquire(self, client: Client) -> None:
        """A client takes a free lease."""
        require(self.holder == Nothing)
        self.holder = client

    @rule
    def release(self, client: Client) -> None:
        """The holder gives the lease back."""
        require(self.holder == client)
        self.served[self.holder] = True
        self.holder = Nothing


@reachable
def all_are_served(lease: Lease) -> bool:
    """Both clients have had the lease."""
    return all(lease.served[client] for client in lease.clients)


@always(witness="all-are-served")
def bob_waits_for_ann(lease: Lease, client: Client) -> bool:
    """A client other than the first is served after the first only: not so."""
    return client == lease.clients[0] or not lease.served[client] or lease.served[lease.clients[0]]


# holder in {none, ann, bob}, any set of served ones: 3 x 4 = 12 states. From the 4 with a free
# lease two steps, from the other 8 one: 16. The farthest: both served, and the lease taken again.
LEASE = Animal(
    Lease,
    states=12,
    transitions=16,
    depth=5,
    families=(all_are_served, bob_waits_for_ann),
    expected={"all-are-served": "holds 4", "bob-waits-for-ann": "violated 2"},
)


class Ballot(Protocol):
    """A set of three numbers; adding what is in changes nothing and is a step nevertheless."""

    members = field(Set(Range(0, 2)), frozenset())

    @rule
    def add(self, number: Annotated[int, Range(0, 2)]) -> None:
        """A number is added."""
        self.members.add(number)

    @rule
    def drop(self, number: Annotated[int, Range(0, 2)]) -> None:
        """A member is dropped."""
        require(number in self.members)
        self.members.remove(number)


@always(witness="is-full")
def has_room(ballot: Ballot) -> bool:
    """Some number is missing: not for long."""
    return ballot.members.size < 3


@reachable
def is_full(ballot: Ballot) -> bool:
    """All three are in."""
    return ballot.members.has(0) and ballot.members.has(1) and ballot.members.has(2)


# 8 subsets; 3 ways to add in each (24, 12 of them change nothing), one to drop each member (12).
BALLOT = Animal(
    Ballot,
    states=8,
    transitions=36,
    depth=3,
    families=(has_room, is_full),
    expected={"has-room": "violated 3", "is-full": "holds 3"},
)


class Wheel(Protocol):
    """Flips the slot that it points at, then points at the next."""

    slots = field(Array(Bool, 3), False)
    position = field(Range(0, 2), 0)

    @rule
    def flip(self) -> None:
        """Flip and go on."""
        self.slots[self.position] = not self.slots[self.position]
        self.position = self.position + 1 if self.position < 2 else 0


@reachable
def all_are_up(wheel: Wheel) -> bool:
    """All slots are true."""
    return wheel.slots[0] and wheel.slots[1] and wheel.slots[2]


# 000 → 100 → 110 → 111 → 011 → 001 → 000: a ring of six, one way.
WHEEL = Animal(
    Wheel,
    states=6,
    transitions=6,
    depth=5,
    families=(all_are_up,),
    expected={"all-are-up": "holds 3"},
)


class Node(Entity):
    """Knows the news or does not."""

    informed = field(Bool, False)


class Gossip(Protocol):
    """Who knows the news tells others; all may forget it at once."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.nodes = (Node("one"), Node("two"), Node("three"))

    def entities(self) -> Sequence[Entity]:
        return self.nodes

    @step
    def forget(self, node: Node) -> None:
        """One forgets, if it knew."""
        if node.informed:
            node.informed = False

    @define
    def all_know(self) -> bool:
        """Everybody knows."""
        return forall(self.nodes, lambda node: node.informed)

    @rule
    def hear(self, node: Node) -> None:
        """One hears the news where nobody knows it."""
        require(not exists(self.nodes, lambda each: each.informed))
        node.informed = True

    @rule
    def tell(self, source: Node, target: Node) -> None:
        """One tells another."""
        require(source.informed, not target.informed)
        target.informed = True

    @rule
    def forget_all(self) -> None:
        """When all know it, it is no news."""
        require(self.all_know())
        each(self.nodes, self.forget)


# 8 subsets. hear: 3 from the empty one; tell: 2 from each of the 3 single ones (1 x 2), 2 from each
# of the 3 pairs (2 x 1); forget: 1. Together 3 + 6 + 6 + 1.
GOSSIP = Animal(Gossip, states=8, transitions=16, depth=3)

STRUCTURES = (LEASE, BALLOT, WHEEL, GOSSIP)
