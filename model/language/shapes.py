"""Between values and cells: a domain's cells as a symbolic value, a value as a domain's cells.

`symbol` reads; `cells_of` writes, with the test that the value is in the domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from model.domains import Boolean, Domain, Enum, Option, OutOfDomain, Range, Ref, Union
from model.errors import FinaleError
from model.expressions import (
    FALSE,
    TRUE,
    Constant,
    Expression,
    choose,
    conjunction,
    disjunction,
    equal,
    integer,
    less,
    negation,
    truth,
)
from model.values import Nothing, Record

from .access import Place, plain_of
from .entities import Entity
from .explore import decide, settled
from .picks import Picked, SymbolicEnum, SymbolicRef
from .stops import FaultHere, caller
from .symbols import SymbolicBool, SymbolicInt, number_from, number_of, truth_from, truth_of
from .variants import SymbolicOption, SymbolicRecord

Cells = tuple[Expression, ...]


def constants(domain: Domain[Any], values: Sequence[int]) -> Cells:
    """Known cells as expressions."""
    pairs = zip(domain.cells, values, strict=True)
    return tuple(truth(bool(v)) if cell.boolean else integer(v) for cell, v in pairs)


def symbol(domain: Domain[Any], cells: Cells) -> Any:
    """What a rule sees of a value that is stored in these cells."""
    match domain:
        case Boolean():
            return truth_from(cells[0])
        case Range():
            return number_from(cells[0])
        case Enum() | Ref():
            only = cells[0]
            if isinstance(only, Constant):
                return domain.decode([only.value])
            kind = SymbolicEnum if isinstance(domain, Enum) else SymbolicRef
            return kind(domain, only)
        case Option():
            present = settled(cells[0])
            if present is FALSE:
                return Nothing
            inner = cells[1:]
            return (
                symbol(domain.element, inner) if present is TRUE else SymbolicOption(domain, cells)
            )
        case Union():
            record = SymbolicRecord(domain, cells)
            only = cells[0]
            return record.of_kind(only.value) if isinstance(only, Constant) else record
        case _:
            from .places import CopyRegion, place_of  # places are made of symbols

            return place_of(domain, CopyRegion(cells))


# --- writing -------------------------------------------------------------------------------------


def name_of(domain: Domain[Any]) -> str:
    """A domain in an error message."""
    match domain:
        case Boolean():
            return "Bool"
        case Range():
            return "..".join(map(str, domain.limits))
        case Enum() | Ref():
            return f"{type(domain).__name__}({domain.kind.__name__})"
        case Union():
            return " | ".join(kind.__name__ for kind in domain.kinds)
        case _:
            return type(domain).__name__.replace("MapDomain", "PerEntity")


def _wrong(domain: Domain[Any], value: object) -> NoReturn:
    raise FinaleError(
        "write-outside-domain",
        f"{value!r} is never in {name_of(domain)}",
        place=caller(),
        advice="store a value of the domain that the field was declared with, or widen the domain",
    )


def _refuse_where(test: Expression, domain: Domain[Any], value: object) -> None:
    if decide(test):
        raise FaultHere("write-outside-domain", f"{value!r} is not in {name_of(domain)}")


def cells_of(domain: Domain[Any], value: Any, given: Expression = TRUE) -> Cells:
    """The cells that store a value; where it may be outside the domain, a fault.

    `given` is when it is a value at all. Raises `write-outside-domain` for what the domain never
    has: a value of another kind.
    """
    if isinstance(domain, Option):
        return _option_cells(domain, value, given)
    if isinstance(value, SymbolicOption):
        if decide(conjunction([given, negation(value.present)])):
            raise FaultHere("nothing-read", "Nothing is used as a value")
        value = value.payload
    if value is Nothing:
        raise FaultHere("nothing-read", "Nothing is used as a value")
    match domain:
        case Boolean() if isinstance(value, bool | SymbolicBool):
            return (truth_of(value),)
        case Range() if isinstance(value, int | SymbolicInt) and not isinstance(value, bool):
            return (_number_within(domain, value, given),)
        case Enum() | Ref() if isinstance(value, Picked):
            return (_index_within(domain, value, given),)
        case Ref() if isinstance(value, Entity):
            return _entity_cells(domain, value)
        case Union() if isinstance(value, SymbolicRecord):
            return _union_cells(domain, value, given)
        case Union() if type.__instancecheck__(Record, value) and type(value) in domain.kinds:
            return _record_cells(domain, value, given)
        case _ if isinstance(value, Place):
            if not domain.is_place:
                _wrong(domain, value)
            if value.domain != domain:
                _refuse_structure(domain, value)
            cells: Cells = value.read()
            return cells
        case _:
            return _encoded(domain, value)


def _encoded(domain: Domain[Any], value: object) -> Cells:
    try:
        return constants(domain, domain.encode(plain_of(value)))
    except OutOfDomain:
        _wrong(domain, value)


def _refuse_structure(domain: Domain[Any], value: Place) -> NoReturn:
    raise FinaleError(
        "structures-differ",
        f"a {name_of(value.domain)} is stored as a {name_of(domain)} of another domain",
        place=caller(),
        advice="give both fields one domain: the same elements, and the same capacity or length",
    )


def _number_within(domain: Range, value: object, given: Expression) -> Expression:
    number = number_of(value)
    assert number is not None
    low, high = domain.limits
    inside = conjunction(
        [negation(less(number, integer(low))), negation(less(integer(high), number))]
    )
    _refuse_where(conjunction([given, negation(inside)]), domain, value)
    return number


def _entity_cells(domain: Ref[Any], value: Entity) -> Cells:
    try:
        return constants(domain, domain.encode(value))
    except OutOfDomain:
        raise FaultHere("write-outside-domain", f"{value!r} is not in {name_of(domain)}") from None


def _index_within(domain: Domain[Any], value: Picked, given: Expression) -> Expression:
    if value.domain == domain:
        return value.expression
    places = {id(each): index for index, each in enumerate(domain.values())}
    candidates = value.candidates()
    known = [i for i, each in enumerate(candidates) if id(each) in places]
    if isinstance(domain, Enum) or isinstance(value.domain, Enum):
        _wrong(domain, value)
    lost = [i for i in range(len(candidates)) if i not in known]
    outside = disjunction(equal(value.expression, integer(i)) for i in lost)
    _refuse_where(conjunction([given, outside]), domain, value)
    index: Expression = integer(places[id(candidates[known[-1]])] if known else 0)
    for i in reversed(known[:-1]):
        here = equal(value.expression, integer(i))
        index = choose(here, integer(places[id(candidates[i])]), index)
    return index


def _option_cells(domain: Option[Any], value: Any, given: Expression) -> Cells:
    filler = constants(domain.element, domain.element.filler)
    if value is Nothing:
        return (FALSE, *filler)
    if not isinstance(value, SymbolicOption):
        return (TRUE, *cells_of(domain.element, value, given))
    if value.domain == domain:
        return value.cells
    present = value.present
    cells = cells_of(domain.element, value.payload, conjunction([given, present]))
    return (present, *(choose(present, c, f) for c, f in zip(cells, filler, strict=True)))


def _record_cells(domain: Union[Any], value: Any, given: Expression) -> Cells:
    index = domain.kinds.index(type(value))
    own = dict(domain.parts[index])
    cells: list[Expression] = [integer(index)]
    for name, (_, part) in domain.layout.items():
        known = cells_of(part, getattr(value, name), given) if name in own else None
        cells += known if known is not None else constants(part, part.filler)
    return tuple(cells)


def _union_cells(domain: Union[Any], value: SymbolicRecord, given: Expression) -> Cells:
    """The cells of a record that is one of several classes, in another union."""
    if value.domain == domain:
        return value.cells
    kinds = [(i, k) for i, k in enumerate(value.domain.kinds) if value.domain.inhabited(i)]
    known = [(i, k) for i, k in kinds if k in domain.kinds]
    lost = disjunction(value.is_kind(k) for _, k in kinds if k not in domain.kinds)
    _refuse_where(conjunction([given, lost]), domain, value)
    if not known:
        return constants(domain, domain.filler)
    whole: Cells = ()
    for i, kind in reversed(known):
        here = value.is_kind(kind)
        cells = _record_cells(domain, value.of_kind(i), conjunction([given, here]))
        pairs = zip(cells, whole, strict=True)
        whole = tuple(choose(here, mine, other) for mine, other in pairs) if whole else cells
    return whole


__all__ = ["cells_of", "constants", "name_of", "symbol"]
