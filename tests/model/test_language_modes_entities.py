"""Members, entities and quantifiers over them mean the same on plain values and in trees."""

from __future__ import annotations

import pytest

from finale.model.rules import (
    Entity,
    Enum,
    Nothing,
    NothingType,
    Option,
    Ref,
    Setting,
    count,
    each,
    exists,
    field,
    forall,
)
from tests.model.language_kit import Alone, Case, Colour, assert_agree_on, case_of

CASES: list[Case] = []
case = case_of(CASES)


class Node(Entity):
    """An entity that refers to others."""

    leader = field(Option(Ref(Entity)), Nothing)


class Leaf(Node):
    """A kind of node."""


vars(Node)["leader"].domain = Option(Ref(Leaf))  # a class cannot name what is defined after it


class Picks(Alone):
    """Colours and references."""

    colour = field(Enum(Colour), Colour.RED)
    other = field(Enum(Colour), Colour.RED)
    chosen = field(Ref(Node), lambda self: self.nodes[0])
    leaf = field(Option(Ref(Leaf)), Nothing)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.nodes = (Node("a"), Leaf("b"), Leaf("c"))

    def entities(self) -> tuple[Entity, ...]:
        return self.nodes


@case(Picks, "update")
def compares_members(self: Picks) -> None:
    """Compares members."""
    if self.colour == Colour.GREEN or self.other != Colour.RED:
        self.colour = self.other
    else:
        self.other = Colour.BLUE


@case(Picks, "update")
def matches_members(self: Picks) -> None:
    """Matches members by their names."""
    match self.colour:
        case Colour.RED | Colour.GREEN:
            self.other = Colour.BLUE
        case Colour.BLUE:
            self.other = self.colour


@case(Picks, "update")
def reads_a_member(self: Picks) -> None:
    """What a member has splits into cases."""
    self.other = Colour.GREEN if self.colour.value == "red" else Colour.RED


@case(Picks, "update")
def members_in_tuples(self: Picks) -> None:
    """Looks into a tuple of members."""
    if self.colour in (Colour.RED, self.other) and self.colour not in (Colour.GREEN,):
        self.other = Colour.GREEN
    else:
        self.other = Colour.RED


@case(Picks, "update")
def compares_entities(self: Picks) -> None:
    """Compares entities of related classes."""
    if self.chosen == self.leaf or self.nodes[0] == self.chosen:
        self.colour = Colour.RED
    elif self.leaf == Nothing or self.leaf != self.nodes[1]:
        self.colour = Colour.GREEN
    else:
        self.colour = Colour.BLUE


@case(Picks, "nothing-read", "update")
def orders_entities(self: Picks) -> None:
    """Entities are ordered as the protocol lists them, across classes."""
    a, b, _ = self.nodes
    if self.chosen < self.leaf or self.leaf <= b:
        self.colour = Colour.RED
    elif a >= self.chosen or self.chosen > b:
        self.colour = Colour.GREEN
    else:
        self.colour = Colour.BLUE


@case(Picks, "update")
def extremes_of_entities(self: Picks) -> None:
    """The first and the last of some entities."""
    if max(self.chosen, self.nodes[1]) == self.nodes[1]:
        self.chosen = max(self.chosen, self.nodes[1])
    else:
        self.chosen = min(self.chosen, self.nodes[1])


@case(Picks, "update", "write-outside-domain")
def narrows_a_reference(self: Picks) -> None:
    """A node that is no leaf is none."""
    self.leaf = self.chosen  # type: ignore[assignment]


@case(Picks, "nothing-read", "update")
def widens_a_reference(self: Picks) -> None:
    """A leaf is a node; Nothing is none."""
    self.chosen = self.leaf


@case(Picks, "update")
def asks_for_a_class(self: Picks) -> None:
    """Asks for the class of an entity."""
    if isinstance(self.chosen, Leaf) or isinstance(self.leaf, (NothingType, Colour)):
        self.colour = Colour.GREEN
    else:
        self.colour = Colour.RED


@case(Picks, "update")
def matches_a_class(self: Picks) -> None:
    """Matches the class of an entity."""
    match self.chosen:
        case Leaf():
            self.colour = Colour.GREEN
        case Node():
            self.colour = Colour.RED
    match self.leaf:
        case Leaf(name="b"):
            self.other = Colour.GREEN
        case _:
            self.other = Colour.RED


@case(Picks, "update")
def uses_an_entity(self: Picks) -> None:
    """Reads and writes fields of an entity that depends on the state."""
    if self.chosen.leader == Nothing:
        self.chosen.leader = self.leaf
    else:
        self.chosen.leader = Nothing


# --- quantifiers ---------------------------------------------------------------------------------


@case(Picks, "update")
def quantifies(self: Picks) -> None:
    """Quantifiers, nested and with conditions."""
    if all(node.leader == Nothing for node in self.nodes if node != self.chosen):
        self.colour = Colour.RED
    elif any(one.leader == two for one in self.nodes for two in self.nodes if one != two):
        self.colour = Colour.GREEN
    elif exists(self.nodes, lambda node: node.leader == node):
        self.other = Colour.BLUE
    else:
        self.colour = Colour.BLUE


@case(Picks, "update")
def counts(self: Picks) -> None:
    """Counts."""
    absent = count(self.nodes, lambda node: node.leader == Nothing)
    if absent > 1 or forall(self.nodes, lambda node: node.leader != self.chosen):
        each(self.nodes, self.forget)
    else:
        self.colour = Colour.BLUE


def forget(self: Picks, node: Node) -> None:
    """What `each` does for one: forks, and is merged."""
    if node.leader == self.chosen:
        node.leader = Nothing
    self.colour = Colour.GREEN


Picks.forget = forget  # type: ignore[attr-defined]


@case(Picks, "nothing-read", "update")
def faults_in_order(self: Picks) -> None:
    """An element that plain Python does not come to cannot fault."""
    if any(node.leader == Nothing or node.leader < self.chosen for node in self.nodes):
        self.colour = Colour.RED
    elif all(node.leader > self.leaf for node in self.nodes):
        self.colour = Colour.GREEN
    else:
        self.colour = Colour.BLUE


@pytest.mark.parametrize("each", CASES, ids=str)
def test_rule_and_tree_agree(each: Case) -> None:
    assert_agree_on(each)
