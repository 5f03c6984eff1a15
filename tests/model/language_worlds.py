"""A protocol with nodes, bounds and options, for tests of how systems are built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from finale.model.rules import (
    Bool,
    Bound,
    Entity,
    Protocol,
    Range,
    Setting,
    field,
    require,
    rule,
    within,
)


class Node(Entity):
    """An entity."""

    number = field(Range(0, 2), 0)


class Leaf(Node):
    """An entity of a subclass, with a field more."""

    flag = field(Bool, False)


@dataclass(frozen=True)
class Bounds:
    """Two bounds."""

    steps: int = 2
    length: int = 1


@dataclass(frozen=True)
class Sizes:
    """A size."""

    nodes: int = 1


@dataclass(frozen=True)
class Options:
    """An option."""

    doubled: bool = False


class Base(Protocol):
    """Nodes and a leaf."""

    key = "base"
    Bounds = Bounds
    Sizes = Sizes
    Options = Options
    ghosts = ("history",)

    taken = field(Range(0, Bound("steps")), 0)
    history = field(Bool, False, ghost="history")

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.nodes = (*(Node(f"n{i}") for i in range(self.sizes.nodes)), Leaf("leaf"))

    def entities(self) -> Sequence[Entity]:
        return self.nodes


class Lower(Base):
    """Two rules."""

    @rule
    def first(self) -> None:
        """Counts."""
        within(self.taken, self.bounds.steps)
        self.taken += 1

    @rule
    def second(self) -> None:
        """Starts again."""
        require(self.taken == 2)
        self.taken = 0
