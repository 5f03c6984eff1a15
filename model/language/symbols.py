"""Symbolic values: what a rule sees instead of a number, a truth value, an entity or a record.

Each wraps expressions and behaves as the plain value does; a truth test forks (`explore.decide`).
They are unhashable, so that a set or dict built from the state fails loudly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from model.errors import FinaleError, nearest
from model.expressions import (
    FALSE,
    TRUE,
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
    truth,
)
from model.values import Nothing, NothingType, Record, RecordType

from .explore import decide
from .stops import FaultHere, caller

if TYPE_CHECKING:
    from model.domains import Domain, Enum, Option, Ref, Union


def _unsupported(what: str, advice: str, code: str = "unsupported-operation") -> NoReturn:
    raise FinaleError(code, what, place=caller(), advice=advice)


class Symbolic:
    """The base of symbolic values: refuses what a state-dependent value cannot do."""

    __slots__ = ()

    def __hash__(self) -> int:
        _unsupported(
            "a value that depends on the state cannot be hashed",
            "do not build sets or dicts from the state: use a Set or PerEntity field",
            "hash-of-state",
        )

    def __iter__(self) -> NoReturn:
        _unsupported(
            "a loop over a value that depends on the state",
            "loop over the topology (all tasks, all channels) and test inside the loop",
            "state-dependent-loop",
        )

    def __index__(self) -> NoReturn:
        _unsupported(
            "a number that depends on the state is used as a loop bound or list index",
            "loop over the domain (range(bound)) and test inside; index Array or PerEntity fields",
            "state-dependent-loop",
        )

    def __arithmetic__(self, *_: object) -> NoReturn:
        _unsupported(
            "only +, - and comparisons are defined on values that depend on the state",
            "write a product or quotient as a choice over the few values of the domain",
        )

    __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __arithmetic__
    __truediv__ = __pow__ = __lshift__ = __rshift__ = __arithmetic__

    def __ne__(self, other: object) -> SymbolicBool:  # type: ignore[override]
        return SymbolicBool(negation(truth_of(self.__eq__(other))))


def truth_of(value: object) -> Expression:
    """The truth value as an expression, without forking."""
    if isinstance(value, SymbolicBool):
        return value.expression
    if isinstance(value, Symbolic):
        return truth_of(value.is_true())  # type: ignore[attr-defined]
    return truth(bool(value))


def number_of(value: object) -> Expression | None:
    """The integer as an expression; None if the value is not a number."""
    if isinstance(value, SymbolicInt):
        return value.expression
    if isinstance(value, SymbolicBool):
        return choose(value.expression, integer(1), integer(0))
    if isinstance(value, SymbolicOption):
        return number_of(value.get())
    return integer(int(value)) if isinstance(value, int) else None


class SymbolicBool(Symbolic):
    """A truth value that depends on the state. `&` and `|` combine without forking."""

    __slots__ = ("expression",)

    def __init__(self, expression: Expression) -> None:
        self.expression = expression

    def __bool__(self) -> bool:
        return decide(self.expression)

    def is_true(self) -> SymbolicBool:
        return self

    def __eq__(self, other: object) -> SymbolicBool:  # type: ignore[override]
        if isinstance(other, bool | SymbolicBool):
            return SymbolicBool(equal(self.expression, truth_of(other)))
        number = number_of(other)
        if number is None:
            return SymbolicBool(FALSE)
        return SymbolicBool(equal(choose(self.expression, integer(1), integer(0)), number))

    __hash__ = Symbolic.__hash__

    def __and__(self, other: object) -> SymbolicBool:
        return SymbolicBool(conjunction([self.expression, truth_of(other)]))

    def __or__(self, other: object) -> SymbolicBool:
        return SymbolicBool(disjunction([self.expression, truth_of(other)]))

    def __xor__(self, other: object) -> SymbolicBool:
        return SymbolicBool(negation(equal(self.expression, truth_of(other))))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __add__(self, other: object) -> SymbolicInt:
        return SymbolicInt(choose(self.expression, integer(1), integer(0))) + other

    __radd__ = __add__


class SymbolicInt(Symbolic):
    """An integer that depends on the state."""

    __slots__ = ("expression",)

    def __init__(self, expression: Expression) -> None:
        self.expression = expression

    def __bool__(self) -> bool:
        return bool(self.is_true())

    def is_true(self) -> SymbolicBool:
        return SymbolicBool(negation(equal(self.expression, integer(0))))

    def __eq__(self, other: object) -> SymbolicBool:  # type: ignore[override]
        if isinstance(other, SymbolicOption):
            return other == self
        number = number_of(other)
        return SymbolicBool(FALSE if number is None else equal(self.expression, number))

    __hash__ = Symbolic.__hash__

    def _with(self, other: object) -> Expression:
        number = number_of(other)
        if number is None:
            _unsupported(
                f"a number is combined or compared with {other!r}",
                "compare numbers with numbers",
            )
        return number

    def __lt__(self, other: object) -> SymbolicBool:
        return SymbolicBool(less(self.expression, self._with(other)))

    def __gt__(self, other: object) -> SymbolicBool:
        return SymbolicBool(less(self._with(other), self.expression))

    def __le__(self, other: object) -> SymbolicBool:
        return SymbolicBool(negation(less(self._with(other), self.expression)))

    def __ge__(self, other: object) -> SymbolicBool:
        return SymbolicBool(negation(less(self.expression, self._with(other))))

    def __add__(self, other: object) -> SymbolicInt:
        return SymbolicInt(plus(self.expression, self._with(other)))

    __radd__ = __add__

    def __sub__(self, other: object) -> SymbolicInt:
        return SymbolicInt(minus(self.expression, self._with(other)))

    def __rsub__(self, other: object) -> SymbolicInt:
        return SymbolicInt(minus(self._with(other), self.expression))

    def __neg__(self) -> SymbolicInt:
        return SymbolicInt(minus(integer(0), self.expression))


class _Picked(Symbolic):
    """A value among few Python objects: using one as that object splits into cases."""

    __slots__ = ("domain", "expression")

    def __init__(self, domain: Domain[Any], expression: Expression) -> None:
        object.__setattr__(self, "domain", domain)
        object.__setattr__(self, "expression", expression)

    def candidates(self) -> tuple[Any, ...]:
        """The objects, in the order of the domain."""
        return tuple(self.domain.values())

    def pick(self) -> Any:
        """The object on this path: forks into the cases in domain order."""
        candidates = self.candidates()
        for index, candidate in enumerate(candidates[:-1]):
            if decide(equal(self.expression, integer(index))):
                return candidate
        return candidates[-1]

    def __bool__(self) -> bool:
        return True

    def is_true(self) -> SymbolicBool:
        return SymbolicBool(TRUE)

    def __eq__(self, other: object) -> SymbolicBool:  # type: ignore[override]
        if isinstance(other, SymbolicOption):
            return other == self
        if isinstance(other, _Picked):
            if other.domain == self.domain:
                return SymbolicBool(equal(self.expression, other.expression))
            mine, theirs = self.candidates(), other.candidates()
            same = [(i, theirs.index(c)) for i, c in enumerate(mine) if c in theirs]
            return SymbolicBool(
                disjunction(
                    conjunction(
                        [equal(self.expression, integer(i)), equal(other.expression, integer(j))]
                    )
                    for i, j in same
                )
            )
        for index, candidate in enumerate(self.candidates()):
            if candidate is other:
                return SymbolicBool(equal(self.expression, integer(index)))
        return SymbolicBool(FALSE)

    __hash__ = Symbolic.__hash__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.pick(), name)


class SymbolicEnum(_Picked):
    """A member of an enumeration that depends on the state."""

    __slots__ = ()
    domain: Enum[Any]


class SymbolicRef(_Picked):
    """An entity that depends on the state; ordered as its class is."""

    __slots__ = ()
    domain: Ref[Any]

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.pick(), name, value)

    def _position(self, other: object) -> Expression:
        if isinstance(other, SymbolicOption):
            other = other.get()
        if isinstance(other, SymbolicRef):
            return other.expression
        return integer(self.domain.encode(other)[0])

    def __lt__(self, other: object) -> SymbolicBool:
        return SymbolicBool(less(self.expression, self._position(other)))

    def __gt__(self, other: object) -> SymbolicBool:
        return SymbolicBool(less(self._position(other), self.expression))

    def __le__(self, other: object) -> SymbolicBool:
        return SymbolicBool(negation(less(self._position(other), self.expression)))

    def __ge__(self, other: object) -> SymbolicBool:
        return SymbolicBool(negation(less(self.expression, self._position(other))))


class SymbolicRecord(Symbolic):
    """A record whose class, among those of a union, depends on the state."""

    __slots__ = ("cells", "domain")

    def __init__(self, domain: Union[Any], cells: tuple[Expression, ...]) -> None:
        self.domain = domain
        self.cells = cells

    def _is_kind(self, wanted: type) -> Expression:
        kinds = enumerate(self.domain.kinds)
        indices = [i for i, kind in kinds if issubclass(kind, wanted) and self.domain.inhabited(i)]
        return disjunction(equal(self.cells[0], integer(i)) for i in indices)

    def is_variant(self, wanted: type) -> bool:
        """The question of `isinstance` and of a class pattern."""
        return decide(self._is_kind(wanted))

    def __bool__(self) -> bool:
        return True

    def is_true(self) -> SymbolicBool:
        return SymbolicBool(TRUE)

    def __eq__(self, other: object) -> SymbolicBool:  # type: ignore[override]
        if isinstance(other, SymbolicOption):
            return other == self
        if isinstance(other, RecordType):
            return SymbolicBool(self._is_kind(other))
        if isinstance(other, SymbolicRecord) and other.domain == self.domain:
            pairs = zip(self.cells, other.cells, strict=True)
            return SymbolicBool(conjunction(equal(a, b) for a, b in pairs))
        if isinstance(other, SymbolicRecord):
            _unsupported("records of different unions are compared", "compare their parts")
        if not type.__instancecheck__(Record, other) or type(other) not in self.domain.kinds:
            return SymbolicBool(FALSE)
        parts = [self._is_kind(type(other))]
        for name, _ in self.domain.parts[self.domain.kinds.index(type(other))]:
            parts.append(truth_of(self._part(name) == getattr(other, name)))
        return SymbolicBool(conjunction(parts))

    __hash__ = Symbolic.__hash__

    def _part(self, name: str) -> Any:
        from .shapes import symbol

        offset, domain = self.domain.layout[name]
        return symbol(domain, self.cells[offset : offset + domain.width])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self.domain.layout:
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
        return self._part(name)


class SymbolicOption(Symbolic):
    """A value or Nothing, depending on the state. Used as the value, it must not be Nothing."""

    __slots__ = ("cells", "domain")

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
        from .shapes import symbol

        return symbol(self.domain.element, self.cells[1:])

    def get(self) -> Any:
        """The value; where it is Nothing, a fault."""
        if not decide(self.present):
            raise FaultHere("nothing-read", "Nothing is used as a value")
        return self.payload

    def is_variant(self, wanted: type) -> bool:
        """The question of `isinstance` and of a class pattern."""
        if wanted is NothingType:
            return not decide(self.present)
        return decide(self.present) and isinstance(self.payload, wanted)

    def __bool__(self) -> bool:
        return bool(self.is_true())

    def is_true(self) -> SymbolicBool:
        return SymbolicBool(conjunction([self.present, truth_of(self.payload)]))

    def __eq__(self, other: object) -> SymbolicBool:  # type: ignore[override]
        if other is Nothing:
            return SymbolicBool(negation(self.present))
        if isinstance(other, SymbolicOption):
            both = conjunction(
                [self.present, other.present, truth_of(self.payload == other.payload)]
            )
            neither = conjunction([negation(self.present), negation(other.present)])
            return SymbolicBool(disjunction([both, neither]))
        return SymbolicBool(conjunction([self.present, truth_of(self.payload == other)]))

    __hash__ = Symbolic.__hash__

    def __lt__(self, other: object) -> Any:
        return self.get() < other

    def __gt__(self, other: object) -> Any:
        return self.get() > other

    def __le__(self, other: object) -> Any:
        return self.get() <= other

    def __ge__(self, other: object) -> Any:
        return self.get() >= other

    def __add__(self, other: object) -> Any:
        return self.get() + other

    def __sub__(self, other: object) -> Any:
        return self.get() - other

    __radd__ = __add__

    def __rsub__(self, other: object) -> Any:
        return other - self.get()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.get(), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.get(), name, value)
