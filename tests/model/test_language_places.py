"""A field access is a live place; what is stored, put, taken or returned is a copy."""

from __future__ import annotations

from typing import Any

import pytest

from finale.model.errors import FinaleError
from finale.model.language.build import bound_rules, build, world_of
from finale.model.language.plain import PlainStore
from finale.model.rules import (
    Array,
    Bool,
    Entity,
    PerEntity,
    Protocol,
    Queue,
    Range,
    Record,
    Set,
    Setting,
    Union,
    field,
    part,
    step,
)
from tests.model.language_kit import (
    Alone,
    Case,
    Function,
    assert_agree_on,
    case_of,
    made,
    mistake,
    protocol,
)

CASES: list[Case] = []
case = case_of(CASES)


class Node(Entity):
    """An entity."""


class Other(Entity):
    """An entity of another kind."""


class Box(Record):
    """A record that holds a set."""

    members: Any = part(Set(Bool))


class Queues(Alone):
    """Two queues."""

    one = field(Queue(Range(0, 1), 2), ())
    two = field(Queue(Range(0, 1), 2), ())

    @step
    def look(self) -> Any:
        """Returns a queue: what it holds at this moment."""
        return self.one

    @step
    def look_around(self) -> Any:
        """Returns queues in a tuple."""
        return (self.one if self.two.is_empty else self.two), self.two


class Nested(Alone):
    """Queues in an array."""

    queues = field(Array(Queue(Bool, 1), 2), ())


class Mapped(Alone):
    """Sets in a map, and in a record."""

    sets = field(PerEntity(Node, Set(Bool)), frozenset())
    box = field(Queue(Union(Box), 1), ())

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.nodes = (Node("a"), Node("b"))

    def entities(self) -> tuple[Entity, ...]:
        return self.nodes


def ran(base: type[Protocol], function: Function, **start: object) -> dict[str, object]:
    """The state after a rule, on plain values."""
    it = made(protocol(base, function))
    world = world_of(it, frozenset())
    values = [
        start.get(variable.name, world.initial_values(variable)[0]) for variable in world.variables
    ]
    store = PlainStore(values)
    with world.on(store):
        next(bound_rules(it)).method()
    return {v.name: value for v, value in zip(world.variables, store.values, strict=True)}


@case(Queues, "put-into-full-queue", "update")
def assigns_a_queue(self: Queues) -> None:
    """What is stored is a copy."""
    self.one = self.two
    self.two.put(1)


@case(Queues, "put-into-full-queue", "update")
def keeps_a_queue_in_a_name(self: Queues) -> None:
    """A field access is a live place."""
    queue = self.one
    queue.put(1)
    self.two = queue
    queue.take()
    self.one.put(queue.length - 1 if queue.length > 0 else 0)


@case(Nested, "put-into-full-queue", "update")
def keeps_an_element_in_a_name(self: Nested) -> None:
    """An element of an array is a live place."""
    first = self.queues[0]
    self.queues[1] = first
    first.put(True)
    if self.queues[0].head == True and not self.queues[1].is_empty:  # noqa: E712
        self.queues[1].clear()


@case(Mapped, "update")
def changes_a_set_of_an_entity(self: Mapped) -> None:
    """A value of a map is a live place."""
    a, b = self.nodes
    mine = self.sets[a]
    self.sets[b] = mine
    mine.add(True)
    if mine.has(True) and not self.sets[b].has(True):
        self.sets[b].add(False)


@case(Queues, "put-into-full-queue", "update")
def looks_and_puts(self: Queues) -> None:
    """What a helper returns is a value of that moment."""
    seen = self.look()
    some, other = self.look_around()
    self.one.put(1)
    self.two = seen
    if some.length < 2 and other.is_empty:
        self.one = some


@case(Mapped, "put-into-full-queue", "update")
def puts_a_set_into_a_record(self: Mapped) -> None:
    """A record keeps what a set held when it was made."""
    a, b = self.nodes
    box = Box(self.sets[a])
    self.sets[a].clear()
    self.box.put(box)
    self.sets[b] = self.box.head.members
    if box.members.has(True):
        self.sets[a].add(True)


@pytest.mark.parametrize("each", CASES, ids=str)
def test_rule_and_tree_agree(each: Case) -> None:
    assert_agree_on(each)


def test_what_is_stored_is_a_copy() -> None:
    assert ran(Queues, assigns_a_queue, two=(0,)) == {
        **ran(Queues, assigns_a_queue),
        "one": (0,),
        "two": (0, 1),
    }
    found = ran(Nested, keeps_an_element_in_a_name)
    assert found["queues"] == ((True,), ())
    assert ran(Mapped, changes_a_set_of_an_entity)["sets"] == (
        frozenset({True}),
        frozenset({False}),
    )
    found = ran(Queues, looks_and_puts, one=(0,))
    assert found["two"] == (0,)
    found = ran(Mapped, puts_a_set_into_a_record, sets=(frozenset({True}), frozenset()))
    assert found["box"] == (Box(frozenset({True})),)


@pytest.mark.parametrize("how", ["symbolic", "plain"])
def test_a_copy_cannot_be_changed(how: str) -> None:
    def changes(self: Queues) -> None:
        """Changes what a helper returned."""
        self.look().put(1)
        self.one.clear()

    with pytest.raises(FinaleError) as caught:
        ran(Queues, changes) if how == "plain" else build(made(protocol(Queues, changes)))
    assert caught.value.code == "write-to-a-copy"


def test_a_map_is_indexed_with_its_own_entities() -> None:
    def asks(self: Mapped) -> None:
        """Asks for an entity of another kind."""
        self.sets[Other("x")].clear()  # type: ignore[index]

    assert mistake(Mapped, asks).code == "index-outside"
