"""Helpers: called in every way that Python has, merged into one value."""

from __future__ import annotations

from typing import Any

import pytest

from finale.model.language.build import bound_rules, build, world_of
from finale.model.language.plain import PlainStore
from finale.model.rules import (
    Bool,
    Entity,
    Enum,
    Nothing,
    Option,
    Protocol,
    Range,
    Record,
    Ref,
    Setting,
    Union,
    define,
    each,
    field,
    part,
    require,
    rule,
    step,
)
from tests.model.language_kit import (
    Alone,
    Case,
    Colour,
    assert_agree_on,
    case_of,
    leaves_of,
    made,
)

CASES: list[Case] = []
case = case_of(CASES)


class Coin(Record):
    """A record with a part."""

    value: int = part(Range(0, 3))


class Note(Record):
    """A record with a part of its own."""

    colour: Colour = part(Enum(Colour))


class Node(Entity):
    """An entity."""


class Leaf(Node):
    """A kind of node."""


class Other(Entity):
    """An entity of another kind."""


class Helped(Alone):
    """A protocol with helpers of all kinds."""

    one = field(Range(0, 3), 0)
    two = field(Range(0, 3), 0)
    flag = field(Bool, False)
    colour = field(Enum(Colour), Colour.RED)
    chosen = field(Option(Ref(Node)), Nothing)
    money = field(Option(Union(Coin, Note)), Nothing)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.nodes = (Node("a"), Leaf("b"))
        self.__hidden = 2

    def entities(self) -> tuple[Entity, ...]:
        return self.nodes

    @define
    def bigger(self, than: int, /, number: int = 1, *more: int, flag: bool, **named: int) -> bool:
        """Takes arguments in every way."""
        return number > than and flag and all(each > than for each in (*more, *named.values()))

    @step
    def raise_one(self, by: int = 1) -> int:
        """Writes, and returns what was before."""
        before = self.one
        if self.one + by <= 3:
            self.one += by
        return before

    @define
    def choice(self) -> Node:
        """Returns an entity, or Nothing."""
        if self.flag:
            return self.nodes[0]
        return self.nodes[1] if self.one > 1 else Nothing

    @define
    def coins(self) -> Coin | Note:
        """Returns records of several classes, with parts that depend on the state."""
        if self.flag:
            return Coin(self.one)
        return Note(colour=self.colour) if self.two > 1 else Coin(3 - self.two)

    @define
    def both(self) -> tuple[int, Colour, str]:
        """Returns a tuple; equal parts stay what they are."""
        if self.flag:
            return self.one, Colour.GREEN, "same"
        return self.two, self.colour, "sa" + "me"

    @property
    @define
    def is_big(self) -> bool:
        """A property that is merged."""
        if self.one > 2:
            return True
        return self.two > 2

    @property
    def is_small(self) -> bool:
        """A property that runs in line."""
        return not self.is_big

    @define
    def below(self, number: int) -> bool:
        """Recursion whose depth is known."""
        return number > 0 and (self.one == number - 1 or self.below(number - 1))

    @define
    def hidden(self) -> bool:
        """A name that belongs to the class."""
        return self.one < self.__hidden

    @step
    def turn(self) -> bool:
        """Writes and returns a truth value."""
        self.flag = not self.flag
        return self.flag

    @step
    def climb(self, node: Node) -> None:
        """May block."""
        require(self.two < 3)
        if node == self.chosen or self.flag:
            self.two += 1


@case(Helped, "blocked", "update")
def calls_in_every_way(self: Helped) -> None:
    """Positional, by default, by keyword, starred."""
    require(self.bigger(1, self.two, *(2, self.one), flag=self.flag, last=3) or self.is_big)
    require(self.bigger(0, flag=True))
    self.one = 0


@case(Helped, "update")
def uses_what_a_step_returns(self: Helped) -> None:
    """The value of before, and the writes."""
    before = self.raise_one(by=2)
    self.two = before if self.one == 3 else self.raise_one()


@case(Helped, "update")
def takes_an_entity(self: Helped) -> None:
    """An entity or Nothing."""
    self.chosen = self.choice()
    self.flag = self.choice() == self.nodes[0]


@case(Helped, "update")
def takes_records(self: Helped) -> None:
    """A record of one of several classes."""
    self.money = self.coins()
    if self.coins() == Coin:
        self.two = self.coins().value
    else:
        self.one = 0


@case(Helped, "update")
def takes_tuples(self: Helped) -> None:
    """A tuple's elements are merged one by one."""
    number, self.colour, text = self.both()
    self.one = number if text == "same" else 3 - number


@case(Helped, "update")
def reads_properties(self: Helped) -> None:
    """Properties, marked or not."""
    self.flag = self.is_big
    if self.is_small:
        self.two = 3


@case(Helped, "update")
def follows_recursion(self: Helped) -> None:
    """Recursion over a number that is known."""
    self.flag = self.below(3)
    self.two = 1 if self.hidden() else 2


@case(Helped, "update")
def steps_within_quantifiers(self: Helped) -> None:
    """As in Python, what comes after the one that decides is not done."""
    if any(self.turn() and self.one > number for number in range(2)):
        self.two = 0
    else:
        self.two = 1


@case(Helped, "update")
def steps_within_operators(self: Helped) -> None:
    """As in Python, an operand that is not needed is not evaluated."""
    if (self.one > 1 and self.turn()) or (self.two > 1 and not self.turn()):
        self.colour = Colour.GREEN
    else:
        self.colour = Colour.BLUE
    self.one = self.raise_one() if self.flag else 0


@case(Helped, "blocked", "update")
def blocks_within_each(self: Helped) -> None:
    """A helper that blocks blocks the rule."""
    each(self.nodes, self.climb)
    self.one = 0


@case(Helped, "assertion-failed", "update", "write-outside-domain")
def faults_within_helpers(self: Helped) -> None:
    """A helper that faults is a fault of the rule."""

    @step
    def descend(by: int) -> None:
        """A helper that is defined where it is used."""
        assert self.colour != Colour.BLUE
        self.one -= by

    descend(1)
    self.flag = True


@pytest.mark.parametrize("each", CASES, ids=str)
def test_rule_and_tree_agree(each: Case) -> None:
    assert_agree_on(each)


# --- one leaf ------------------------------------------------------------------------------------


def test_helpers_are_one_leaf() -> None:
    def rule_of_helpers(self: Helped) -> None:
        """Calls what forks."""
        self.raise_one()
        self.money = self.coins()
        self.chosen = self.choice()
        self.flag = self.is_big and (self.one == 1 or self.two in (1, 2)) and not self.hidden()

    assert leaves_of(Helped, rule_of_helpers) == ["update"]


def test_a_statement_forks_and_an_expression_does_not() -> None:
    def forks(self: Helped) -> None:
        """Forks twice."""
        if self.flag:
            self.one = 0
        if self.two > 0:
            self.one = 1
        self.flag = False

    def merges(self: Helped) -> None:
        """Does the same by expressions."""
        self.one = 0 if self.flag else self.one
        self.one = 1 if self.two > 0 else self.one
        self.flag = False

    assert leaves_of(Helped, forks) == ["update"] * 4
    assert leaves_of(Helped, merges) == ["update"]


def test_kinds_that_do_not_merge_fork() -> None:
    def picks(self: Helped) -> None:
        """Picks one of two texts."""
        text = "red" if self.flag else "green"
        self.colour = Colour(text)

    assert leaves_of(Helped, picks) == ["update", "update"]


# --- overriding ----------------------------------------------------------------------------------


class Base(Protocol):
    """A protocol to be varied."""

    number = field(Range(0, 3), 0)

    @rule
    def count_up(self) -> None:
        """Counts up."""
        require(self.number < 2)
        self.change(1)

    @step
    def change(self, by: int) -> None:
        """Changes the number."""
        self.number += by


class Variant(Base):
    """Counts further, by calling the rule and the helper that it overrides."""

    key = "variant"

    @rule
    def count_up(self) -> None:
        """Counts up, twice from 0."""
        started = self.number == 0
        super().count_up()
        if started and super().change(0) == None:  # noqa: E711 - a helper without a value
            self.change(1)

    @step
    def change(self, by: int) -> None:
        """Changes the number, if at all."""
        if by > 0:
            super().change(by)


def test_a_variant_calls_what_it_overrides() -> None:
    system = build(made(Variant))
    (count_up,) = system.rules
    assert count_up.rule.sentence == "Counts up, twice from 0."
    it = made(Variant)
    world = world_of(it, frozenset())
    store = PlainStore([0])
    with world.on(store):
        next(bound_rules(it)).method()
    assert store.values == [2]
    assert_agree_on(_inherited(Variant))


def _inherited(kind: type[Protocol]) -> Case:
    def again(self: Any) -> None:
        """Calls the rule of the variant."""
        self.count_up()

    return Case(kind, again, ("blocked", "update"))
