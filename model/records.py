"""Finite types with alternatives: options, and unions of record classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import TypeVar, cast, overload

from .errors import FinaleError
from .scalars import CellType, Domain, Scope, outside, prefixed
from .values import Nothing, Record, RecordType

T = TypeVar("T")
R = TypeVar("R", bound=Record)
R1 = TypeVar("R1", bound=Record)
R2 = TypeVar("R2", bound=Record)
R3 = TypeVar("R3", bound=Record)
R4 = TypeVar("R4", bound=Record)
R5 = TypeVar("R5", bound=Record)
R6 = TypeVar("R6", bound=Record)


def refuse_option(element: Domain[object], where: str) -> None:
    """Raises `ambiguous-nothing` where a `Nothing` would have two meanings."""
    if isinstance(element, Option):
        raise FinaleError(
            "ambiguous-nothing",
            f"{where} of options: Nothing would be ambiguous",
            advice="use a record with an optional part, or a union with a record for each case",
        )


@dataclass(frozen=True)
class Option(Domain[T]):
    """A value or `Nothing`. A rule reads it as the value: of `Nothing`, that is a fault."""

    element: Domain[T]

    def resolve(self, scope: Scope) -> Option[T]:
        refuse_option(cast(Domain[object], self.element), "an option")
        return Option(self.element.resolve(scope))

    @cached_property
    def holds_places(self) -> bool:
        return self.element.holds_places

    @cached_property
    def size(self) -> int:
        return 1 + self.element.size

    @cached_property
    def cells(self) -> tuple[CellType, ...]:
        # Where the element has no values (a reference to no entities) it is always Nothing.
        return (CellType("?", 0, min(1, self.element.size), True), *self.element.cells)

    def encode(self, value: object) -> tuple[int, ...]:
        if value is Nothing:
            return (0, *self.element.filler)
        return (1, *self.element.encode(value))

    def decode(self, cells: Sequence[int]) -> object:
        return self.element.decode(cells[1:]) if cells[0] else Nothing

    def values(self) -> Iterator[object]:
        yield Nothing
        yield from self.element.values()


Parts = tuple[tuple[str, Domain[object]], ...]
"""The parts of one class of records: names and domains."""


@dataclass(frozen=True)
class Union(Domain[R]):
    """A record of one of several classes. Parts of the same name share their cells."""

    kinds: tuple[type[R], ...]
    parts: tuple[Parts, ...] = ()

    # The overloads only tell type checkers that a value is of one of the classes.
    @overload
    def __init__(self: Union[R1], one: type[R1], /) -> None: ...
    @overload
    def __init__(self: Union[R1 | R2], one: type[R1], two: type[R2], /) -> None: ...
    @overload
    def __init__(
        self: Union[R1 | R2 | R3], one: type[R1], two: type[R2], three: type[R3], /
    ) -> None: ...
    @overload
    def __init__(
        self: Union[R1 | R2 | R3 | R4],
        one: type[R1],
        two: type[R2],
        three: type[R3],
        four: type[R4],
        /,
    ) -> None: ...
    @overload
    def __init__(
        self: Union[R1 | R2 | R3 | R4 | R5],
        one: type[R1],
        two: type[R2],
        three: type[R3],
        four: type[R4],
        five: type[R5],
        /,
    ) -> None: ...
    @overload
    def __init__(
        self: Union[R1 | R2 | R3 | R4 | R5 | R6],
        one: type[R1],
        two: type[R2],
        three: type[R3],
        four: type[R4],
        five: type[R5],
        six: type[R6],
        /,
    ) -> None: ...
    @overload
    def __init__(self, *kinds: type[R], parts: tuple[Parts, ...] = ()) -> None: ...

    def __init__(self, *kinds: type[Record], parts: tuple[Parts, ...] = ()) -> None:
        object.__setattr__(self, "kinds", kinds)
        object.__setattr__(self, "parts", parts)

    def resolve(self, scope: Scope) -> Union[R]:
        self._check_kinds()
        parts = tuple(
            tuple(
                (name, cast(Domain[object], domain).resolve(scope))
                for name, domain in kind.__parts__.items()
            )
            for kind in self.kinds
        )
        shared: dict[str, Domain[object]] = {}
        for name, domain in (pair for variant in parts for pair in variant):
            if shared.setdefault(name, domain) != domain:
                raise FinaleError(
                    "union-part-differs",
                    f'the part "{name}" has different domains in '
                    f"{', '.join(kind.__name__ for kind in self.kinds)}",
                    advice="parts of one name share their cells: give them one domain, "
                    "or two names",
                )
        return Union(*self.kinds, parts=parts)

    def _check_kinds(self) -> None:
        kinds = cast(tuple[object, ...], self.kinds)
        wrong = any(not isinstance(kind, RecordType) for kind in kinds)
        if wrong or not kinds or len(set(kinds)) < len(kinds):
            given = ", ".join(getattr(kind, "__name__", repr(kind)) for kind in kinds)
            raise FinaleError(
                "union-of-records",
                f"a union is made of one or more different record classes, not of: {given}",
                advice="name classes that derive from Record, each once",
            )

    def inhabited(self, index: int) -> bool:
        """Whether the class at `index` has a value: with a reference to no entities it has none."""
        return all(domain.size for _, domain in self.parts[index])

    @cached_property
    def layout(self) -> dict[str, tuple[int, Domain[object]]]:
        """The offset of the first cell and the domain of each part."""
        places: dict[str, tuple[int, Domain[object]]] = {}
        offset = 1
        for name, domain in (pair for variant in self.parts for pair in variant):
            if name not in places:
                places[name] = (offset, domain)
                offset += domain.width
        return places

    @cached_property
    def holds_places(self) -> bool:
        return any(domain.holds_places for variant in self.parts for _, domain in variant)

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
                for cell in prefixed(f".{name}", domain.cells)
            ),
        )

    def encode(self, value: object) -> tuple[int, ...]:
        if type(value) not in self.kinds:
            names = ", ".join(kind.__name__ for kind in self.kinds)
            raise outside(value, f"{value!r} is not one of {names}")
        index = self.kinds.index(cast(type[R], type(value)))
        own = dict(self.parts[index])
        cells = [index]
        for name, (_, domain) in self.layout.items():
            cells += domain.encode(getattr(value, name)) if name in own else domain.filler
        return tuple(cells)

    def decode(self, cells: Sequence[int]) -> object:
        named: dict[str, object] = {}
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
