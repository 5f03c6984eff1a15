"""Symbolic numbers, truth values, enumeration members and entities that depend on the state.

Each wraps an expression and behaves as the plain value does; a truth test forks (`explore.decide`).
What would silently mean something else raises a coded error: they are not hashed, looped over, made
into text, or compared with what they can never be equal to. Constants come out as plain values.
`symbolic_values.py` has records, options, queues, sets, arrays and maps.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, TypeVar

from finale.model.errors import FinaleError
from finale.model.expressions import (
    TRUE,
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
    truth,
)
from finale.model.values import Nothing

from .entities import Entity
from .explore import decide
from .path_ends import FaultHere, caller

if TYPE_CHECKING:
    from finale.model.domains import Domain, Enum, Ref

T = TypeVar("T")
#: What is always true: a condition that is one was not called.
_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, partial)


def unsupported(what: str, advice: str, code: str = "unsupported-operation") -> FinaleError:
    """Return the error for an operation that symbolic values do not have."""
    return FinaleError(code, what, place=caller(), advice=advice)


def unrelated(left: object, right: object) -> FinaleError:
    """A comparison that can never be true, or has no order."""
    absent = left is None or right is None
    return unsupported(
        f"{left!r} is compared with {right!r}: they are of different kinds",
        "compare with Nothing: None is not a value of the state"
        if absent
        else "compare values of one kind: numbers, members of one enumeration, related entities",
        "compares-unrelated",
    )


class Symbolic:
    """The base of symbolic values: refuses what a state-dependent value cannot do."""

    __slots__ = ()
    #: numpy would compare its numbers with the object: so it leaves that to the value.
    __array_ufunc__ = None

    def is_true(self) -> Expression:
        """Whether the value counts as true, without forking."""
        return TRUE

    def unwrapped(self) -> Any:
        """The value itself; of an option what it holds, where it is Nothing a fault."""
        return self

    def __bool__(self) -> bool:
        return decide(self.is_true())

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else truth_from(negation(truth_of(same)))

    # --- what is refused -------------------------------------------------------------------------

    def __hash__(self) -> int:
        raise unsupported(
            f"{self!r} is hashed",
            "do not build sets or dicts from the state: use a Set or PerEntity field",
            "hash-of-state",
        )

    def __iter__(self) -> Any:
        raise unsupported(
            f"a loop over {self!r}",
            "loop over the topology (all tasks, all channels) and test inside the loop",
            "state-dependent-loop",
        )

    def __contains__(self, item: object) -> bool:
        return bool(self.__iter__())

    def __len__(self) -> int:
        raise unsupported(
            f"len() of {self!r}", "test the parts that matter", "state-dependent-loop"
        )

    def __index__(self) -> int:
        raise unsupported(
            f"{self!r} is used as a loop bound, list index or plain number",
            "loop over the domain (range(bound)) and test inside; index Array or PerEntity fields",
            "state-dependent-loop",
        )

    __int__ = __float__ = __trunc__ = __round__ = __index__

    def __getitem__(self, index: object) -> Any:
        raise unsupported(f"{self!r} is indexed", "index Array or PerEntity fields")

    def __str__(self) -> str:
        raise unsupported(
            f"{self!r} is converted to text",
            "the state contains no texts: use an enumeration or a record",
            "text-of-state",
        )

    def __format__(self, spec: str) -> str:
        return str(self)

    def _no_arithmetic(self) -> Any:
        raise unsupported(
            f"arithmetic on {self!r}",
            "only +, - and comparisons are defined on numbers that depend on the state: write a "
            "product or quotient as a choice over the few values of the domain",
        )

    def _no_operator(self, _: object, /) -> Any:
        return self._no_arithmetic()

    def _no_order(self, other: object) -> Any:
        raise unrelated(self, other)

    __neg__ = __pos__ = __abs__ = __invert__ = _no_arithmetic
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = _no_operator
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __truediv__ = __rtruediv__ = _no_operator
    __pow__ = __rpow__ = __divmod__ = __rdivmod__ = __lshift__ = __rlshift__ = _no_operator
    __rshift__ = __rrshift__ = __and__ = __rand__ = __or__ = __ror__ = _no_operator
    __xor__ = __rxor__ = _no_operator
    __lt__ = __le__ = __gt__ = __ge__ = _no_order


def truth_from(expression: Expression) -> Any:
    """A truth value as a rule sees it: plain if it is known."""
    if isinstance(expression, Constant):
        return bool(expression.value)
    return SymbolicBool(expression)


def number_from(expression: Expression) -> Any:
    """A number as a rule sees it: plain if it is known."""
    return expression.value if isinstance(expression, Constant) else SymbolicInt(expression)


def truth_of(value: object) -> Expression:
    """Whether a value counts as true, as an expression, without forking."""
    return value.is_true() if isinstance(value, Symbolic) else truth(bool(tested(value)))


def tested(value: T) -> T:
    """Return what is tested for truth; refuse a function, which is always true.

    Raises `not-a-truth-value`.
    """
    if isinstance(value, _FUNCTIONS):
        name = getattr(value, "__name__", "a function")
        raise FinaleError(
            "not-a-truth-value",
            f"a condition is {name}, which is a function, and always true",
            place=caller(),
            advice=f"call it: {name}(…)",
        )
    return value


def number_of(value: object) -> Expression | None:
    """A number as an expression; None if the value is none. Of Nothing, a fault."""
    if isinstance(value, SymbolicInt):
        return value.expression
    if isinstance(value, SymbolicBool):
        return choose(value.expression, integer(1), integer(0))
    if isinstance(value, int):
        if type(value).__eq__ is not int.__eq__ or type(value).__lt__ is not int.__lt__:
            raise unsupported(
                f"a {type(value).__name__}, which compares itself, meets a number of the state",
                "write a plain number: int(…)",
            )
        return integer(int(value))
    if value is Nothing:
        raise FaultHere("nothing-read", "Nothing is used as a number")
    inner = value.unwrapped() if isinstance(value, Symbolic) else value
    return None if inner is value else number_of(inner)


class SymbolicNumber(Symbolic):
    """A number or truth value: as in Python, a truth value counts as 0 or 1."""

    __slots__ = ("expression",)

    def __init__(self, expression: Expression) -> None:
        self.expression = expression

    __hash__ = Symbolic.__hash__

    def _operands(self, other: object) -> tuple[Expression, Expression]:
        mine, number = number_of(self), number_of(other)
        if mine is None or number is None:
            raise unrelated(self, other)
        return mine, number

    def __lt__(self, other: object) -> Any:
        return truth_from(less(*self._operands(other)))

    def __gt__(self, other: object) -> Any:
        mine, number = self._operands(other)
        return truth_from(less(number, mine))

    def __le__(self, other: object) -> Any:
        mine, number = self._operands(other)
        return truth_from(negation(less(number, mine)))

    def __ge__(self, other: object) -> Any:
        return truth_from(negation(less(*self._operands(other))))

    def __add__(self, other: object) -> Any:
        return number_from(plus(*self._operands(other)))

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return number_from(minus(*self._operands(other)))

    def __rsub__(self, other: object) -> Any:
        mine, number = self._operands(other)
        return number_from(minus(number, mine))

    def __neg__(self) -> Any:
        return 0 - self

    def __pos__(self) -> Any:
        return 0 + self

    def __abs__(self) -> Any:
        mine, zero = self._operands(0)
        return number_from(choose(less(mine, zero), minus(zero, mine), mine))


class SymbolicBool(SymbolicNumber):
    """A truth value that depends on the state. `&` and `|` combine without forking."""

    __slots__ = ()

    def is_true(self) -> Expression:
        return self.expression

    def __eq__(self, other: object) -> Any:
        if isinstance(other, bool | SymbolicBool):
            return truth_from(equal(self.expression, truth_of(other)))
        return _equal_numbers(self, other)

    __hash__ = Symbolic.__hash__

    def __and__(self, other: object) -> Any:
        return truth_from(conjunction([self.expression, truth_of(other)]))

    def __or__(self, other: object) -> Any:
        return truth_from(disjunction([self.expression, truth_of(other)]))

    def __xor__(self, other: object) -> Any:
        return truth_from(negation(equal(self.expression, truth_of(other))))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __repr__(self) -> str:
        return "a truth value of the state"


class SymbolicInt(SymbolicNumber):
    """An integer that depends on the state."""

    __slots__ = ()

    def is_true(self) -> Expression:
        return negation(equal(self.expression, integer(0)))

    def __eq__(self, other: object) -> Any:
        return _equal_numbers(self, other)

    __hash__ = Symbolic.__hash__

    def __repr__(self) -> str:
        return f"a number between {self.expression.low} and {self.expression.high}"


def _equal_numbers(number: SymbolicNumber, other: object) -> Any:
    if other is Nothing:
        return False
    if isinstance(other, Symbolic) and not isinstance(other, SymbolicNumber):
        return NotImplemented  # it compares itself
    left, right = number_of(number), number_of(other)
    if left is None or right is None:
        raise unrelated(number, other)
    return truth_from(equal(left, right))


# --- enumeration members and entities -------------------------------------------------------------


class SymbolicChoice(Symbolic):
    """One of few Python objects: an enumeration member or an entity.

    Its use as that object (an attribute, a method) forks into the cases, in domain order.
    """

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
        if isinstance(other, Symbolic) and not isinstance(other, SymbolicChoice):
            return NotImplemented  # an option compares itself; anything else refuses
        if isinstance(other, SymbolicChoice):
            return self._equals_picked(other)
        for index, candidate in enumerate(self.candidates()):
            if candidate is other:
                return truth_from(equal(self.expression, integer(index)))
        if not self.is_related(other):
            raise unrelated(self, other)
        return False

    def _equals_picked(self, other: SymbolicChoice) -> Any:
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


class SymbolicEnum(SymbolicChoice):
    """A member of an enumeration that depends on the state."""

    __slots__ = ()
    domain: Enum[Any]

    def is_related(self, other: object) -> bool:
        return isinstance(other, self.domain.kind)

    def __repr__(self) -> str:
        return f"a {self.domain.kind.__name__} of the state"


class SymbolicRef(SymbolicChoice):
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
