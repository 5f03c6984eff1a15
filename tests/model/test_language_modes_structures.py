"""Records, queues, sets, arrays and maps mean the same on plain values and in trees."""

from __future__ import annotations

from typing import Any

import pytest

from finale.model.rules import (
    Array,
    Bool,
    Entity,
    Enum,
    Nothing,
    NothingType,
    Option,
    PerEntity,
    Queue,
    Range,
    Record,
    RecordOf,
    Ref,
    Set,
    Setting,
    Union,
    field,
    part,
)
from tests.model.language_kit import Alone, Case, Colour, assert_agree_on, case_of

CASES: list[Case] = []
case = case_of(CASES)


# --- records -------------------------------------------------------------------------------------


class Box(Record):
    """A record with parts."""

    number: int = part(Range(0, 1))
    colour: Colour = part(Enum(Colour))

    @property
    def is_full(self) -> bool:
        """A question that one class answers."""
        return self.number == 1


class Bag(Record):
    """A record that shares a part."""

    number: int = part(Range(0, 1))


class Empty(Record):
    """A record without parts."""


class Records(Alone):
    """A record of one of three classes, one of one class, an optional one, a number."""

    any = field(Union(Box, Bag, Empty), Empty())
    box = field(RecordOf(Box), Box(0, Colour.RED))
    maybe = field(Option(Union(Bag, Empty)), Nothing)
    number = field(Range(0, 2), 0)


@case(Records, "field-of-another-variant", "update")
def reads_a_part(self: Records) -> None:
    """Reads a part that two classes have."""
    self.number = self.any.number


@case(Records, "field-of-another-variant", "update")
def reads_a_part_of_one(self: Records) -> None:
    """Reads a part that one class has."""
    self.number = 1 if self.any.colour == Colour.RED else 0


@case(Records, "field-of-another-variant", "update")
def reads_a_property(self: Records) -> None:
    """Reads what the class of one variant defines."""
    self.number = 1 if self.any.is_full else 0


@case(Records, "field-of-another-variant", "nothing-read", "update")
def reads_an_optional_record(self: Records) -> None:
    """Reads a part of a record that may be absent."""
    self.number = self.maybe.number


@case(Records, "update")
def matches_records(self: Records) -> None:
    """Matches classes and binds parts."""
    match self.any:
        case Box(number=n, colour=Colour.RED):
            self.number = n
        case Box(1) | Bag():
            self.number = self.any.number
        case Empty():
            self.number = 2
        case _:
            self.number = 1


@case(Records, "update")
def matches_optional_records(self: Records) -> None:
    """Matches classes, Nothing included."""
    match self.maybe:  # type: ignore[exhaustive-match]
        case Bag(number):
            self.number = number
        case Empty():
            self.number = 2
        case NothingType():
            self.number = 1


@case(Records, "update")
def compares_records(self: Records) -> None:
    """Compares records with records, with classes and with Nothing."""
    if self.any == self.box or self.any == Bag(self.number):
        self.number = 0
    elif self.maybe == self.any or self.maybe == Empty or self.any != Bag:  # noqa: PLR1714
        self.number = 1
    elif self.maybe == Nothing:
        self.number = 2
    else:
        self.maybe = Nothing


@case(Records, "update", "write-outside-domain")
def makes_records(self: Records) -> None:
    """Makes a record; its parts are checked where it is stored."""
    self.any = Bag(self.number) if self.number != 1 else Box(number=1, colour=Colour.BLUE)


@case(Records, "update", "write-outside-domain")
def narrows_records(self: Records) -> None:
    """A record of a class that the domain does not have is outside."""
    self.maybe = self.any  # type: ignore[assignment]


@case(Records, "nothing-read", "update")
def widens_records(self: Records) -> None:
    """A record of fewer classes is one of more; Nothing is none."""
    self.any = self.maybe


@case(Records, "update")
def asks_for_classes(self: Records) -> None:
    """Asks for record classes."""
    if isinstance(self.any, Box | Bag) and not isinstance(self.maybe, NothingType):
        self.number = 1
    else:
        self.number = 2 if isinstance(self.maybe, Empty) else 0


# --- queues --------------------------------------------------------------------------------------


class Queues(Alone):
    """Two queues of records and a number."""

    queue = field(Queue(Union(Bag, Empty), 2), ())
    numbers = field(Queue(Range(1, 2), 2), ())
    number = field(Range(-1, 2), 0)


@case(Queues, "put-into-full-queue", "update")
def puts(self: Queues) -> None:
    """Puts behind the youngest."""
    self.queue.put(Bag(number=1))


@case(Queues, "put-into-full-queue", "update", "write-outside-domain")
def puts_what_may_be_outside(self: Queues) -> None:
    """Puts a number that the queue may not take."""
    self.numbers.put(self.number)


@case(Queues, "put-into-full-queue", "update")
def puts_first(self: Queues) -> None:
    """Puts before the oldest."""
    self.numbers.put_first(2)


@case(Queues, "take-from-empty-queue", "update")
def takes(self: Queues) -> None:
    """Takes the oldest."""
    self.number = self.numbers.take()


@case(Queues, "nothing-read", "update")
def reads_the_head(self: Queues) -> None:
    """The head of an empty queue is Nothing."""
    self.number = self.numbers.head


@case(Queues, "update")
def compares_the_head(self: Queues) -> None:
    """The head equals a value, is of a class, or is Nothing."""
    if self.queue.head == Empty or self.numbers.head == self.number:
        self.number = 0
    elif self.queue.head == Bag(1) or self.numbers.head == Nothing:
        self.number = 1
    else:
        self.number = 2


@case(Queues, "index-outside", "update")
def reads_at_a_position(self: Queues) -> None:
    """A position beyond the youngest holds Nothing; a negative one is a fault."""
    if self.numbers.at(self.number) == 1:
        self.number = 2
    else:
        self.number = 1 if self.numbers.at(1) == Nothing else 0


@case(Queues, "update")
def looks_into_queues(self: Queues) -> None:
    """Whether a queue holds a value or a class; it never holds Nothing."""
    if self.queue.holds(Empty) or self.number in self.numbers:
        self.number = 0
    elif self.queue.holds(Bag(0)) or Bag(1) not in self.queue:
        self.number = 2 if self.queue.holds(Nothing) else 1
    else:
        self.number = 2


@case(Queues, "update")
def measures_queues(self: Queues) -> None:
    """The length, and what follows from it."""
    if self.queue.is_empty or not self.numbers.has_space:
        self.number = self.numbers.length
    elif self.queue.has_space_for(self.number) and self.queue.capacity == 2:
        self.queue.clear()
    else:
        self.number = 0


@case(Queues, "put-into-full-queue", "take-from-empty-queue", "update")
def puts_what_it_takes(self: Queues) -> None:
    """One's own writes are read."""
    self.numbers.put(self.numbers.take())
    self.numbers.put(self.numbers.head)


@case(Queues, "update")
def overwrites_queues(self: Queues) -> None:
    """A whole queue is replaced."""
    self.queue = (Empty(), Bag(1)) if self.number == 0 else ()  # type: ignore[assignment]
    self.numbers = (1,)  # type: ignore[assignment]


# --- sets ----------------------------------------------------------------------------------------


class Sets(Alone):
    """Two sets and a number."""

    numbers = field(Set(Range(0, 2)), frozenset())
    records = field(Set(Union(Bag, Empty)), frozenset())
    number = field(Range(0, 3), 0)


@case(Sets, "update", "write-outside-domain")
def adds_to_sets(self: Sets) -> None:
    """Adds, also twice; a value outside the domain is a fault."""
    self.numbers.add(self.number)
    self.numbers.add(0)


@case(Sets, "update", "write-outside-domain")
def removes_from_sets(self: Sets) -> None:
    """Removes; what is absent stays so."""
    self.numbers.remove(self.number)
    self.records.add(Empty())


@case(Sets, "update")
def asks_sets(self: Sets) -> None:
    """Asks for members; a value outside the domain is none."""
    if self.numbers.has(self.number) or Bag(1) in self.records:
        self.number = 0
    elif self.number - 1 not in self.numbers and not self.records.has(Empty()):
        self.number = self.numbers.size
    else:
        self.numbers.clear()
        self.number = 1


@case(Sets, "update")
def measures_sets(self: Sets) -> None:
    """The size, and whether it is empty."""
    self.number = 0 if self.records.is_empty else self.numbers.size


@case(Sets, "update")
def overwrites_sets(self: Sets) -> None:
    """A whole set is replaced."""
    none: Any = frozenset(())
    some: Any = frozenset((Empty(),))
    self.records = some if self.number > 1 else none
    self.numbers.add(1)


# --- arrays and maps -----------------------------------------------------------------------------


class Bare(Entity):
    """An entity without fields."""


class Slots(Alone):
    """Arrays and maps, also of structures."""

    numbers = field(Array(Range(0, 2), 2), 0)
    sets = field(Array(Set(Bool), 2), frozenset())
    index = field(Range(-1, 2), 0)
    colours = field(PerEntity(Bare, Bool), False)
    chosen = field(Option(Ref(Entity)), Nothing)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.nodes = (Bare("a"), Bare("b"))

    def entities(self) -> tuple[Entity, ...]:
        return self.nodes


@case(Slots, "index-outside", "update")
def reads_elements(self: Slots) -> None:
    """Reads an element; an index outside is a fault."""
    self.numbers[1] = 2 - self.numbers[self.index]


@case(Slots, "index-outside", "update", "write-outside-domain")
def writes_elements(self: Slots) -> None:
    """Writes an element, by an index that depends on the state."""
    self.numbers[self.index] += 1


@case(Slots, "update")
def loops_over_arrays(self: Slots) -> None:
    """Loops over an array, whose length is known."""
    self.index = sum(1 for number in self.numbers if number > 0)
    if any(number == self.index for number in self.numbers) and 2 in self.numbers:
        self.index = len(self.numbers) - 1


@case(Slots, "index-outside", "update")
def changes_elements_in_place(self: Slots) -> None:
    """An element that is a set is a place."""
    self.sets[self.index].add(True)
    if self.sets[0].has(False):
        self.sets[0].clear()


@case(Slots, "nothing-read", "index-outside", "update")
def maps(self: Slots) -> None:
    """Reads and writes by an entity; Nothing, and one of another class, are faults."""
    self.colours[self.chosen] = not self.colours[self.nodes[1]]  # type: ignore[index]


@case(Slots, "update")
def copies_elements(self: Slots) -> None:
    """What is stored is a copy."""
    self.sets[0] = self.sets[1]
    self.sets[1].clear()


@pytest.mark.parametrize("each", CASES, ids=str)
def test_rule_and_tree_agree(each: Case) -> None:
    assert_agree_on(each)
