"""Executes the rule language on plain Python values: the second opinion on the symbolic side.

The same rule bodies that make decision trees run here on ints, bools, enumeration members,
entities, frozen records, tuples and frozensets. It shares no code with the symbolic side below the
interfaces of `collections.py`, so that their agreement is worth a test. The initial states of a
system are plain values, too.
"""

from __future__ import annotations

import typing
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from finale.model.domains import (
    Array,
    Domain,
    MapDomain,
    MissingValue,
    Option,
    OutOfDomain,
    Queue,
    Set,
    Union,
)
from finale.model.errors import FinaleError, nearest
from finale.model.values import Nothing

from .access import Structure, not_an_index, plain_of, refuse_write
from .collections import ArrayOf, MapOf, QueueOf, SetOf
from .entities import Entity, FieldStore, Variable, World, initial_value
from .path_ends import FaultHere
from .protocol import Protocol


class PlainStore(FieldStore):
    """One state as plain values, by variable."""

    def __init__(self, values: Sequence[object]) -> None:
        self.values = list(values)
        self.earlier: tuple[object, ...] | None = None
        """The state before the step under the names after it, if a rule renumbered entities."""

    def get(self, variable: Variable) -> Any:
        """Return the value of a field, as a rule sees the value."""
        position = variable.position

        def write(value: object) -> None:
            self.values[position] = value

        return _seen(variable.domain, lambda: self.values[position], write)

    def set(self, variable: Variable, value: Any) -> None:
        """Write a field; a value outside its domain is a fault."""
        self.values[variable.position] = _stored(variable.domain, value)

    def rename(self, renaming: Renames) -> None:
        """Let ids stand for others."""
        self.values[:] = renaming.values(self.values)
        self.earlier = tuple(self.values)


class Renames(typing.Protocol):
    """Returns the values after ids stand for others; `renaming.py` has the implementation."""

    def values(self, old: Sequence[object]) -> list[object]: ...


def _stored(domain: Domain[Any], value: Any) -> object:
    """A value as it is stored. Outside its domain it is a fault."""
    plain = plain_of(value)
    try:
        domain.encode(plain)
    except MissingValue as reason:
        raise FaultHere("nothing-read", str(reason)) from None
    except OutOfDomain as reason:
        raise FaultHere("write-outside-domain", str(reason)) from None
    return plain


# --- reading -------------------------------------------------------------------------------------

Read = Callable[[], Any]
Write = Callable[[Any], None]


def _seen(domain: Domain[Any], read: Read, write: Write) -> Any:
    """Return a stored value as a rule sees it: a structure, or a read-only value."""
    kind = _PLACES.get(type(domain))
    if kind is not None:
        return kind(domain, read, write)
    return _viewed(domain, read())


def _viewed(domain: Domain[Any], value: Any) -> Any:
    if not domain.holds_places:
        return value
    match domain:
        case Option():
            return Nothing if value is Nothing else _viewed(domain.element, value)
        case Union():
            parts = domain.parts[domain.kinds.index(type(value))]
            return type(value)(
                **{name: _viewed(part, getattr(value, name)) for name, part in parts}
            )
        case _:
            return _copy(domain, value)


def _copy(domain: Domain[Any], value: Any) -> Structure:
    return _PLACES[type(domain)](domain, lambda: value, lambda _: refuse_write())


class PlainPlace(Structure):
    """A structured value in a state of plain values."""

    def __init__(self, domain: Any, read: Read, write: Write) -> None:
        self.domain = domain
        self._read = read
        self.write = write

    def read(self) -> Any:
        return self._read()

    def copied(self) -> Structure:
        return _copy(self.domain, self._read())


# --- queues and sets -----------------------------------------------------------------------------


class PlainQueue(PlainPlace, QueueOf[Any]):
    """A queue as a tuple, oldest first."""

    domain: Queue[Any]

    @property
    def length(self) -> int:
        return len(self.read())

    @property
    def capacity(self) -> int:
        return self.domain.slots

    @property
    def is_empty(self) -> bool:
        return self.length == 0

    @property
    def has_space(self) -> bool:
        return self.length < self.capacity

    @property
    def head(self) -> Any:
        return self.at(0)

    def at(self, position: Any) -> Any:
        _require_number("a queue", position)
        elements = self.read()
        if position < 0:
            raise FaultHere("index-outside", "a position in a queue is negative")
        if position >= len(elements):
            return Nothing
        return _viewed(self.domain.element, elements[position])

    def _with_space(self) -> tuple[object, ...]:
        elements: tuple[object, ...] = self.read()
        if len(elements) >= self.capacity:
            raise FaultHere(
                "put-into-full-queue", f"the queue already holds its {self.capacity} elements"
            )
        return elements

    def put(self, value: Any) -> None:
        elements = self._with_space()
        self.write((*elements, _stored(self.domain.element, value)))

    def put_first(self, value: Any) -> None:
        elements = self._with_space()
        self.write((_stored(self.domain.element, value), *elements))

    def take(self) -> Any:
        elements = self.read()
        if not elements:
            raise FaultHere("take-from-empty-queue", "the queue is empty")
        self.write(elements[1:])
        return _viewed(self.domain.element, elements[0])

    def clear(self) -> None:
        self.write(())

    def holds(self, wanted: object) -> bool:
        element = self.domain.element
        return any(bool(_viewed(element, each) == wanted) for each in self.read())

    def has_space_for(self, elements: Any) -> bool:
        _require_number("space in a queue", elements)
        return self.length + int(elements) <= self.capacity


class PlainSet(PlainPlace, SetOf[Any]):
    """A set as a frozenset."""

    domain: Set[Any]

    def member(self, value: Any) -> object:
        """A value as it is in the set; one that cannot be is a fault."""
        return _stored(self.domain.element, value)

    def has(self, value: Any) -> bool:
        return any(each == value for each in self.read())

    def add(self, value: Any) -> None:
        self.write(self.read() | {self.member(value)})

    def remove(self, value: Any) -> None:
        self.write(self.read() - {self.member(value)})

    def clear(self) -> None:
        self.write(frozenset())

    @property
    def size(self) -> int:
        return len(self.read())

    @property
    def is_empty(self) -> bool:
        return self.size == 0


# --- arrays and maps -----------------------------------------------------------------------------


class PlainSlots(PlainPlace):
    """The base of arrays and maps: a tuple of elements."""

    domain: Any

    @abstractmethod
    def _index(self, key: Any) -> int:
        """The position of an element."""

    def _replace(self, position: int, value: object) -> None:
        elements = self.read()
        self.write((*elements[:position], value, *elements[position + 1 :]))

    def __getitem__(self, key: Any) -> Any:
        position = self._index(key)

        def write(value: object) -> None:
            self._replace(position, value)

        return _seen(self.domain.element, lambda: self.read()[position], write)

    def __setitem__(self, key: Any, value: Any) -> None:
        position = self._index(key)
        self._replace(position, _stored(self.domain.element, value))


class PlainArray(PlainSlots, ArrayOf[Any]):
    """An array as a tuple."""

    domain: Array[Any]

    def _index(self, key: Any) -> int:
        _require_number("an array", key)
        if not 0 <= key < self.domain.length:
            raise FaultHere("index-outside", f"{key} is not in 0..{self.domain.length - 1}")
        return int(key)

    def __len__(self) -> int:
        return self.domain.length

    def __iter__(self) -> Iterator[Any]:
        return (self[position] for position in range(self.domain.length))


class PlainMap(PlainSlots, MapOf[Any, Any]):
    """A map from entities as a tuple in entity order."""

    domain: MapDomain[Any, Any]

    def _index(self, key: Any) -> int:
        for position, known in enumerate(self.domain.entities):
            if known is key:
                return position
        if key is Nothing:
            raise FaultHere("nothing-read", "Nothing is used as an entity")
        if isinstance(key, Entity):
            raise FaultHere("index-outside", f"{key} has no element in this map")
        raise not_an_index("a map", key)


_PLACES: dict[type, type[PlainPlace]] = {
    Queue: PlainQueue,
    Set: PlainSet,
    Array: PlainArray,
    MapDomain: PlainMap,
}


def _require_number(what: str, index: object) -> None:
    if index is Nothing:
        raise FaultHere("nothing-read", "Nothing is used as a number")
    if not isinstance(index, int):
        raise not_an_index(what, index)


ADVICE = "let start_states() give values of the fields' domains"

Values = tuple[object, ...]
"""A state as plain values, one a variable."""


def start_values(protocol: Protocol, world: World) -> tuple[Values, ...]:
    """The initial states, each once.

    Raises `unknown-field` and `initial-outside-domain` for what a protocol's `start_states` says.
    """
    usual = {variable.name: world.initial_values(variable) for variable in world.variables}
    variables = {variable.name: variable for variable in world.variables}
    started: list[Values] = []
    given: Sequence[Mapping[str, object]] | None = protocol.start_states()
    unchanged: Mapping[str, object] = {}
    for state in (unchanged,) if given is None else given:
        choices = dict(usual)
        for name, value in state.items():
            if name not in variables:
                raise FinaleError(
                    "unknown-field",
                    f'start_states() of {protocol.key} gives "{name}", which is no variable',
                    advice=nearest(name, variables),
                )
            choices[name] = (initial_value(variables[name], value, ADVICE),)
        started += product(*choices.values())
    return tuple(dict.fromkeys(started))


def state_after(world: World, change: Callable[[], None]) -> Mapping[str, object]:
    """A whole state by the names of its variables: the usual one after a change of plain values."""
    store = PlainStore([world.initial_values(variable)[0] for variable in world.variables])
    with world.on(store):
        change()
    return {variable.name: store.values[variable.position] for variable in world.variables}
