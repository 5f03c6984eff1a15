"""A resource allocator (Merz): clients ask for sets of resources and get them piece by piece.

As in the TLA+ examples (`allocator/SimpleAllocator.tla`): TLC counts 400 states for three clients
and two resources.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from finale.rules import (
    EMPTY,
    STRONG,
    WEAK,
    Entity,
    Protocol,
    Range,
    Ref,
    Set,
    Setting,
    always,
    define,
    field,
    leads_to,
    require,
    rule,
    when,
)

#: A set of resources as a number: bit n stands for resource n.
Subset = Annotated[int, Range(0, 3)]


class Resource(Entity):
    """Something that one client has at a time."""


class Client(Entity):
    """A client: what it still waits for, and what it has."""

    waits_for = field(Set(Ref(Resource)), EMPTY)
    has = field(Set(Ref(Resource)), EMPTY)


@dataclass(frozen=True)
class Sizes:
    """How many clients there are."""

    #: how many clients there are
    clients: int = 3


class Allocator(Protocol):
    """A client without resources asks for some; the allocator hands out what is free."""

    key = "allocator"
    Sizes = Sizes
    sizes: Sizes

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.clients = tuple(Client(f"c{n + 1}") for n in range(self.sizes.clients))
        self.resources = (Resource("r1"), Resource("r2"))

    def entities(self) -> Sequence[Entity]:
        return (*self.clients, *self.resources)

    def named(self, subset: int) -> tuple[Resource, ...]:
        """The resources of a subset."""
        return tuple(r for n, r in enumerate(self.resources) if subset >> n & 1)

    @define
    def is_free(self, resource: Resource) -> bool:
        """Whether no client has a resource."""
        return all(not client.has.has(resource) for client in self.clients)

    @define
    def terminal(self) -> bool:
        """Whether no client has a resource or waits for one: no client need ask again."""
        return all(each.has.is_empty and each.waits_for.is_empty for each in self.clients)

    @rule
    def request(self, client: Client, subset: Subset) -> None:
        """A client that has nothing and waits for nothing asks for some resources."""
        require(len(self.named(subset)) > 0)
        require(client.waits_for.is_empty, client.has.is_empty)
        for resource in self.named(subset):
            client.waits_for.add(resource)

    @rule(fair=STRONG)
    def allocate(self, client: Client, subset: Subset) -> None:
        """The allocator hands a client some free resources that it waits for."""
        require(len(self.named(subset)) > 0)
        for resource in self.named(subset):
            require(client.waits_for.has(resource), self.is_free(resource))
        for resource in self.named(subset):
            client.waits_for.remove(resource)
            client.has.add(resource)

    @rule
    def give_back_some(self, client: Client, subset: Subset) -> None:
        """A client gives some of its resources back, and keeps others."""
        require(len(self.named(subset)) > 0)
        for resource in self.named(subset):
            require(client.has.has(resource))
        require(client.has.size > len(self.named(subset)))
        for resource in self.named(subset):
            client.has.remove(resource)

    @rule(fair=WEAK)
    def give_back_all(self, client: Client) -> None:
        """A client gives all its resources back."""
        require(not client.has.is_empty)
        client.has.clear()


@always
def resource_has_one_owner(state: Allocator, client: Client, resource: Resource) -> bool:
    """No two clients have the same resource."""
    when(client.has.has(resource))
    return all(not each.has.has(resource) for each in state.clients if each != client)


@leads_to
def clients_return(state: Allocator, client: Client) -> bool:
    """A client that waits for nothing comes to have nothing."""
    when(client.waits_for.is_empty)
    return client.has.is_empty


@leads_to
def clients_obtain(state: Allocator, client: Client, resource: Resource) -> bool:
    """A client gets each resource that it waits for."""
    when(client.waits_for.has(resource))
    return client.has.has(resource)


@leads_to
def clients_are_satisfied(state: Allocator, client: Client) -> bool:
    """Again and again a client waits for nothing."""
    when(not client.waits_for.is_empty)
    return client.waits_for.is_empty


class WeakAllocator(Allocator):
    """The allocator is fair only to those whom it could serve all the time."""

    @rule(fair=WEAK)
    def allocate(self, client: Client, subset: Subset) -> None:
        """The allocator hands a client some free resources that it waits for."""
        super().allocate(client, subset)


PROTOCOLS = (Allocator,)
VARIANTS = {"weakly-fair": WeakAllocator}
PROPERTIES = (resource_has_one_owner, clients_return, clients_obtain, clients_are_satisfied)
