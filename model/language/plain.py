"""The plain meaning of the rule language: a state of plain values, changed in place.

The same rule bodies that make decision trees run here on ints, bools, enumeration members,
entities, frozen records, tuples and frozensets. It shares no code with the symbolic side below the
interfaces of `collections.py`, so that their agreement is worth a test.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from model.domains import Array, Domain, OutOfDomain, Queue, Set, Union, _PerEntity
from model.values import Nothing

from .access import Access, Place
from .collections import ArrayOf, MapOf, QueueOf, SetOf
from .stops import FaultHere

if TYPE_CHECKING:
    from .entities import Variable


class PlainStore:
    """One state as plain values, by variable."""

    def __init__(self, values: Sequence[object]) -> None:
        self.values = list(values)

    def get(self, variable: Variable) -> Any:
        """What a rule sees when it reads a field."""
        position = variable.position

        def write(value: object) -> None:
            self.values[position] = value

        return _element(variable.domain, Access(lambda: self.values[position], write))

    def set(self, variable: Variable, value: Any) -> None:
        """Write a field; a value outside its domain is a fault."""
        self.values[variable.position] = _checked(variable.domain, value)


def _checked(domain: Domain[Any], value: Any) -> object:
    plain = value.read() if isinstance(value, Place) else value
    try:
        domain.encode(plain)
    except OutOfDomain as reason:
        if _lacks_value(domain, plain):
            raise FaultHere("nothing-read", "Nothing is used as a value") from None
        raise FaultHere("write-outside-domain", str(reason)) from None
    return plain


def _lacks_value(domain: Domain[Any], value: object) -> bool:
    """Whether the first mistake in a value outside its domain is a Nothing that should be a value."""
    if isinstance(domain, Union) and type(value) in domain.kinds:
        own = dict(domain.parts[domain.kinds.index(type(value))])
        for name in (name for name in domain.layout if name in own):
            part = getattr(value, name)
            try:
                own[name].encode(part)
            except OutOfDomain:
                return _lacks_value(own[name], part)
    return value is Nothing


def _element(domain: Domain[Any], access: Access[Any]) -> Any:
    match domain:
        case Queue():
            return PlainQueue(domain, access)
        case Set():
            return PlainSet(domain, access)
        case Array():
            return PlainArray(domain, access)
        case _PerEntity():
            return PlainMap(domain, access)
        case _:
            return access.read()


class PlainQueue(Place, QueueOf[Any]):
    """A queue as a tuple, oldest first."""

    domain: Queue[Any]

    @property
    def length(self) -> int:
        return len(self.read())

    @property
    def capacity(self) -> int:
        return self.domain.slots

    @property
    def head(self) -> Any:
        return self.at(0)

    def at(self, position: int) -> Any:
        elements = self.read()
        return elements[position] if position < len(elements) else Nothing

    def _with_space(self) -> tuple[object, ...]:
        elements: tuple[object, ...] = self.read()
        if len(elements) >= self.capacity:
            raise FaultHere(
                "put-into-full-queue", f"the queue already holds its {self.capacity} elements"
            )
        return elements

    def put(self, value: Any) -> None:
        elements = self._with_space()
        self.write((*elements, _checked(self.domain.element, value)))

    def put_first(self, value: Any) -> None:
        elements = self._with_space()
        self.write((_checked(self.domain.element, value), *elements))

    def take(self) -> Any:
        elements = self.read()
        if not elements:
            raise FaultHere("take-from-empty-queue", "the queue is empty")
        self.write(elements[1:])
        return elements[0]

    def clear(self) -> None:
        self.write(())

    def holds(self, wanted: object) -> bool:
        return any(element == wanted for element in self.read())

    def has_space_for(self, elements: int) -> bool:
        return len(self.read()) + elements <= self.capacity


class PlainSet(Place, SetOf[Any]):
    """A set as a frozenset."""

    domain: Set[Any]

    def has(self, value: Any) -> bool:
        return _checked(self.domain.element, value) in self.read()

    def add(self, value: Any) -> None:
        self.write(self.read() | {_checked(self.domain.element, value)})

    def remove(self, value: Any) -> None:
        self.write(self.read() - {_checked(self.domain.element, value)})

    def clear(self) -> None:
        self.write(frozenset())

    @property
    def size(self) -> int:
        return len(self.read())


class PlainArray(Place, ArrayOf[Any]):
    """An array as a tuple."""

    domain: Array[Any]

    def _index(self, index: int) -> int:
        if not 0 <= index < self.domain.length:
            raise FaultHere("index-outside", f"{index} is not in 0..{self.domain.length - 1}")
        return index

    def __getitem__(self, index: int) -> Any:
        return _slot(self, self._index(index))

    def __setitem__(self, index: int, value: Any) -> None:
        _slot_set(self, self._index(index), value)

    def __len__(self) -> int:
        return self.domain.length


class PlainMap(Place, MapOf[Any, Any]):
    """A map from entities as a tuple in entity order."""

    domain: _PerEntity[Any, Any]

    def _index(self, entity: object) -> int:
        if entity is Nothing:
            raise FaultHere("nothing-read", "Nothing is used as a value")
        return self.domain.entities.index(entity)

    def __getitem__(self, entity: Any) -> Any:
        return _slot(self, self._index(entity))

    def __setitem__(self, entity: Any, value: Any) -> None:
        _slot_set(self, self._index(entity), value)


def _slot(place: PlainArray | PlainMap, position: int) -> Any:
    def write(value: object) -> None:
        _replace(place, position, value)

    return _element(place.domain.element, Access(lambda: place.read()[position], write))


def _slot_set(place: PlainArray | PlainMap, position: int, value: Any) -> None:
    _replace(place, position, _checked(place.domain.element, value))


def _replace(place: PlainArray | PlainMap, position: int, value: object) -> None:
    elements = place.read()
    place.write((*elements[:position], value, *elements[position + 1 :]))
