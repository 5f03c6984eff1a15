"""Dijkstra's self-stabilizing ring (EWD 426): from any state the ring comes to have one token.

As in the TLA+ examples (`ewd426/TokenRing.tla`): TLC counts 46 656 states for six nodes and values.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from finale.rules import (
    WEAK,
    AnyOf,
    Bound,
    Entity,
    Protocol,
    Range,
    Setting,
    always,
    before,
    define,
    eventually,
    field,
    on_step,
    require,
    rule,
    when,
)


class Machine(Entity):
    """A node of the ring with its counter."""

    value = field(Range(0, Bound("values") - 1), lambda self: AnyOf(tuple(range(self.values))))

    values: int
    previous: "Machine"


@dataclass(frozen=True)
class Sizes:
    """How large the ring is."""

    #: how many nodes the ring has
    nodes: int = 4
    #: how many values a counter has
    values: int = 4


class TokenRing(Protocol):
    """The first node counts on when its counter equals its neighbour's; the others copy."""

    key = "token-ring"
    Sizes = Sizes
    sizes: Sizes

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.nodes = tuple(Machine(f"m{n}") for n in range(self.sizes.nodes))
        for n, node in enumerate(self.nodes):
            node.values = int(self.sizes.values)
            node.previous = self.nodes[n - 1]

    def entities(self) -> Sequence[Entity]:
        return self.nodes

    @define
    def has_token(self, node: Machine) -> bool:
        """Whether a node may move."""
        if node == self.nodes[0]:
            return node.value == node.previous.value
        return node.value != node.previous.value

    @define
    def is_stable(self) -> bool:
        """Whether exactly one node may move."""
        return sum(1 if self.has_token(node) else 0 for node in self.nodes) == 1

    @rule(fair=WEAK)
    def create(self) -> None:
        """The first node counts on."""
        first = self.nodes[0]
        require(self.has_token(first))
        last = int(self.sizes.values) - 1
        first.value = 0 if first.value == last else first.value + 1

    @rule(fair=WEAK)
    def copy(self, node: Machine) -> None:
        """Another node copies its neighbour's counter."""
        require(node != self.nodes[0], self.has_token(node))
        node.value = node.previous.value


@always
def some_node_may_move(state: TokenRing) -> bool:
    """In every state some node has a token."""
    when(state.nodes[0].value >= 0)
    return any(state.has_token(node) for node in state.nodes)


@on_step
def one_token_stays_one(state: TokenRing) -> bool:
    """When there is one token, there is one after the next step."""
    when(before(state.is_stable))
    return state.is_stable()


@eventually
def ring_stabilizes(state: TokenRing) -> bool:
    """The ring comes to have one token."""
    return state.is_stable()


PROTOCOLS = (TokenRing,)
PROPERTIES = (some_node_may_move, one_token_stays_one, ring_stabilizes)
