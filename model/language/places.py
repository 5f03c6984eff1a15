"""Queues, sets, arrays and maps of the state over symbolic cells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from model.domains import Array, Domain, MapDomain, Option, Queue, Set
from model.expressions import (
    FALSE,
    TRUE,
    Constant,
    Expression,
    choose,
    conjunction,
    disjunction,
    equal,
    integer,
    less,
    minus,
    negation,
    plus,
)
from model.values import Nothing

from .access import Place, not_an_index, refuse_write
from .collections import ArrayOf, MapOf, QueueOf, SetOf
from .entities import Entity
from .explore import decide, settled
from .picks import SymbolicRef
from .shapes import cells_of, constants, symbol
from .stops import FaultHere
from .symbols import Symbolic, number_from, number_of, truth_from, truth_of

if TYPE_CHECKING:
    from .stores import SymbolicStore

Cells = tuple[Expression, ...]


# --- where the cells are -------------------------------------------------------------------------


class Region(ABC):
    """The cells of one structured value."""

    @abstractmethod
    def read(self, start: int, width: int) -> Cells:
        """Some of the cells."""

    @abstractmethod
    def write(self, start: int, cells: Cells) -> None:
        """Replace some of the cells."""

    @abstractmethod
    def part(self, start: int, width: int) -> Region:
        """The region of an element."""


class StoreRegion(Region):
    """Cells of the state: live."""

    def __init__(self, store: SymbolicStore, offset: int) -> None:
        self.store = store
        self.offset = offset

    def read(self, start: int, width: int) -> Cells:
        first = self.offset + start
        return tuple(self.store.read(index) for index in range(first, first + width))

    def write(self, start: int, cells: Cells) -> None:
        for index, expression in enumerate(cells, self.offset + start):
            self.store.write(index, expression)

    def part(self, start: int, width: int) -> Region:
        return StoreRegion(self.store, self.offset + start)


class CopyRegion(Region):
    """Cells of a copy: they cannot be changed."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells

    def read(self, start: int, width: int) -> Cells:
        return self.cells[start : start + width]

    def write(self, start: int, cells: Cells) -> None:
        refuse_write()

    def part(self, start: int, width: int) -> Region:
        return CopyRegion(self.read(start, width))


def place_of(domain: Domain[Any], region: Region) -> SymbolicPlace:
    """The place of a structured value."""
    match domain:
        case Queue():
            return SymbolicQueue(domain, region)
        case Set():
            return SymbolicSet(domain, region)
        case Array():
            return SymbolicArray(domain, region)
        case _:
            assert isinstance(domain, MapDomain), domain
            return SymbolicMap(domain, region)


class SymbolicPlace(Place):
    """A structured value over symbolic cells."""

    def __init__(self, domain: Any, region: Region) -> None:
        self.domain = domain
        self.region = region

    def read(self) -> Cells:
        return self.region.read(0, self.domain.width)

    def write(self, cells: Cells) -> None:
        """Replace the whole value."""
        self.region.write(0, cells)

    def copied(self) -> SymbolicPlace:
        return place_of(self.domain, CopyRegion(self.read()))

    def clear(self) -> None:
        """Take everything out."""
        self.write(constants(self.domain, self.domain.filler))


# --- queues --------------------------------------------------------------------------------------


class SymbolicQueue(SymbolicPlace, QueueOf[Any]):
    """A queue: its length, then its slots, oldest first; slots beyond the length are filler."""

    domain: Queue[Any]

    def _length(self) -> Expression:
        return self.region.read(0, 1)[0]

    def _slot(self, position: int) -> Cells:
        width = self.domain.element.width
        return self.region.read(1 + position * width, width)

    def _slots(self) -> list[Cells]:
        return [self._slot(position) for position in range(self.capacity)]

    def _write(self, length: Expression, slots: list[Cells]) -> None:
        self.write((length, *(cell for slot in slots for cell in slot)))

    @property
    def length(self) -> Any:
        return number_from(self._length())

    @property
    def capacity(self) -> int:
        return self.domain.slots

    @property
    def is_empty(self) -> Any:
        return truth_from(settled(equal(self._length(), integer(0))))

    @property
    def has_space(self) -> Any:
        return truth_from(settled(less(self._length(), integer(self.capacity))))

    @property
    def head(self) -> Any:
        return self._at(0)

    def _at(self, position: int) -> Any:
        if position >= self.capacity:
            return Nothing
        present = settled(less(integer(position), self._length()))
        return symbol(Option(self.domain.element), (present, *self._slot(position)))

    def at(self, position: Any) -> Any:
        number = number_of(position)
        if number is None:
            raise not_an_index("a queue", position)
        if decide(less(number, integer(0))):
            raise FaultHere("index-outside", "a position in a queue is negative")
        for known in range(max(0, number.low), min(self.capacity, number.high + 1)):
            if decide(equal(number, integer(known))):
                return self._at(known)
        return Nothing

    def _require_space(self) -> Expression:
        length = self._length()
        if not decide(less(length, integer(self.capacity))):
            raise FaultHere(
                "put-into-full-queue", f"the queue already holds its {self.capacity} elements"
            )
        return length

    def put(self, value: Any) -> None:
        length = self._require_space()
        cells = cells_of(self.domain.element, value)
        width = self.domain.element.width
        for position in range(self.capacity):
            here = settled(equal(length, integer(position)))
            if here is FALSE:
                continue
            old = self._slot(position)
            new = tuple(choose(here, n, o) for n, o in zip(cells, old, strict=True))
            self.region.write(1 + position * width, new)
        self.region.write(0, (plus(length, integer(1)),))

    def put_first(self, value: Any) -> None:
        length = self._require_space()
        cells = cells_of(self.domain.element, value)
        self._write(plus(length, integer(1)), [cells, *self._slots()[:-1]])

    def take(self) -> Any:
        length = self._length()
        if not decide(less(integer(0), length)):
            raise FaultHere("take-from-empty-queue", "the queue is empty")
        first, *others = self._slots()
        filler = constants(self.domain.element, self.domain.element.filler)
        self._write(minus(length, integer(1)), [*others, filler])
        return symbol(self.domain.element, first)

    def holds(self, wanted: object) -> Any:
        found: list[Expression] = []
        for position in range(self.capacity):
            present = settled(less(integer(position), self._length()))
            element = symbol(self.domain.element, self._slot(position))
            found.append(conjunction([present, truth_of(element == wanted)]))
        return truth_from(disjunction(found))

    def has_space_for(self, elements: int) -> Any:
        number = number_of(elements)
        if number is None:
            raise not_an_index("space in a queue", elements)
        return truth_from(negation(less(integer(self.capacity), plus(self._length(), number))))


# --- sets ----------------------------------------------------------------------------------------


class SymbolicSet(SymbolicPlace, SetOf[Any]):
    """A set: a truth value for each element that it could have."""

    domain: Set[Any]

    def _matches(self, value: Any) -> list[tuple[int, Expression]]:
        """The cells that may stand for a value, each with the condition that it does."""
        cells = cells_of(self.domain.element, value)
        known = [cell.value for cell in cells if isinstance(cell, Constant)]
        if len(known) == len(cells):
            return [(self.domain.positions[tuple(known)], TRUE)]
        found: list[tuple[int, Expression]] = []
        for encoding, position in self.domain.positions.items():
            same = zip(cells, constants(self.domain.element, encoding), strict=True)
            match = settled(conjunction(equal(a, b) for a, b in same))
            if match is not FALSE:
                found.append((position, match))
        return found

    def has(self, value: Any) -> Any:
        return truth_from(
            disjunction(
                conjunction([match, self.region.read(position, 1)[0]])
                for position, match in self._matches(value)
            )
        )

    def _set(self, value: Any, member: Expression) -> None:
        for position, match in self._matches(value):
            (before,) = self.region.read(position, 1)
            self.region.write(position, (choose(match, member, before),))

    def add(self, value: Any) -> None:
        self._set(value, TRUE)

    def remove(self, value: Any) -> None:
        self._set(value, FALSE)

    @property
    def size(self) -> Any:
        total: Expression = integer(0)
        for cell in self.read():
            total = plus(total, choose(cell, integer(1), integer(0)))
        return number_from(total)

    @property
    def is_empty(self) -> Any:
        return truth_from(negation(disjunction(self.read())))


# --- arrays and maps -----------------------------------------------------------------------------


class SymbolicSlots(SymbolicPlace):
    """What arrays and maps have in common: elements of one domain side by side."""

    domain: Any

    @abstractmethod
    def _index(self, key: Any) -> int:
        """The position of an element: a symbolic key splits into cases, in order."""

    def __getitem__(self, key: Any) -> Any:
        element = self.domain.element
        start = self._index(key) * element.width
        if element.is_place:
            return place_of(element, self.region.part(start, element.width))
        return symbol(element, self.region.read(start, element.width))

    def __setitem__(self, key: Any, value: Any) -> None:
        start = self._index(key) * self.domain.element.width
        self.region.write(start, cells_of(self.domain.element, value))


class SymbolicArray(SymbolicSlots, ArrayOf[Any]):
    """An array: its elements by position."""

    domain: Array[Any]

    def _index(self, key: Any) -> int:
        number = number_of(key)
        if number is None:
            raise not_an_index("an array", key)
        for position in range(max(0, number.low), min(self.domain.length, number.high + 1)):
            if decide(equal(number, integer(position))):
                return position
        raise FaultHere("index-outside", f"the index is not in 0..{self.domain.length - 1}")

    def __len__(self) -> int:
        return self.domain.length

    def __iter__(self) -> Iterator[Any]:
        return (self[position] for position in range(self.domain.length))


class SymbolicMap(SymbolicSlots, MapOf[Any, Any]):
    """A map from the entities of a class, in entity order."""

    domain: MapDomain[Any, Any]

    def _index(self, key: Any) -> int:
        entity = key.unwrapped() if isinstance(key, Symbolic) else key
        if isinstance(entity, SymbolicRef):
            entity = entity.pick()
        for position, known in enumerate(self.domain.entities):
            if known is entity:
                return position
        if entity is Nothing:
            raise FaultHere("nothing-read", "Nothing is used as an entity")
        if isinstance(entity, Entity):
            raise FaultHere("index-outside", f"{entity} has no element in this map")
        raise not_an_index("a map", key)
