"""Finite types that consist of many values: arrays, maps, queues, sets.

As a field of an entity, or an element of such an array or map, they are *places*: a rule changes
them where they are. Inside an option, a record, a queue or a set they are part of a value, which is
replaced as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Generic, TypeVar, cast

from .errors import FinaleError
from .language.collections import ArrayOf, MapOf, QueueOf, SetOf
from .records import refuse_option
from .scalars import Bound, CellType, Domain, OutOfDomain, Scope, outside, prefixed

T = TypeVar("T")
K = TypeVar("K")

#: A set keeps one truth value an element: more elements than this are surely a mistake.
SET_ELEMENTS_MAX = 256


def _tuple_of(value: object) -> tuple[object, ...] | None:
    return cast(tuple[object, ...], value) if isinstance(value, tuple) else None


def _elements(element: Domain[T], cells: Sequence[int], count: int) -> tuple[object, ...]:
    width = element.width
    return tuple(element.decode(cells[i * width : (i + 1) * width]) for i in range(count))


@dataclass(frozen=True)
class Slots(Domain[T]):
    """Several values of one domain, side by side: what arrays and maps have in common."""

    is_place = True

    element: Domain[object]
    count: int | Bound = 0

    @property
    def length(self) -> int:
        assert isinstance(self.count, int), "resolve it first"
        return self.count

    def filled(self, value: object) -> object:
        """The value whose elements are all this one; a tuple with all elements as it is."""
        try:
            self.encode(value)
        except OutOfDomain:
            inner = self.element
            one = inner.filled(value) if isinstance(inner, Slots) else value
            return (one,) * self.length
        return value

    @property
    def keys(self) -> tuple[object, ...]:
        """The keys of the elements."""
        return tuple(range(self.length))

    @cached_property
    def size(self) -> int:
        return int(self.element.size**self.length)

    @cached_property
    def cells(self) -> tuple[CellType, ...]:
        slots = (prefixed(f"[{key}]", self.element.cells) for key in self.keys)
        return tuple(cell for slot in slots for cell in slot)

    def encode(self, value: object) -> tuple[int, ...]:
        elements = _tuple_of(value)
        if elements is None or len(elements) != self.length:
            raise outside(value, f"{value!r} has not the {self.length} elements that are wanted")
        return tuple(cell for each in elements for cell in self.element.encode(each))

    def decode(self, cells: Sequence[int]) -> object:
        return _elements(self.element, cells, self.length)

    def values(self) -> Iterator[object]:
        yield from product(self.element.values(), repeat=self.length)


class Array(Slots[ArrayOf[T]]):
    """`count` values of one domain, by position."""

    def __init__(self, element: Domain[T], count: int | Bound) -> None:
        super().__init__(cast(Domain[object], element), count)

    def resolve(self, scope: Scope) -> Array[T]:
        return Array(cast(Domain[T], self.element.resolve(scope)), scope.length(self.count))


@dataclass(frozen=True)
class MapDomain(Slots[MapOf[K, T]], Generic[K, T]):
    """A value for each entity of a class. Declared with `PerEntity`."""

    kind: type[K] | None = None
    entities: tuple[object, ...] = ()

    @property
    def keys(self) -> tuple[object, ...]:
        return self.entities

    def resolve(self, scope: Scope) -> MapDomain[K, T]:
        assert self.kind is not None
        entities = scope.of(self.kind)
        return MapDomain(self.element.resolve(scope), len(entities), self.kind, entities)


def PerEntity(kind: type[K], element: Domain[T]) -> Domain[MapOf[K, T]]:  # noqa: N802
    """A value of `element` for each entity of a class."""
    domain: MapDomain[K, T] = MapDomain(cast(Domain[object], element), 0, kind)
    return domain


# --- queues and sets -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Queue(Domain[QueueOf[T]]):
    """A first-in-first-out sequence of at most `capacity` values."""

    is_place = True

    element: Domain[T]
    capacity: int | Bound

    def resolve(self, scope: Scope) -> Queue[T]:
        refuse_option(cast(Domain[object], self.element), "a queue")
        return Queue(self.element.resolve(scope), scope.length(self.capacity))

    @property
    def slots(self) -> int:
        assert isinstance(self.capacity, int), "resolve it first"
        return self.capacity

    @cached_property
    def size(self) -> int:
        return sum(self.element.size**length for length in range(self.slots + 1))

    @cached_property
    def cells(self) -> tuple[CellType, ...]:
        slots = (prefixed(f"[{i}]", self.element.cells) for i in range(self.slots))
        longest = self.slots if self.element.size else 0
        return (CellType(".length", 0, longest), *(cell for slot in slots for cell in slot))

    def encode(self, value: object) -> tuple[int, ...]:
        elements = _tuple_of(value)
        if elements is None or len(elements) > self.slots:
            raise outside(value, f"{value!r} does not fit a queue of capacity {self.slots}")
        cells = [len(elements)]
        for each in elements:
            cells += self.element.encode(each)
        return (*cells, *self.element.filler * (self.slots - len(elements)))

    def decode(self, cells: Sequence[int]) -> object:
        return _elements(self.element, cells[1:], cells[0])

    def values(self) -> Iterator[object]:
        for length in range(self.slots + 1):
            yield from product(self.element.values(), repeat=length)


@dataclass(frozen=True)
class Set(Domain[SetOf[T]]):
    """A set of values of a small domain."""

    is_place = True

    element: Domain[T]

    def resolve(self, scope: Scope) -> Set[T]:
        resolved = Set(self.element.resolve(scope))
        if resolved.element.size > SET_ELEMENTS_MAX:
            raise FinaleError(
                "set-too-large",
                f"a set over {resolved.element.size} values takes a truth value for each",
                advice=f"take a domain of at most {SET_ELEMENTS_MAX} values, or count instead",
            )
        return resolved

    @cached_property
    def universe(self) -> tuple[object, ...]:
        """Every value that can be in the set."""
        return tuple(self.element.values())

    @cached_property
    def positions(self) -> dict[tuple[int, ...], int]:
        """Which cell says whether a value is in the set, by the value's own cells."""
        return {self.element.encode(each): i for i, each in enumerate(self.universe)}

    @cached_property
    def size(self) -> int:
        return int(2**self.element.size)

    @cached_property
    def cells(self) -> tuple[CellType, ...]:
        return tuple(CellType(f"[{value}]", 0, 1, True) for value in self.universe)

    def encode(self, value: object) -> tuple[int, ...]:
        if not isinstance(value, frozenset):
            raise outside(value, f"{value!r} is not a set of values of the domain")
        members = cast(frozenset[object], value)
        found = {self.positions[self.element.encode(each)] for each in members}
        return tuple(int(i in found) for i in range(len(self.universe)))

    def decode(self, cells: Sequence[int]) -> object:
        return frozenset(v for v, cell in zip(self.universe, cells, strict=True) if cell)

    def values(self) -> Iterator[object]:
        for bits in product((0, 1), repeat=len(self.universe)):
            yield self.decode(bits)
