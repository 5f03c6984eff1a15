"""Finite types: which values a variable can have, how many, and in which cells each is stored.

A domain is declared with bounds and entities by name (`Range(0, Bound("checkpoints"))`,
`Ref(Task)`) and resolved when a system is built (`Domain.resolve`); only then has it a size.
A value has exactly one encoding: cells that a value does not use hold their lowest value, so equal
states are equal tuples, and no padding can double them.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from .errors import FinaleError, nearest
from .values import Nothing, NothingType, Record

if TYPE_CHECKING:
    from .language.collections import MapOf

T = TypeVar("T")
E = TypeVar("E", bound=enum.Enum)
R = TypeVar("R", bound=Record)

#: A set keeps one truth value an element: more elements than this are surely a mistake.
SET_ELEMENTS_MAX = 256


@dataclass(frozen=True)
class CellType:
    """One cell of a domain: where in the value it is, and its bounds."""

    path: str
    low: int
    high: int
    boolean: bool = False


@dataclass(frozen=True)
class Bound:
    """A bound of the spec by name, plus a constant: `Bound("checkpoints") + 1`."""

    name: str
    offset: int = 0

    def __add__(self, other: int) -> Bound:
        return Bound(self.name, self.offset + other)

    def __sub__(self, other: int) -> Bound:
        return Bound(self.name, self.offset - other)


@dataclass(frozen=True)
class Scope:
    """What declared domains are resolved against: bounds, and the entities of each class."""

    bounds: Mapping[str, int]
    entities: Mapping[type, Sequence[object]]

    def number(self, declared: int | Bound) -> int:
        """The value of a bound. Raises `unknown-bound`."""
        if isinstance(declared, int):
            return declared
        if declared.name not in self.bounds:
            raise FinaleError(
                "unknown-bound",
                f'a domain names the bound "{declared.name}", which the protocol does not declare',
                advice=nearest(declared.name, self.bounds),
            )
        return self.bounds[declared.name] + declared.offset

    def of(self, kind: type) -> tuple[object, ...]:
        """The entities of class `kind`, subclasses included, in order."""
        return tuple(self.entities.get(kind, ()))


class OutOfDomain(Exception):
    """A value was given that its domain does not have."""


class Domain(ABC, Generic[T]):
    """A finite set of values. `T` is the type that a rule sees when it reads such a field."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many values there are."""

    @property
    @abstractmethod
    def cells(self) -> tuple[CellType, ...]:
        """The cells that store a value."""

    @abstractmethod
    def encode(self, value: object) -> tuple[int, ...]:
        """The cells of a plain value. Raises OutOfDomain."""

    @abstractmethod
    def decode(self, cells: Sequence[int]) -> object:
        """The plain value that the cells store."""

    @abstractmethod
    def values(self) -> Iterator[object]:
        """All plain values, each once, in the order of the domain."""

    def resolve(self, scope: Scope) -> Domain[T]:
        """The same domain with numbers for bounds and with its entities."""
        return self

    @property
    def width(self) -> int:
        """How many cells a value takes."""
        return len(self.cells)

    @property
    def filler(self) -> tuple[int, ...]:
        """What the cells hold where no value of this domain is stored."""
        return tuple(cell.low for cell in self.cells)


def _prefixed(prefix: str, cells: Sequence[CellType]) -> tuple[CellType, ...]:
    return tuple(CellType(prefix + c.path, c.low, c.high, c.boolean) for c in cells)


# --- one cell ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Boolean(Domain[bool]):
    """A truth value. Declared as `Bool`."""

    @property
    def size(self) -> int:
        return 2

    @property
    def cells(self) -> tuple[CellType, ...]:
        return (CellType("", 0, 1, True),)

    def encode(self, value: object) -> tuple[int, ...]:
        if not isinstance(value, bool):
            raise OutOfDomain(f"{value!r} is not a truth value")
        return (int(value),)

    def decode(self, cells: Sequence[int]) -> bool:
        return bool(cells[0])

    def values(self) -> Iterator[bool]:
        yield from (False, True)


Bool = Boolean()


@dataclass(frozen=True)
class Range(Domain[int]):
    """The integers low..high, both included."""

    low: int | Bound
    high: int | Bound

    def resolve(self, scope: Scope) -> Range:
        resolved = Range(scope.number(self.low), scope.number(self.high))
        if resolved.limits[0] > resolved.limits[1]:
            raise FinaleError(
                "empty-domain",
                f"Range({resolved.low}, {resolved.high}) has no values",
                advice="give a lower bound that is not above the upper one",
            )
        return resolved

    @property
    def limits(self) -> tuple[int, int]:
        """Both bounds, resolved."""
        assert isinstance(self.low, int) and isinstance(self.high, int), "resolve it first"
        return self.low, self.high

    @property
    def size(self) -> int:
        low, high = self.limits
        return high - low + 1

    @property
    def cells(self) -> tuple[CellType, ...]:
        return (CellType("", *self.limits),)

    def encode(self, value: object) -> tuple[int, ...]:
        low, high = self.limits
        if type(value) is not int or not low <= value <= high:
            raise OutOfDomain(f"{value!r} is not in {low}..{high}")
        return (value,)

    def decode(self, cells: Sequence[int]) -> int:
        return cells[0]

    def values(self) -> Iterator[int]:
        low, high = self.limits
        yield from range(low, high + 1)


@dataclass(frozen=True)
class Enum(Domain[E]):
    """The members of a Python enumeration, in the order of their definition."""

    kind: type[E]

    @cached_property
    def members(self) -> tuple[E, ...]:
        return tuple(self.kind)

    @property
    def size(self) -> int:
        return len(self.members)

    @property
    def cells(self) -> tuple[CellType, ...]:
        return (CellType("", 0, self.size - 1),)

    def encode(self, value: object) -> tuple[int, ...]:
        if not isinstance(value, self.kind):
            raise OutOfDomain(f"{value!r} is not a {self.kind.__name__}")
        return (self.members.index(value),)

    def decode(self, cells: Sequence[int]) -> E:
        return self.members[cells[0]]

    def values(self) -> Iterator[E]:
        yield from self.members


@dataclass(frozen=True)
class Ref(Domain[T]):
    """One entity of a class: a task, a channel, a checkpoint. Of no entities, it has no value."""

    kind: type[T]
    entities: tuple[object, ...] = ()

    def resolve(self, scope: Scope) -> Ref[T]:
        return Ref(self.kind, scope.of(self.kind))

    @property
    def size(self) -> int:
        return len(self.entities)

    @property
    def cells(self) -> tuple[CellType, ...]:
        return (CellType("", 0, max(0, self.size - 1)),)

    def encode(self, value: object) -> tuple[int, ...]:
        for index, entity in enumerate(self.entities):
            if entity is value:
                return (index,)
        raise OutOfDomain(f"{value} is not one of {', '.join(map(str, self.entities))}")

    def decode(self, cells: Sequence[int]) -> object:
        return self.entities[cells[0]]

    def values(self) -> Iterator[object]:
        yield from self.entities


# --- structures ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Option(Domain[T]):
    """A value or `Nothing`. A rule reads it as the value: of `Nothing`, that is a fault."""

    element: Domain[T]

    def resolve(self, scope: Scope) -> Option[T]:
        return Option(self.element.resolve(scope))

    @cached_property
    def size(self) -> int:
        return 1 + self.element.size

    @cached_property
    def cells(self) -> tuple[CellType, ...]:
        return (CellType("?", 0, 1, True), *self.element.cells)

    def encode(self, value: object) -> tuple[int, ...]:
        if isinstance(value, NothingType):
            return (0, *self.element.filler)
        return (1, *self.element.encode(value))

    def decode(self, cells: Sequence[int]) -> object:
        return self.element.decode(cells[1:]) if cells[0] else Nothing

    def values(self) -> Iterator[object]:
        yield Nothing
        yield from self.element.values()


@dataclass(frozen=True)
class Union(Domain[R]):
    """A record of one of several classes. Parts of the same name share their cells."""

    kinds: tuple[type[R], ...]
    parts: tuple[tuple[tuple[str, Domain[object]], ...], ...] = ()

    def __init__(
        self,
        *kinds: type[R],
        parts: tuple[tuple[tuple[str, Domain[object]], ...], ...] = (),
    ) -> None:
        object.__setattr__(self, "kinds", kinds)
        object.__setattr__(self, "parts", parts)

    def resolve(self, scope: Scope) -> Union[R]:
        parts = tuple(
            tuple(
                (name, cast(Domain[object], domain).resolve(scope))
                for name, domain in kind.__parts__.items()
            )
            for kind in self.kinds
        )
        resolved = Union(*self.kinds, parts=parts)
        shared: dict[str, Domain[object]] = {}
        for name, domain in (pair for variant in parts for pair in variant):
            if shared.setdefault(name, domain) != domain:
                raise FinaleError(
                    "union-part-differs",
                    f'the part "{name}" has different domains in '
                    f"{', '.join(kind.__name__ for kind in self.kinds)}",
                    advice="parts of one name share their cells: give them one domain, or two names",
                )
        return resolved

    def inhabited(self, index: int) -> bool:
        """Whether the class at `index` has a value: one with a reference to no entities has none."""
        return all(domain.size for _, domain in self.parts[index])

    @cached_property
    def layout(self) -> dict[str, tuple[int, Domain[object]]]:
        """Where each part is: the offset of its first cell, and its domain."""
        places: dict[str, tuple[int, Domain[object]]] = {}
        offset = 1
        for name, domain in (pair for variant in self.parts for pair in variant):
            if name not in places:
                places[name] = (offset, domain)
                offset += domain.width
        return places

    @cached_property
    def size(self) -> int:
        return sum(prod(domain.size for _, domain in variant) for variant in self.parts)

    @cached_property
    def cells(self) -> tuple[CellType, ...]:
        kind = CellType(".kind", 0, len(self.kinds) - 1)
        return (
            kind,
            *(
                cell
                for name, (_, domain) in self.layout.items()
                for cell in _prefixed(f".{name}", domain.cells)
            ),
        )

    def encode(self, value: object) -> tuple[int, ...]:
        if type(value) not in self.kinds:
            names = ", ".join(kind.__name__ for kind in self.kinds)
            raise OutOfDomain(f"{value!r} is not one of {names}")
        index = self.kinds.index(cast(type[R], type(value)))
        own = dict(self.parts[index])
        cells = [index]
        for name, (_, domain) in self.layout.items():
            cells += domain.encode(getattr(value, name)) if name in own else domain.filler
        return tuple(cells)

    def decode(self, cells: Sequence[int]) -> object:
        named = {}
        for name, _ in self.parts[cells[0]]:
            offset, domain = self.layout[name]
            named[name] = domain.decode(cells[offset : offset + domain.width])
        return self.kinds[cells[0]](**named)

    def values(self) -> Iterator[object]:
        for kind, variant in zip(self.kinds, self.parts, strict=True):
            for combination in product(*(domain.values() for _, domain in variant)):
                yield kind(*combination)


def RecordOf(kind: type[R]) -> Union[R]:  # noqa: N802 - reads as the other domains do
    """A record of one class: a union of one."""
    return Union(kind)


@dataclass(frozen=True)
class _Slots(Domain[T]):
    """Several values of one domain, side by side: what arrays and maps have in common."""

    element: Domain[object]
    count: int | Bound = 0

    @property
    def length(self) -> int:
        assert isinstance(self.count, int), "resolve it first"
        return self.count

    def filled(self, value: object) -> object:
        """The value whose elements are all this one; a tuple is taken as it is."""
        return value if isinstance(value, tuple) else (value,) * self.length

    @property
    def keys(self) -> tuple[object, ...]:
        """What an element is found by."""
        return tuple(range(self.length))

    @cached_property
    def size(self) -> int:
        return self.element.size**self.length

    @cached_property
    def cells(self) -> tuple[CellType, ...]:
        slots = (_prefixed(f"[{key}]", self.element.cells) for key in self.keys)
        return tuple(cell for slot in slots for cell in slot)

    def encode(self, value: object) -> tuple[int, ...]:
        if not isinstance(value, tuple) or len(value) != self.length:
            raise OutOfDomain(f"{value!r} has not the {self.length} elements that are wanted")
        return tuple(cell for each in value for cell in self.element.encode(each))

    def decode(self, cells: Sequence[int]) -> object:
        width = self.element.width
        starts = range(0, width * self.length, width)
        return tuple(self.element.decode(cells[start : start + width]) for start in starts)

    def values(self) -> Iterator[object]:
        yield from product(self.element.values(), repeat=self.length)


class Array(_Slots["ArrayOf[T]"]):
    """`count` values of one domain, by position."""

    def __init__(self, element: Domain[T], count: int | Bound) -> None:
        super().__init__(cast(Domain[object], element), count)

    def resolve(self, scope: Scope) -> Array[T]:
        return Array(cast(Domain[T], self.element.resolve(scope)), scope.number(self.count))


K = TypeVar("K")


@dataclass(frozen=True)
class _PerEntity(_Slots["MapOf[K, T]"], Generic[K, T]):
    kind: type[K] | None = None
    entities: tuple[object, ...] = ()

    @property
    def keys(self) -> tuple[object, ...]:
        return self.entities

    def resolve(self, scope: Scope) -> _PerEntity[K, T]:
        assert self.kind is not None
        entities = scope.of(self.kind)
        return _PerEntity(self.element.resolve(scope), len(entities), self.kind, entities)


def PerEntity(kind: type[K], element: Domain[T]) -> Domain[MapOf[K, T]]:  # noqa: N802
    """A value of `element` for each entity of a class."""
    return _PerEntity(cast(Domain[object], element), 0, kind)


@dataclass(frozen=True)
class Queue(Domain["QueueOf[T]"]):
    """A first-in-first-out sequence of at most `capacity` values."""

    element: Domain[T]
    capacity: int | Bound

    def resolve(self, scope: Scope) -> Queue[T]:
        return Queue(self.element.resolve(scope), scope.number(self.capacity))

    @property
    def slots(self) -> int:
        assert isinstance(self.capacity, int), "resolve it first"
        return self.capacity

    @cached_property
    def size(self) -> int:
        return sum(self.element.size**length for length in range(self.slots + 1))

    @cached_property
    def cells(self) -> tuple[CellType, ...]:
        slots = (_prefixed(f"[{i}]", self.element.cells) for i in range(self.slots))
        return (CellType(".length", 0, self.slots), *(cell for slot in slots for cell in slot))

    def encode(self, value: object) -> tuple[int, ...]:
        if not isinstance(value, tuple) or len(value) > self.slots:
            raise OutOfDomain(f"{value!r} does not fit a queue of capacity {self.slots}")
        cells = [len(value)]
        for each in value:
            cells += self.element.encode(each)
        return (*cells, *self.element.filler * (self.slots - len(value)))

    def decode(self, cells: Sequence[int]) -> object:
        width = self.element.width
        starts = range(1, 1 + width * cells[0], width)
        return tuple(self.element.decode(cells[start : start + width]) for start in starts)

    def values(self) -> Iterator[object]:
        for length in range(self.slots + 1):
            yield from product(self.element.values(), repeat=length)


@dataclass(frozen=True)
class Set(Domain["SetOf[T]"]):
    """A set of values of a small domain."""

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
    def size(self) -> int:
        return int(2**self.element.size)

    @cached_property
    def cells(self) -> tuple[CellType, ...]:
        return tuple(CellType(f"[{value}]", 0, 1, True) for value in self.universe)

    def encode(self, value: object) -> tuple[int, ...]:
        if not isinstance(value, frozenset) or not value <= set(self.universe):
            raise OutOfDomain(f"{value!r} is not a set of values of the domain")
        return tuple(int(each in value) for each in self.universe)

    def decode(self, cells: Sequence[int]) -> object:
        return frozenset(v for v, cell in zip(self.universe, cells, strict=True) if cell)

    def values(self) -> Iterator[object]:
        for bits in product((0, 1), repeat=len(self.universe)):
            yield self.decode(bits)
