"""Queues, sets, arrays and maps of the state over symbolic cells."""

from __future__ import annotations

from typing import Any

from model.domains import Array, Domain, Option, Queue, Set, _PerEntity
from model.errors import FinaleError
from model.expressions import (
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

from .access import Access, Place
from .collections import ArrayOf, MapOf, QueueOf, SetOf
from .explore import decide, settled
from .shapes import cells_of, constants, symbol
from .stops import FaultHere, caller
from .symbols import SymbolicBool, SymbolicInt, SymbolicOption, SymbolicRef, number_of, truth_of

Cells = tuple[Expression, ...]


def place_of(domain: Domain[Any], access: Access[Cells]) -> Place:
    """The place of a structured value."""
    match domain:
        case Queue():
            return SymbolicQueue(domain, access)
        case Set():
            return SymbolicSet(domain, access)
        case Array():
            return SymbolicArray(domain, access)
        case _:
            assert isinstance(domain, _PerEntity), domain
            return SymbolicMap(domain, access)


def is_structured(domain: Domain[Any]) -> bool:
    """Whether a field of this domain is handled as a place and not as a value."""
    return isinstance(domain, Queue | Set | Array | _PerEntity)


def _within(outer: Access[Cells], domain: Domain[Any], offset: int) -> Any:
    """The element that starts at cell `offset` of a structured value."""
    end = offset + domain.width

    def read() -> Cells:
        return outer.read()[offset:end]

    def write(cells: Cells) -> None:
        whole = outer.read()
        outer.write((*whole[:offset], *cells, *whole[end:]))

    return (
        place_of(domain, Access(read, write)) if is_structured(domain) else symbol(domain, read())
    )


def _number(expression: Expression) -> Any:
    constant = isinstance(expression, Constant)
    return expression.value if constant else SymbolicInt(expression)


def _boolean(expression: Expression) -> Any:
    return bool(expression.value) if isinstance(expression, Constant) else SymbolicBool(expression)


class SymbolicQueue(Place, QueueOf[Any]):
    """A queue: its length, then its slots, oldest first; slots beyond the length are filler."""

    domain: Queue[Any]

    def _slots(self) -> list[Cells]:
        cells, width = self.read(), self.domain.element.width
        return [cells[start : start + width] for start in range(1, len(cells), width or 1)]

    def _filler(self) -> Cells:
        return constants(self.domain.element, self.domain.element.filler)

    def _write(self, length: Expression, slots: list[Cells]) -> None:
        self.write((length, *(cell for slot in slots for cell in slot)))

    @property
    def length(self) -> int:
        number: int = _number(self.read()[0])
        return number

    @property
    def capacity(self) -> int:
        return self.domain.slots

    @property
    def head(self) -> Any:
        return self.at(0)

    def at(self, position: int) -> Any:
        if position >= self.capacity:
            return Nothing
        present = settled(less(integer(position), self.read()[0]))
        return symbol(Option(self.domain.element), (present, *self._slots()[position]))

    def _require_space(self) -> Expression:
        length: Expression = self.read()[0]
        if not decide(less(length, integer(self.capacity))):
            raise FaultHere(
                "put-into-full-queue", f"the queue already holds its {self.capacity} elements"
            )
        return length

    def put(self, value: Any) -> None:
        length = self._require_space()
        cells = cells_of(self.domain.element, value)
        slots = []
        for position, slot in enumerate(self._slots()):
            here = settled(equal(length, integer(position)))
            slots.append(tuple(choose(here, n, o) for n, o in zip(cells, slot, strict=True)))
        self._write(plus(length, integer(1)), slots)

    def put_first(self, value: Any) -> None:
        length = self._require_space()
        cells = cells_of(self.domain.element, value)
        self._write(plus(length, integer(1)), [cells, *self._slots()[:-1]])

    def take(self) -> Any:
        length = self.read()[0]
        if not decide(less(integer(0), length)):
            raise FaultHere("take-from-empty-queue", "the queue is empty")
        first, *others = self._slots()
        self._write(minus(length, integer(1)), [*others, self._filler()])
        return symbol(self.domain.element, first)

    def clear(self) -> None:
        self.write(constants(self.domain, self.domain.filler))

    def holds(self, wanted: object) -> bool:
        found = (truth_of(self.at(i) == wanted) for i in range(self.capacity))
        result: bool = _boolean(disjunction(found))
        return result

    def has_space_for(self, elements: int) -> bool:
        number = number_of(elements)
        assert number is not None
        fits = negation(less(integer(self.capacity), plus(self.read()[0], number)))
        result: bool = _boolean(fits)
        return result


class SymbolicSet(Place, SetOf[Any]):
    """A set: a truth value for each element that it could have."""

    domain: Set[Any]

    def _matches(self, value: Any) -> list[Expression]:
        """For each possible element, whether it is this value."""
        element = self.domain.element
        cells = cells_of(element, value)
        return [
            conjunction(
                equal(a, b)
                for a, b in zip(cells, constants(element, element.encode(v)), strict=True)
            )
            for v in self.domain.universe
        ]

    def has(self, value: Any) -> bool:
        pairs = zip(self._matches(value), self.read(), strict=True)
        result: bool = _boolean(disjunction(conjunction(pair) for pair in pairs))
        return result

    def add(self, value: Any) -> None:
        pairs = zip(self.read(), self._matches(value), strict=True)
        self.write(tuple(disjunction(pair) for pair in pairs))

    def remove(self, value: Any) -> None:
        pairs = zip(self.read(), self._matches(value), strict=True)
        self.write(tuple(conjunction([cell, negation(match)]) for cell, match in pairs))

    def clear(self) -> None:
        self.write(constants(self.domain, self.domain.filler))

    @property
    def size(self) -> int:
        total: Expression = integer(0)
        for cell in self.read():
            total = plus(total, choose(cell, integer(1), integer(0)))
        number: int = _number(total)
        return number


class SymbolicArray(Place, ArrayOf[Any]):
    """An array: its elements side by side. A symbolic index splits into cases in order."""

    domain: Array[Any]

    def _index(self, index: Any) -> int:
        number = number_of(index)
        if number is None:
            raise FinaleError(
                "index-is-no-number",
                f"an array is indexed with {index!r}",
                place=caller(),
                advice="index an array with a number, a PerEntity field with an entity",
            )
        for position in range(self.domain.length):
            if decide(equal(number, integer(position))):
                return position
        raise FaultHere("index-outside", f"the index is not in 0..{self.domain.length - 1}")

    def __getitem__(self, index: int) -> Any:
        offset = self._index(index) * self.domain.element.width
        return _within(self.access, self.domain.element, offset)

    def __setitem__(self, index: int, value: Any) -> None:
        _store(self, self._index(index), value)

    def __len__(self) -> int:
        return self.domain.length


class SymbolicMap(Place, MapOf[Any, Any]):
    """A map from the entities of a class: its elements side by side, in entity order."""

    domain: _PerEntity[Any, Any]

    def _index(self, entity: Any) -> int:
        if isinstance(entity, SymbolicOption):
            entity = entity.get()
        if isinstance(entity, SymbolicRef):
            entity = entity.pick()
        for position, known in enumerate(self.domain.entities):
            if known is entity:
                return position
        raise FinaleError(
            "index-is-no-entity",
            f"{entity!r} is not one of {', '.join(map(str, self.domain.entities))}",
            place=caller(),
            advice="index a PerEntity field with an entity of its class",
        )

    def __getitem__(self, entity: Any) -> Any:
        offset = self._index(entity) * self.domain.element.width
        return _within(self.access, self.domain.element, offset)

    def __setitem__(self, entity: Any, value: Any) -> None:
        _store(self, self._index(entity), value)


def _store(place: SymbolicArray | SymbolicMap, position: int, value: Any) -> None:
    element = place.domain.element
    cells, whole = cells_of(element, value), place.read()
    offset = position * element.width
    place.write((*whole[:offset], *cells, *whole[offset + element.width :]))
