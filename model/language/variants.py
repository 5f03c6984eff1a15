"""Symbolic records and options: what they are depends on the state."""

from __future__ import annotations

from typing import Any, NoReturn

from model.domains import Option, Union
from model.errors import FinaleError, nearest
from model.expressions import (
    Expression,
    conjunction,
    disjunction,
    equal,
    integer,
    negation,
)
from model.values import Nothing, NothingType, Record, RecordType

from .explore import decide
from .stops import FaultHere, caller
from .symbols import Symbolic, truth_from, truth_of, unrelated


class SymbolicRecord(Symbolic):
    """A record whose class, among those of a union, depends on the state."""

    __slots__ = ("cells", "domain")
    domain: Union[Any]
    cells: tuple[Expression, ...]

    def __init__(self, domain: Union[Any], cells: tuple[Expression, ...]) -> None:
        object.__setattr__(self, "domain", domain)
        object.__setattr__(self, "cells", cells)

    def is_kind(self, wanted: Any) -> Expression:
        """Whether it is of a record class, without forking."""
        kinds = enumerate(self.domain.kinds)
        indices = [i for i, kind in kinds if issubclass(kind, wanted) and self.domain.inhabited(i)]
        if all(i in indices or not self.domain.inhabited(i) for i in range(len(self.domain.kinds))):
            return conjunction([])
        return disjunction(equal(self.cells[0], integer(i)) for i in indices)

    def is_variant(self, wanted: type) -> bool:
        """The question of `isinstance` and of a class pattern."""
        return decide(self.is_kind(wanted))

    def of_kind(self, index: int) -> Any:
        """The record, known to be of the class at `index`."""
        names = (name for name, _ in self.domain.parts[index])
        return self.domain.kinds[index](**{name: self.part(name) for name in names})

    def part(self, name: str) -> Any:
        """A part, of a record that is known to have it."""
        from .shapes import symbol  # shapes makes symbols

        offset, domain = self.domain.layout[name]
        return symbol(domain, self.cells[offset : offset + domain.width])

    def __eq__(self, other: object) -> Any:
        if other is Nothing:
            return False
        if isinstance(other, Symbolic) and not isinstance(other, SymbolicRecord):
            return NotImplemented  # an option compares itself; anything else refuses
        if isinstance(other, RecordType):
            return truth_from(self.is_kind(other))
        if isinstance(other, SymbolicRecord):
            return truth_from(self._equals(other))
        if not type.__instancecheck__(Record, other):
            raise unrelated(self, other)
        if type(other) not in self.domain.kinds:
            return False
        return truth_from(self._equals_record(other))

    __hash__ = Symbolic.__hash__

    def _equals_record(self, other: object) -> Expression:
        same = [self.is_kind(type(other))]
        for name, _ in self.domain.parts[self.domain.kinds.index(type(other))]:
            same.append(truth_of(self.part(name) == getattr(other, name)))
        return conjunction(same)

    def _equals(self, other: SymbolicRecord) -> Expression:
        return disjunction(
            conjunction(
                [
                    self.is_kind(kind),
                    other.is_kind(kind),
                    *(truth_of(self.part(n) == other.part(n)) for n in kind.__parts__),
                ]
            )
            for kind in self.domain.kinds
            if kind in other.domain.kinds
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self.domain.layout:
            if any(hasattr(kind, name) for kind in self.domain.kinds):
                return getattr(self._on_this_path(), name)
            kinds = ", ".join(kind.__name__ for kind in self.domain.kinds)
            raise FinaleError(
                "unknown-field",
                f'no record of {kinds} has a part "{name}"',
                place=caller(),
                advice=nearest(name, self.domain.layout),
            )
        owners = [i for i, variant in enumerate(self.domain.parts) if name in dict(variant)]
        if not decide(disjunction(equal(self.cells[0], integer(i)) for i in owners)):
            raise FaultHere(
                "field-of-another-variant", f'"{name}" is read of a record that has no such part'
            )
        return self.part(name)

    def _on_this_path(self) -> Any:
        """The record with its class known: forks into the cases in the order of the union."""
        inhabited = [i for i in range(len(self.domain.kinds)) if self.domain.inhabited(i)]
        for index in inhabited[:-1]:
            if decide(equal(self.cells[0], integer(index))):
                return self.of_kind(index)
        return self.of_kind(inhabited[-1])

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FinaleError(
            "record-is-frozen",
            f'the part "{name}" of a record is assigned: a record is a value',
            place=caller(),
            advice="make a new record, or declare the parts as fields of an entity",
        )

    def __repr__(self) -> str:
        return f"a {' | '.join(kind.__name__ for kind in self.domain.kinds)} of the state"


class SymbolicOption(Symbolic):
    """A value or Nothing, depending on the state. Used as the value, it must not be Nothing."""

    __slots__ = ("cells", "domain")
    domain: Option[Any]
    cells: tuple[Expression, ...]

    def __init__(self, domain: Option[Any], cells: tuple[Expression, ...]) -> None:
        object.__setattr__(self, "domain", domain)
        object.__setattr__(self, "cells", cells)

    @property
    def present(self) -> Expression:
        """Whether it is a value."""
        return self.cells[0]

    @property
    def payload(self) -> Any:
        """The value, where it is one."""
        from .shapes import symbol  # shapes makes symbols

        return symbol(self.domain.element, self.cells[1:])

    def unwrapped(self) -> Any:
        """The value; where it is Nothing, a fault."""
        if not decide(self.present):
            raise FaultHere("nothing-read", "Nothing is used as a value")
        return self.payload

    def is_variant(self, wanted: type) -> bool:
        """The question of `isinstance` and of a class pattern."""
        if wanted is NothingType:
            return not decide(self.present)
        return decide(self.present) and isinstance(self.payload, wanted)

    def is_true(self) -> Expression:
        return conjunction([self.present, truth_of(self.payload)])

    def __eq__(self, other: object) -> Any:
        if other is Nothing:
            return truth_from(negation(self.present))
        if isinstance(other, SymbolicOption):
            same = truth_of(self.payload == other.payload)
            both = conjunction([self.present, other.present, same])
            neither = conjunction([negation(self.present), negation(other.present)])
            return truth_from(disjunction([both, neither]))
        return truth_from(conjunction([self.present, truth_of(self.payload == other)]))

    __hash__ = Symbolic.__hash__

    def __lt__(self, other: object) -> Any:
        return self.unwrapped() < other

    def __gt__(self, other: object) -> Any:
        return self.unwrapped() > other

    def __le__(self, other: object) -> Any:
        return self.unwrapped() <= other

    def __ge__(self, other: object) -> Any:
        return self.unwrapped() >= other

    def __add__(self, other: object) -> Any:
        return self.unwrapped() + other

    def __radd__(self, other: object) -> Any:
        return self + other

    def __sub__(self, other: object) -> Any:
        return self.unwrapped() - other

    def __rsub__(self, other: object) -> Any:
        return other - self.unwrapped()

    def __neg__(self) -> Any:
        return -self.unwrapped()

    def __pos__(self) -> Any:
        return +self.unwrapped()

    def __abs__(self) -> Any:
        return abs(self.unwrapped())

    def __and__(self, other: object) -> Any:
        return self.unwrapped() & other

    def __or__(self, other: object) -> Any:
        return self.unwrapped() | other

    def __xor__(self, other: object) -> Any:
        return self.unwrapped() ^ other

    def __rand__(self, other: object) -> Any:
        return self & other

    def __ror__(self, other: object) -> Any:
        return self | other

    def __rxor__(self, other: object) -> Any:
        return self ^ other

    def __getitem__(self, index: object) -> Any:
        return self.unwrapped()[index]

    def __contains__(self, item: object) -> bool:
        return item in self.unwrapped()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.unwrapped(), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.unwrapped(), name, value)

    def __repr__(self) -> str:
        return f"Nothing or {self.payload!r}"
