"""Joins two values that two paths of a helper return into one value."""

from __future__ import annotations

import enum
from dataclasses import fields, is_dataclass
from typing import Any, cast

from finale.model.domains import Bool, Domain, Enum, Option, Range, Ref, Union
from finale.model.errors import FinaleError
from finale.model.expressions import Expression, choose
from finale.model.values import Nothing, Record

from .access import Structure, settled_value
from .entities import Entity
from .explore import settled
from .path_ends import caller
from .symbolic_values import SymbolicOption, SymbolicRecord, cells_of, symbol
from .symbols import SymbolicBool, SymbolicChoice, SymbolicInt, number_of

_NOTHING: Domain[Any] = Option(Bool)
"""The shape of Nothing by itself, compared by identity."""


class CannotJoin(Exception):
    """Two values that no one domain has."""


def as_returned(value: Any) -> Any:
    """A value as a helper returns it: places are copied, also within tuples.

    An option of which the path knows whether it is Nothing is so no longer: what the caller learns
    from the condition of the path would otherwise be lost.
    """
    if isinstance(value, SymbolicOption):
        return symbol(value.domain, (settled(value.present), *value.cells[1:]))
    return settled_value(value)


def join(condition: Expression, yes: Any, no: Any) -> Any:
    """The value that is `yes` where the condition holds, else `no`. Raises `cannot-merge`."""
    try:
        return joined(condition, yes, no)
    except CannotJoin:
        raise _cannot_merge(yes, no) from None


def joined(condition: Expression, yes: Any, no: Any) -> Any:
    """As `join`. Raises CannotJoin."""
    if yes is no:
        return yes
    if isinstance(yes, tuple) or isinstance(no, tuple):
        return _joined_tuples(condition, yes, no)
    known, other = _shape_of(yes), _shape_of(no)
    if known is None or other is None:
        return _joined_objects(condition, yes, no)
    domain = _common(known, other)
    pairs = zip(cells_of(domain, yes), cells_of(domain, no), strict=True)
    return symbol(domain, tuple(choose(condition, a, b) for a, b in pairs))


def _joined_tuples(condition: Expression, yes: Any, no: Any) -> Any:
    if type(yes) is not type(no) or len(yes) != len(no):
        raise CannotJoin
    parts = tuple(joined(condition, a, b) for a, b in zip(yes, no, strict=True))
    if type(yes) is tuple:
        return parts
    if not hasattr(yes, "_make"):  # not of a NamedTuple
        raise CannotJoin
    return yes._make(parts)


def _joined_objects(condition: Expression, yes: Any, no: Any) -> Any:
    """Join what is no value of the state: equal plain values, or frozen dataclasses by fields.

    Objects are never compared: `==` of two objects with values of the state in them would ask the
    state outside of any path.
    """
    if type(yes) is not type(no):
        raise CannotJoin
    if type(yes) in _PLAIN and yes == no:
        return yes
    if not is_dataclass(yes) or not cast(Any, yes).__dataclass_params__.frozen:
        raise CannotJoin
    result = object.__new__(type(yes))
    for each in fields(yes):
        part = joined(condition, getattr(yes, each.name), getattr(no, each.name))
        object.__setattr__(result, each.name, part)
    return result


#: Types of Python whose values are equal only if nothing can tell them apart.
_PLAIN = (str, bytes)


# --- shapes --------------------------------------------------------------------------------------


def _shape_of(value: Any) -> Domain[Any] | None:
    """A domain that surely has the value, as small as the value tells."""
    if isinstance(value, bool | SymbolicBool):
        return Bool
    if isinstance(value, int | SymbolicInt) and not isinstance(value, enum.Enum):
        number = number_of(value)
        assert number is not None
        return Range(number.low, number.high)
    if isinstance(value, SymbolicChoice | SymbolicRecord | SymbolicOption | Structure):
        return value.domain
    if isinstance(value, enum.Enum):
        return Enum(type(value))
    if isinstance(value, Entity):
        return value.world.ref(type(value))
    if value is Nothing:
        return _NOTHING
    return _record_shape(value) if type.__instancecheck__(Record, value) else None


def _record_shape(record: Record) -> Domain[Any] | None:
    parts: list[tuple[str, Domain[Any]]] = []
    kind = type(record)
    for name in kind.__parts__:
        shape = _shape_of(getattr(record, name))
        if shape is None:
            return None
        parts.append((name, shape))
    return Union(kind, parts=(tuple(parts),))


def _common(one: Domain[Any], other: Domain[Any]) -> Domain[Any]:
    """A domain that has the values of both. Raises CannotJoin."""
    if one == other:
        return one
    if one is _NOTHING or other is _NOTHING:
        there = other if one is _NOTHING else one
        return there if isinstance(there, Option) else Option(there)
    match one, other:
        case (Option(), _) | (_, Option()):
            elements = [each.element if isinstance(each, Option) else each for each in (one, other)]
            return Option(_common(*elements))
        case Range(), Range():
            lows, highs = zip(one.limits, other.limits, strict=True)
            return Range(min(lows), max(highs))
        case Ref(), Ref():
            return _common_ref(one, other)
        case Union(), Union():
            return _common_union(one, other)
        case _:
            raise CannotJoin


def _common_ref(one: Ref[Any], other: Ref[Any]) -> Domain[Any]:
    shared = next(kind for kind in one.kind.__mro__ if issubclass(other.kind, kind))
    if not issubclass(shared, Entity) or shared is Entity:
        raise CannotJoin
    entities = cast("tuple[Entity, ...]", one.entities or other.entities)
    return entities[0].world.ref(shared) if entities else one


def _common_union(one: Union[Any], other: Union[Any]) -> Domain[Any]:
    shared: dict[str, Domain[Any]] = {}
    variants: dict[type[Record], tuple[str, ...]] = {}
    for union in (one, other):
        for kind, variant in zip(union.kinds, union.parts, strict=True):
            variants[kind] = tuple(name for name, _ in variant)
            for name, domain in variant:
                shared[name] = _common(shared[name], domain) if name in shared else domain
    parts = tuple(tuple((n, shared[n]) for n in names) for names in variants.values())
    return Union(*variants, parts=parts)


def _cannot_merge(yes: object, no: object) -> FinaleError:
    absent = yes is None or no is None
    return FinaleError(
        "cannot-merge",
        f"a helper returns values that cannot be merged: {yes!r} and {no!r}",
        place=caller(),
        advice="return a value on every path: Nothing where there is none"
        if absent
        else "return values of one domain, or branch in the rule itself instead of in a helper",
    )
