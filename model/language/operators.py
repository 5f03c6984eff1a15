"""Implements Python's operators during exploration, without forks if possible.

`and`, `or`, `not`, `in`, chained comparisons and conditional expressions test truth values, so in
plain Python each would fork the run. `syntax.py` rewrites them into calls of these functions, which
mean the same: an operand that plain Python would not come to is explored only as far as it would
(`merged` with `given`). Where operands have no common domain they fork after all.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterable
from types import FunctionType, MappingProxyType
from typing import Any, cast

from finale.model.errors import FinaleError
from finale.model.expressions import (
    FALSE,
    TRUE,
    Constant,
    Expression,
    conjunction,
    disjunction,
    integer,
    less,
    negation,
)
from finale.model.values import Nothing, Record

from .access import Structure
from .checks import COMPARES_OBJECTS, WRITE_EQUAL
from .collections import ArrayOf, MapOf, QueueOf, SetOf
from .entities import Entity
from .explore import Branch, current, decide, merged, note_branch, settled
from .guards import operands
from .joining import CannotJoin, as_returned, join, joined
from .path_ends import caller
from .symbolic_values import SymbolicOption, SymbolicRecord
from .symbols import (
    Symbolic,
    SymbolicBool,
    SymbolicChoice,
    SymbolicNumber,
    number_of,
    tested,
    truth_from,
    truth_of,
    unsupported,
)

Thunk = Callable[[], Any]

_COMPARISONS = MappingProxyType(
    {
        "Eq": operator.eq,
        "NotEq": operator.ne,
        "Lt": operator.lt,
        "LtE": operator.le,
        "Gt": operator.gt,
        "GtE": operator.ge,
    }
)


# --- and, or, not --------------------------------------------------------------------------------


def _short_circuit(thunks: tuple[Thunk, ...], decisive: bool) -> Any:
    """`or` (decisive True) or `and` (False): the first operand that decides, else the last."""
    first, *others = operands(thunks, decisive)
    value = first()
    for thunk in others:
        if not isinstance(value, Symbolic):
            if bool(tested(value)) is decisive:
                return value
            value = thunk()
            continue
        test = truth_of(value)
        going = settled(negation(test) if decisive else test)
        if going is FALSE:
            return value
        following = _evaluated(thunk, going)
        if decisive and isinstance(value, SymbolicOption):
            value = value.payload  # it counts only where it is true
        value = _selected(going, following, value)
    return value


def both(*thunks: Thunk) -> Any:
    """`a and b`: as in Python, the first operand that is false, else the last."""
    return _short_circuit(thunks, decisive=False)


def either(*thunks: Thunk) -> Any:
    """`a or b`: as in Python, the first operand that is true, else the last."""
    return _short_circuit(thunks, decisive=True)


def inverse(value: Any) -> Any:
    """`not a`."""
    return (
        truth_from(negation(truth_of(value))) if isinstance(value, Symbolic) else not tested(value)
    )


def as_truth(value: Any) -> Any:
    """`bool(a)`."""
    return truth_from(truth_of(value))


def _evaluated(thunk: Thunk, given: Expression) -> Any:
    """The value of an operand, in the states in which plain Python evaluates the operand."""
    return merged(lambda: as_returned(thunk()), current().store, join, given)


def _selected(test: Expression, yes: Any, no: Any) -> Any:
    try:
        return joined(test, yes, no)
    except CannotJoin:
        return yes if decide(test) else no


# --- conditional expressions ---------------------------------------------------------------------


def if_else(branch: Callable[[bool], Branch], condition: Any, yes: Thunk, no: Thunk) -> Any:
    """`yes if condition else no`; `branch` names an outcome for coverage."""

    def side(thunk: Thunk, outcome: bool) -> Any:
        note_branch(branch(outcome))
        return thunk()

    test = settled(truth_of(condition))
    if isinstance(test, Constant):
        return side(yes, True) if test.value else side(no, False)
    first = _evaluated(lambda: side(yes, True), test)
    second = _evaluated(lambda: side(no, False), negation(test))
    return _selected(test, first, second)


# --- comparisons ---------------------------------------------------------------------------------


def chained(left: Any, *following: Any) -> Any:
    """`a < b <= c`: operators by name and operands as thunks, alternating."""
    so_far: list[Expression] = []
    for name, thunk in zip(following[::2], following[1::2], strict=True):
        going = settled(conjunction(so_far))
        if going is FALSE:
            break
        right = thunk() if going is TRUE else _evaluated(thunk, going)
        compare, first = _COMPARISONS[name], left
        so_far.append(truth_of(_evaluated(lambda: compare(first, right), going)))  # noqa: B023
        left = right
    return truth_from(conjunction(so_far))


def contains(container: Any, item: Any) -> Any:
    """`item in container`, for what rules look into."""
    if isinstance(container, SymbolicOption):
        container = container.unwrapped()
    if isinstance(container, QueueOf | SetOf):
        place = cast(Any, container)
        return place.holds(item) if isinstance(container, QueueOf) else place.has(item)
    if isinstance(container, range) and isinstance(item, SymbolicNumber) and container.step == 1:
        number = number_of(item)
        assert number is not None
        below = less(number, integer(container.start))
        return truth_from(conjunction([negation(below), less(number, integer(container.stop))]))
    if isinstance(container, ArrayOf) or type(container) in _LOOKED_INTO:
        found: list[Expression] = []
        for each in cast("Iterable[Any]", container):
            same = each is item or each == item
            if same is True:
                return True
            found.append(truth_of(same))
        return truth_from(disjunction(found))
    return item in container


#: Types of Python whose `in` compares one element after the other. A subclass may say otherwise.
_LOOKED_INTO = (tuple, list, set, frozenset, dict, range)


def excludes(container: Any, item: Any) -> Any:
    """`item not in container`."""
    return inverse(contains(container, item))


def is_instance(value: Any, kinds: Any) -> Any:
    """`isinstance(value, kinds)`, without forking. Raises `case-builtin`."""
    _refuse_own_check(value, kinds)
    if isinstance(value, SymbolicOption):
        inner = truth_of(is_instance(value.payload, kinds))
        absent = TRUE if isinstance(Nothing, kinds) else FALSE
        present = value.present
        return truth_from(
            disjunction([conjunction([present, inner]), conjunction([negation(present), absent])])
        )
    if isinstance(value, SymbolicChoice):
        return truth_from(value.is_instance(kinds))
    if isinstance(value, SymbolicRecord):
        return truth_from(value.is_kind(kinds))
    if isinstance(value, SymbolicNumber):
        return isinstance(False if isinstance(value, SymbolicBool) else 0, kinds)
    return isinstance(value, kinds)


def _refuse_own_check(value: Any, kinds: Any) -> None:
    """A class of a user's can answer `isinstance` itself: it would be asked of no value."""
    if isinstance(value, Symbolic):
        for kind in kinds if isinstance(kinds, tuple) else (kinds,):
            check = type(kind).__instancecheck__
            if isinstance(check, FunctionType) and not check.__module__.startswith(_KNOWN_CHECKS):
                raise unsupported(
                    f"the class {kind.__name__} has an `isinstance` of its own, which does not "
                    "know values of the state",
                    "match record classes, or compare with values",
                    "case-builtin",
                )


#: Modules whose classes of classes answer `isinstance` by inheritance.
_KNOWN_CHECKS = ("finale.", "abc", "enum", "typing")


def subject(value: Any) -> Any:
    """The subject of a `match` with class patterns: members and entities split into cases."""
    if isinstance(value, Structure):
        bool(value)  # refuses
    if isinstance(value, SymbolicOption) and isinstance(value.payload, SymbolicChoice):
        value = value.payload if decide(value.present) else Nothing
    return value.pick() if isinstance(value, SymbolicChoice) else value


# --- what a rule may change ----------------------------------------------------------------------


def owner(target: Any) -> Any:
    """Check the target of an attribute assignment: an entity. Raises `rule-mutates`."""
    if isinstance(target, type):
        raise FinaleError(
            "field-assigned-on-class",
            f"a field is assigned on the class {target.__name__}, not on one of its entities",
            place=caller(),
            advice="assign it on an entity: a parameter of the rule, or one of self's",
        )
    if isinstance(target, Entity | Symbolic | Structure) or target is Nothing:
        return target
    if type.__instancecheck__(Record, target):
        return target  # refuses by itself
    raise _mutates(target, "an attribute is assigned")


def slots(target: Any) -> Any:
    """Check the target of an element assignment: an array or map. Raises `rule-mutates`."""
    if isinstance(target, ArrayOf | MapOf | Symbolic) or target is Nothing:
        return cast(Any, target)
    raise _mutates(target, "an assignment changes an element of")


def changeable(target: Any, method: str) -> Any:
    """Check the object of a method that changes it. Raises `rule-mutates`."""
    if isinstance(target, list | dict | set | bytearray | deque):
        raise _mutates(cast(object, target), f"`.{method}(...)` changes")
    return target


def is_same(left: Any, right: Any) -> bool:
    """`left is right`, which only tells whether a plain value is None. Raises `rule-uses-is`."""
    of_the_state = any(isinstance(each, Symbolic | Structure) for each in (left, right))
    if (left is None or right is None) and not of_the_state:
        return left is right
    raise FinaleError("rule-uses-is", COMPARES_OBJECTS, place=caller(), advice=WRITE_EQUAL)


def is_other(left: Any, right: Any) -> bool:
    """`left is not right`, as `is_same`."""
    return not is_same(left, right)


def _mutates(target: object, what: str) -> FinaleError:
    return FinaleError(
        "rule-mutates",
        f"{what} a Python {type(target).__name__} that is not part of the state",
        place=caller(),
        advice="store lasting values in fields of entities; build lists with comprehensions",
    )
