"""Leader election on a ring (Chang and Roberts, "An improved algorithm …", 1979).

As in the TLA+ examples (`chang_roberts/ChangRoberts.tla`): the messages that wait for a node are a
set, and any subset of the nodes begins. TLC counts 137 states for three nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from finale.rules import (
    EMPTY,
    WEAK,
    AnyOf,
    Bool,
    Bound,
    Entity,
    PerEntity,
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

Number = Annotated[int, Range(1, Bound("nodes"))]


class Node(Entity):
    """A node of the ring; earlier nodes have smaller identities, and the smallest one wins."""

    begins = field(Bool, AnyOf((False, True)))
    has_started = field(Bool, False)
    has_lost = field(Bool, False)
    has_won = field(Bool, False)

    next: "Node"


@dataclass(frozen=True)
class Options:
    """What a node does with the identity of another."""

    #: a candidate does not pass on larger identities than its own
    filters: bool = True


@dataclass(frozen=True)
class Sizes:
    """How large the ring is."""

    #: how many nodes the ring has
    nodes: int = 3


class ElectionRing(Protocol):
    """A node that begins sends its identity around; the node that gets its own back has won."""

    key = "election-ring"
    Options = Options
    options: Options
    Sizes = Sizes
    sizes: Sizes

    inbox = field(PerEntity(Node, Set(Ref(Node))), EMPTY)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.nodes = tuple(Node(f"n{n + 1}") for n in range(self.sizes.nodes))
        for n, node in enumerate(self.nodes):
            node.next = self.nodes[(n + 1) % len(self.nodes)]

    def entities(self) -> Sequence[Entity]:
        return self.nodes

    @define
    def terminal(self) -> bool:
        return all(node.has_started and self.inbox[node].is_empty for node in self.nodes)

    @define
    def is_candidate(self, node: Node) -> bool:
        """Whether a node can still win."""
        return node.begins and not node.has_lost and not node.has_won

    @rule(fair=WEAK)
    def start(self, node: Node) -> None:
        """A node starts; if it begins an election it sends its identity to the next one."""
        require(not node.has_started)
        node.has_started = True
        if node.begins:
            self.inbox[node.next].add(node)

    @rule(fair=WEAK)
    def receive(self, node: Node, number: Number) -> None:
        """A node receives an identity: passes it on, and loses; or drops it; or wins."""
        sender = self.nodes[number - 1]
        require(node.has_started, self.inbox[node].has(sender))
        self.inbox[node].remove(sender)
        smaller = number - 1 < self.nodes.index(node)
        if self.is_candidate(node):
            if smaller or (sender != node and not self.options.filters):
                self.inbox[node.next].add(sender)
            if smaller:
                node.has_lost = True
            if sender == node:
                node.has_won = True
        elif not (node.begins and node.has_won):
            self.inbox[node.next].add(sender)


@always
def smallest_wins(state: ElectionRing, node: Node) -> bool:
    """If a node wins, it has begun, all others know that they lost, and it is the smallest."""
    when(node.has_won)
    return node.begins and all(
        (not other.begins or other.has_lost)
        and (not other.begins or state.nodes.index(other) > state.nodes.index(node))
        for other in state.nodes
        if other != node
    )


@leads_to
def somebody_wins(state: ElectionRing) -> bool:
    """If some node is a candidate, some node wins."""
    when(any(state.is_candidate(node) for node in state.nodes))
    return any(node.has_won for node in state.nodes)


PROTOCOLS = (ElectionRing,)
PROPERTIES = (smallest_wins, somebody_wins)
