"""Symbolic members of enumerations and symbolic entities: one of few Python objects.

Using one as that object (an attribute, a method) splits into cases, in the order of the domain.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from model.expressions import (
    Expression,
    choose,
    conjunction,
    disjunction,
    equal,
    integer,
    less,
    negation,
)
from model.values import Nothing

from .entities import Entity
from .explore import decide
from .stops import FaultHere
from .symbols import Symbolic, truth_from, unrelated

if TYPE_CHECKING:
    from model.domains import Domain, Enum, Ref


class Picked(Symbolic):
    """A value among few Python objects."""

    __slots__ = ("domain", "expression")
    domain: Any
    expression: Expression

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

    def is_instance(self, kinds: Any) -> Expression:
        """Whether the object is an instance, without forking."""
        return self._one_of(
            i for i, each in enumerate(self.candidates()) if isinstance(each, kinds)
        )

    def _one_of(self, indices: Any) -> Expression:
        chosen = set(indices)
        if len(chosen) == len(self.candidates()):
            return conjunction([])
        return disjunction(equal(self.expression, integer(index)) for index in sorted(chosen))

    def is_true(self) -> Expression:
        return self._one_of(i for i, each in enumerate(self.candidates()) if each)

    @abstractmethod
    def is_related(self, other: object) -> bool:
        """Whether such an object could be equal to another value."""

    def __eq__(self, other: object) -> Any:
        if other is Nothing:
            return False
        if isinstance(other, Symbolic) and not isinstance(other, Picked):
            return NotImplemented  # an option compares itself; anything else refuses
        if isinstance(other, Picked):
            return self._equals_picked(other)
        for index, candidate in enumerate(self.candidates()):
            if candidate is other:
                return truth_from(equal(self.expression, integer(index)))
        if not self.is_related(other):
            raise unrelated(self, other)
        return False

    def _equals_picked(self, other: Picked) -> Any:
        if other.domain == self.domain:
            return truth_from(equal(self.expression, other.expression))
        mine, theirs = self.candidates(), other.candidates()
        if mine and theirs and not self.is_related(theirs[0]):
            raise unrelated(self, other)
        places = {id(each): i for i, each in enumerate(theirs)}
        return truth_from(
            disjunction(
                conjunction(
                    [
                        equal(self.expression, integer(i)),
                        equal(other.expression, integer(places[id(each)])),
                    ]
                )
                for i, each in enumerate(mine)
                if id(each) in places
            )
        )

    __hash__ = Symbolic.__hash__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.pick(), name)


class SymbolicEnum(Picked):
    """A member of an enumeration that depends on the state."""

    __slots__ = ()
    domain: Enum[Any]

    def is_related(self, other: object) -> bool:
        return isinstance(other, self.domain.kind)

    def __repr__(self) -> str:
        return f"a {self.domain.kind.__name__} of the state"


class SymbolicRef(Picked):
    """An entity that depends on the state; ordered as entities are."""

    __slots__ = ()
    domain: Ref[Any]

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.pick(), name, value)

    def is_related(self, other: object) -> bool:
        """Entities whose classes have an ancestor in common, other than Entity, may be equal."""
        kinds = type(other).__mro__
        shared = next(kind for kind in self.domain.kind.__mro__ if kind in kinds)
        return issubclass(shared, Entity) and (shared is not Entity or self.domain.kind is Entity)

    def _below(self, other: object, inclusive: bool) -> Expression:
        """Whether it comes before another entity (or is that one) in the order of entities."""
        other = other.unwrapped() if isinstance(other, Symbolic) else other
        if other is Nothing:
            raise FaultHere("nothing-read", "Nothing is used as an entity")
        if isinstance(other, SymbolicRef):
            mine, theirs = self.expression, other.expression
            if other.domain != self.domain:
                mine, theirs = self._place(), other._place()
            return negation(less(theirs, mine)) if inclusive else less(mine, theirs)
        if not isinstance(other, Entity):
            raise unrelated(self, other)
        before = sum(1 for each in self.candidates() if each < other)
        here = inclusive and any(each is other for each in self.candidates())
        return less(self.expression, integer(before + here))

    def _place(self) -> Expression:
        """The place among all entities of the world."""
        *others, last = [integer(each.world.position(each)) for each in self.candidates()]
        place: Expression = last
        for index, position in reversed(list(enumerate(others))):
            place = choose(equal(self.expression, integer(index)), position, place)
        return place

    def __lt__(self, other: object) -> Any:
        return truth_from(self._below(other, inclusive=False))

    def __le__(self, other: object) -> Any:
        return truth_from(self._below(other, inclusive=True))

    def __gt__(self, other: object) -> Any:
        return truth_from(negation(self._below(other, inclusive=True)))

    def __ge__(self, other: object) -> Any:
        return truth_from(negation(self._below(other, inclusive=False)))

    def __repr__(self) -> str:
        return f"a {self.domain.kind.__name__} of the state"
