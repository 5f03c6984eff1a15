"""The base of finite types, and the types whose values take one cell.

A domain is declared with bounds and entities by name (`Range(0, Bound("checkpoints"))`,
`Ref(Task)`) and resolved when a system is built (`Domain.resolve`); only then has it a size.
A value has exactly one encoding: cells that a value does not use hold their lowest value, so equal
states are equal tuples, and no padding can double them.
"""

from __future__ import annotations

import enum
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType
from typing import ClassVar, Generic, TypeVar, cast

from .errors import FinaleError, nearest
from .values import Nothing

T = TypeVar("T")
E = TypeVar("E", bound=enum.Enum)


@dataclass(frozen=True)
class CellType:
    """One cell of a domain: where in the value it is, and its bounds."""

    path: str
    low: int
    high: int
    boolean: bool = False


def prefixed(prefix: str, cells: Sequence[CellType]) -> tuple[CellType, ...]:
    """The cells of a part, with their paths in the whole."""
    return tuple(CellType(prefix + c.path, c.low, c.high, c.boolean) for c in cells)


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
    """The bounds and entities that resolve declared domains."""

    bounds: Mapping[str, int]
    entities: Mapping[type, Sequence[object]]

    def number(self, declared: int | Bound) -> int:
        """The value of a bound. Raises `unknown-bound`."""
        if isinstance(declared, int):
            return declared
        if not isinstance(cast(object, declared), Bound):
            raise FinaleError(
                "not-a-number",
                f"a domain is limited by {declared!r}",
                advice="limit it by whole numbers, or by Bound(name)",
            )
        if declared.name not in self.bounds:
            raise FinaleError(
                "unknown-bound",
                f'a domain names the bound "{declared.name}", which the protocol does not declare',
                advice=nearest(declared.name, self.bounds),
            )
        return self.bounds[declared.name] + declared.offset

    def length(self, declared: int | Bound) -> int:
        """The value of a bound that says how many elements there are. Raises `negative-length`."""
        number = self.number(declared)
        if number < 0:
            raise FinaleError(
                "negative-length",
                f"a capacity or length is {number}",
                advice="give a number that is not negative",
            )
        return number

    def of(self, kind: type) -> tuple[object, ...]:
        """The entities of class `kind`, subclasses included, in order."""
        return tuple(self.entities.get(kind, ()))


class OutOfDomain(Exception):
    """A value was given that its domain does not have."""


class MissingValue(OutOfDomain):
    """`Nothing` was given where a value must be."""


def outside(value: object, why: str) -> OutOfDomain:
    """Return the error for a value outside a domain."""
    return MissingValue("Nothing is used as a value") if value is Nothing else OutOfDomain(why)


class Domain(Generic[T]):
    """A finite set of values. `T` is the type that a rule sees when it reads such a field."""

    is_place: ClassVar[bool] = False
    """Whether a field of this domain is a place, changed where it is, and not a value."""

    @cached_property
    def holds_places(self) -> bool:
        """Whether it or a part of it is a queue, a set, an array or a map."""
        return self.is_place

    @cached_property
    @abstractmethod
    def size(self) -> int:
        """The number of values."""

    @cached_property
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
        """Return the domain with numbers for bounds, and with its entities."""
        return self

    @cached_property
    def width(self) -> int:
        """The number of cells of a value."""
        return len(self.cells)

    @cached_property
    def filler(self) -> tuple[int, ...]:
        """The contents of the cells if they store no value of this domain."""
        return tuple(cell.low for cell in self.cells)


@dataclass(frozen=True)
class Boolean(Domain[bool]):
    """A truth value. Declared as `Bool`."""

    @cached_property
    def size(self) -> int:
        return 2

    @cached_property
    def cells(self) -> tuple[CellType, ...]:
        return (CellType("", 0, 1, True),)

    def encode(self, value: object) -> tuple[int, ...]:
        if not isinstance(value, bool):
            raise outside(value, f"{value!r} is not a truth value")
        return (int(value),)

    def decode(self, cells: Sequence[int]) -> bool:
        return bool(cells[0])

    def values(self) -> Iterator[bool]:
        yield from (False, True)


Bool = Boolean()


@dataclass(frozen=True)
class Range(Domain[int]):
    """The integers low..high, both included. Truth values are not integers here."""

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

    @cached_property
    def limits(self) -> tuple[int, int]:
        """Both bounds, resolved."""
        assert isinstance(self.low, int), "resolve it first"
        assert isinstance(self.high, int), "resolve it first"
        return self.low, self.high

    @cached_property
    def size(self) -> int:
        low, high = self.limits
        return high - low + 1

    @cached_property
    def cells(self) -> tuple[CellType, ...]:
        return (CellType("", *self.limits),)

    def encode(self, value: object) -> tuple[int, ...]:
        low, high = self.limits
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise outside(value, f"{value!r} is not in {low}..{high}")
        return (int(value),)

    def decode(self, cells: Sequence[int]) -> int:
        return cells[0]

    def values(self) -> Iterator[int]:
        low, high = self.limits
        yield from range(low, high + 1)


@dataclass(frozen=True)
class Enum(Domain[E]):
    """The members of a Python enumeration, in the order of their definition."""

    kind: type[E]

    def resolve(self, scope: Scope) -> Enum[E]:
        if not self.members:
            raise FinaleError(
                "empty-domain",
                f"the enumeration {self.kind.__name__} has no members",
                advice="give it at least one",
            )
        for name in ("__eq__", "__ne__", "__hash__"):
            method = getattr(self.kind, name)
            if isinstance(method, FunctionType) and method.__module__ != "enum":
                raise FinaleError(
                    "special-method",
                    f"the enumeration {self.kind.__name__} defines {name}",
                    advice="members are compared by identity: write a helper",
                )
        return self

    @cached_property
    def members(self) -> tuple[E, ...]:
        return tuple(self.kind)

    @cached_property
    def size(self) -> int:
        return len(self.members)

    @cached_property
    def cells(self) -> tuple[CellType, ...]:
        return (CellType("", 0, self.size - 1),)

    def encode(self, value: object) -> tuple[int, ...]:
        if not isinstance(value, self.kind):
            raise outside(value, f"{value!r} is not a {self.kind.__name__}")
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
        given = cast("object", self.kind)
        if not isinstance(given, type):
            raise FinaleError(
                "ref-without-class",
                f"Ref({given!r}) names no class",
                advice="name the class of the entities; inside its own body, a class refers to a "
                "base class of its entities: `class NodeId(Entity)`, `class Node(NodeId)`, "
                "`Ref(NodeId)`",
            )
        return Ref(self.kind, scope.of(self.kind))

    @cached_property
    def size(self) -> int:
        return len(self.entities)

    @cached_property
    def cells(self) -> tuple[CellType, ...]:
        return (CellType("", 0, max(0, self.size - 1)),)

    def encode(self, value: object) -> tuple[int, ...]:
        for index, entity in enumerate(self.entities):
            if entity is value:
                return (index,)
        known = ", ".join(map(str, self.entities)) or "none"
        raise outside(value, f"{value!r} is not one of {known}")

    def decode(self, cells: Sequence[int]) -> object:
        return self.entities[cells[0]]

    def values(self) -> Iterator[object]:
        yield from self.entities
