"""Between values and cells: a domain's cells as a symbolic value, a value as a domain's cells.

`symbol` reads, `cells_of` writes (with the test that the value is in the domain), `join` merges
two values at the boundary of a helper.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import Any, cast

from model.domains import (
    Bool,
    Boolean,
    Domain,
    Enum,
    Option,
    OutOfDomain,
    Range,
    Ref,
    Union,
)
from model.errors import FinaleError
from model.expressions import (
    FALSE,
    TRUE,
    Constant,
    Expression,
    choose,
    conjunction,
    integer,
    less,
    negation,
    truth,
)
from model.values import Nothing, Record

from .access import Place, Value
from .entities import Entity
from .explore import decide
from .stops import FaultHere, caller
from .symbols import (
    SymbolicBool,
    SymbolicEnum,
    SymbolicInt,
    SymbolicOption,
    SymbolicRecord,
    SymbolicRef,
    _Picked,
    number_of,
    truth_of,
)


def constants(domain: Domain[Any], values: Sequence[int]) -> tuple[Expression, ...]:
    """Known cells as expressions."""
    pairs = zip(domain.cells, values, strict=True)
    return tuple(truth(bool(v)) if cell.boolean else integer(v) for cell, v in pairs)


def symbol(domain: Domain[Any], cells: tuple[Expression, ...]) -> Any:
    """What a rule sees of a value that is stored in these cells."""
    from .places import place_of

    match domain:
        case Boolean():
            only = cells[0]
            return bool(only.value) if isinstance(only, Constant) else SymbolicBool(only)
        case Range():
            only = cells[0]
            return only.value if isinstance(only, Constant) else SymbolicInt(only)
        case Enum() | Ref():
            only = cells[0]
            if isinstance(only, Constant):
                return domain.decode([only.value])
            kind = SymbolicEnum if isinstance(domain, Enum) else SymbolicRef
            return kind(domain, only)
        case Option():
            if cells[0] is FALSE:
                return Nothing
            if cells[0] is TRUE:
                return symbol(domain.element, cells[1:])
            return SymbolicOption(domain, cells)
        case Union():
            if isinstance(cells[0], Constant):
                kind_index = cells[0].value
                record = SymbolicRecord(domain, cells)
                names = [name for name, _ in domain.parts[kind_index]]
                return domain.kinds[kind_index](**{name: record._part(name) for name in names})
            return SymbolicRecord(domain, cells)
        case _:
            return place_of(domain, Value(cells))


def _outside(domain: Domain[Any], value: object) -> FaultHere:
    return FaultHere("write-outside-domain", f"{describe(value)} is not in {name_of(domain)}")


def describe(value: object) -> str:
    """A value in an error message."""
    number = number_of(value) if not isinstance(value, SymbolicOption) else None
    if number is not None and not isinstance(number, Constant):
        return f"a number between {number.low} and {number.high}"
    return f"{value!r}" if not isinstance(value, _Picked) else "an entity or member"


def name_of(domain: Domain[Any]) -> str:
    """A domain in an error message."""
    match domain:
        case Range():
            return "..".join(map(str, domain.limits))
        case Enum() | Ref():
            return f"{type(domain).__name__}({domain.kind.__name__})"
        case Union():
            return " | ".join(kind.__name__ for kind in domain.kinds)
        case _:
            return type(domain).__name__


def _wrong(domain: Domain[Any], value: object) -> FinaleError:
    return FinaleError(
        "write-outside-domain",
        f"{describe(value)} is never in {name_of(domain)}",
        place=caller(),
        advice="store a value of the domain that the field was declared with, or widen the domain",
    )


def cells_of(domain: Domain[Any], value: Any) -> tuple[Expression, ...]:
    """The cells that store a value; where it may be outside the domain, a fault.

    Raises `write-outside-domain` where it is outside in every state.
    """
    if isinstance(value, SymbolicOption) and not isinstance(domain, Option):
        value = value.get()
    match domain:
        case Boolean() if isinstance(value, bool | SymbolicBool):
            return (truth_of(value),)
        case Range() if not isinstance(value, bool | SymbolicBool):
            return (_number_within(domain, value),)
        case Enum() | Ref() if isinstance(value, _Picked):
            return (_index_within(domain, value),)
        case Option():
            return _option_cells(domain, value)
        case Union() if isinstance(value, SymbolicRecord):
            return _union_cells(domain, value)
        case Union() if type.__instancecheck__(Record, value) and type(value) in domain.kinds:
            return _record_cells(domain, value)
        case _ if isinstance(value, Place) and value.domain == domain:
            return value.read()
        case _:
            try:
                return constants(domain, domain.encode(value))
            except OutOfDomain:
                raise _wrong(domain, value) from None


def _number_within(domain: Range, value: object) -> Expression:
    number = number_of(value)
    low, high = domain.limits
    if number is None or number.high < low or number.low > high:
        raise _wrong(domain, value)
    inside = [negation(less(number, integer(low))), negation(less(integer(high), number))]
    if not decide(conjunction(inside)):
        raise _outside(domain, value)
    return number


def _index_within(domain: Domain[Any], value: _Picked) -> Expression:
    if _holds_all_of(domain, value.domain):
        return value.expression
    return constants(domain, _encoded(domain, value.pick()))[0]


def _encoded(domain: Domain[Any], value: object) -> tuple[int, ...]:
    try:
        return domain.encode(value)
    except OutOfDomain:
        raise _outside(domain, value) from None


def _option_cells(domain: Option[Any], value: Any) -> tuple[Expression, ...]:
    filler = constants(domain.element, domain.element.filler)
    if value is Nothing:
        return (FALSE, *filler)
    if not isinstance(value, SymbolicOption):
        return (TRUE, *cells_of(domain.element, value))
    if value.domain == domain:
        return value.cells
    if _holds_all_of(domain.element, value.domain.element):
        pairs = zip(value.cells[1:], filler, strict=True)
        return (value.present, *(choose(value.present, cell, f) for cell, f in pairs))
    if decide(value.present):
        return (TRUE, *cells_of(domain.element, value.payload))
    return (FALSE, *filler)


def _record_cells(domain: Union[Any], value: Any) -> tuple[Expression, ...]:
    index = domain.kinds.index(type(value))
    own = dict(domain.parts[index])
    cells: list[Expression] = [integer(index)]
    for name, (_, part) in domain.layout.items():
        known = cells_of(part, getattr(value, name)) if name in own else None
        cells += known if known is not None else constants(part, part.filler)
    return tuple(cells)


def _union_cells(domain: Union[Any], value: SymbolicRecord) -> tuple[Expression, ...]:
    if value.domain == domain:
        return value.cells
    for kind in value.domain.kinds[:-1]:
        if value.is_variant(kind):
            return _retagged(domain, value, kind)
    return _retagged(domain, value, value.domain.kinds[-1])


def _retagged(domain: Union[Any], value: SymbolicRecord, kind: Any) -> tuple[Expression, ...]:
    if kind not in domain.kinds:
        raise _outside(domain, kind.__name__)
    names = [name for name, _ in value.domain.parts[value.domain.kinds.index(kind)]]
    return _record_cells(domain, kind(**{name: value._part(name) for name in names}))


# --- merging -------------------------------------------------------------------------------------


def join(condition: Expression, yes: Any, no: Any) -> Any:
    """The value that is `yes` where the condition holds, else `no`. Raises `cannot-merge`."""
    if yes is no:
        return yes
    for domain in _common_domains(yes, no):
        try:
            pairs = zip(cells_of(domain, yes), cells_of(domain, no), strict=True)
        except FinaleError:
            continue
        return symbol(domain, tuple(choose(condition, a, b) for a, b in pairs))
    raise _cannot_merge(yes, no)


def _common_domains(yes: Any, no: Any) -> Iterator[Domain[Any]]:
    """Domains that may hold both, without a fork to find out: an option if either may be Nothing."""
    optional = any(value is Nothing or isinstance(value, SymbolicOption) for value in (yes, no))
    known = [shape for shape in (_shape_of(yes), _shape_of(no)) if shape is not None]
    known = [shape.element if isinstance(shape, Option) else shape for shape in known]
    ranges = [shape for shape in known if isinstance(shape, Range)]
    if ranges and len(ranges) == len(known):
        lows, highs = zip(*(shape.limits for shape in ranges), strict=True)
        known = [Range(min(lows), max(highs))]
    if isinstance(yes, Entity) and isinstance(no, Entity):
        shared = next(kind for kind in type(yes).__mro__ if isinstance(no, kind))
        known = [yes.world.ref(shared)]
    for shape in known:
        yield Option(shape) if optional else shape


def _holds_all_of(domain: Domain[Any], other: Domain[Any]) -> bool:
    """Whether every value of `other` is in `domain` and has the same cells there."""
    if isinstance(domain, Range) and isinstance(other, Range):
        return domain.limits[0] <= other.limits[0] and other.limits[1] <= domain.limits[1]
    if isinstance(domain, Ref) and isinstance(other, Ref):
        return domain.entities == other.entities
    return domain == other


def _shape_of(value: Any) -> Domain[Any] | None:
    """The domain of a value, as far as the value tells."""
    if isinstance(value, bool | SymbolicBool):
        return Bool
    number = number_of(value) if isinstance(value, int | SymbolicInt) else None
    if number is not None:
        return Range(number.low, number.high)
    if isinstance(value, _Picked | SymbolicRecord | SymbolicOption | Place):
        return cast("Domain[Any]", value.domain)
    if isinstance(value, enum.Enum):
        return Enum(type(value))
    return value.world.ref(type(value)) if isinstance(value, Entity) else None


def _cannot_merge(yes: object, no: object) -> FinaleError:
    return FinaleError(
        "cannot-merge",
        f"a helper returns values that cannot be one: {describe(yes)} and {describe(no)}",
        place=caller(),
        advice="return values of one domain, or branch in the rule itself instead of in a helper",
    )


__all__ = ["cells_of", "constants", "describe", "join", "name_of", "symbol"]
