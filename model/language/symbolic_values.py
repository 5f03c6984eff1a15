"""Values of the state as a rule sees them: records, options, queues, sets, arrays and maps.

A value is stored in cells. `symbol` returns what a rule sees of some cells; `cells_of` returns the
cells that store a value, and tests that the value is in the domain.
"""

from __future__ import annotations

import operator as op
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from finale.model.domains import (
    Array,
    Boolean,
    Domain,
    Enum,
    MapDomain,
    Option,
    OutOfDomain,
    Queue,
    Range,
    Ref,
    Set,
    Union,
)
from finale.model.errors import FinaleError, nearest
from finale.model.expressions import (
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
    minus,
    negation,
    plus,
    truth,
)
from finale.model.values import Nothing, NothingType, Record, RecordType

from .access import Structure, not_an_index, plain_of, refuse_write
from .collections import ArrayOf, MapOf, QueueOf, SetOf
from .entities import Entity
from .explore import PathCells, current, decide, settled
from .path_ends import FaultHere, caller
from .symbols import (
    Symbolic,
    SymbolicBool,
    SymbolicChoice,
    SymbolicEnum,
    SymbolicInt,
    SymbolicRef,
    number_from,
    number_of,
    truth_from,
    truth_of,
    unrelated,
)

Cells = tuple[Expression, ...]


# --- cells as values -----------------------------------------------------------------------------


def constants(domain: Domain[Any], values: Sequence[int]) -> Cells:
    """Known cells as expressions."""
    pairs = zip(domain.cells, values, strict=True)
    return tuple(truth(bool(v)) if cell.boolean else integer(v) for cell, v in pairs)


def symbol(domain: Domain[Any], cells: Cells) -> Any:
    """Return the value of some cells, as a rule sees the value."""
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
            return place_of(domain, CopyRegion(cells))


# --- values as cells ------------------------------------------------------------------------------


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
        case Enum() | Ref() if isinstance(value, SymbolicChoice):
            return (_index_within(domain, value, given),)
        case Ref() if isinstance(value, Entity):
            return _entity_cells(domain, value)
        case Union() if isinstance(value, SymbolicRecord):
            return _union_cells(domain, value, given)
        case Union() if type.__instancecheck__(Record, value) and type(value) in domain.kinds:
            return _record_cells(domain, value, given)
        case _ if isinstance(value, Structure):
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


def _refuse_structure(domain: Domain[Any], value: Structure) -> NoReturn:
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


def _index_within(domain: Domain[Any], value: SymbolicChoice, given: Expression) -> Expression:
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
    lost = disjunction(value.is_exactly(k) for _, k in kinds if k not in domain.kinds)
    _refuse_where(conjunction([given, lost]), domain, value)
    if not known:
        return constants(domain, domain.filler)
    whole: Cells = ()
    for i, kind in reversed(known):
        here = value.is_exactly(kind)
        cells = _record_cells(domain, value.of_kind(i), conjunction([given, here]))
        pairs = zip(cells, whole, strict=True)
        whole = tuple(choose(here, mine, other) for mine, other in pairs) if whole else cells
    return whole


# --- records and options -------------------------------------------------------------------------


class SymbolicRecord(Symbolic):
    """A record whose class, among those of a union, depends on the state."""

    __slots__ = ("cells", "domain")
    domain: Union[Any]
    cells: tuple[Expression, ...]

    def __init__(self, domain: Union[Any], cells: tuple[Expression, ...]) -> None:
        object.__setattr__(self, "domain", domain)
        object.__setattr__(self, "cells", cells)

    def is_kind(self, wanted: Any) -> Expression:
        """Whether it is of a record class or of a subclass, without forking: `isinstance`."""
        return self._is_one(lambda kind: issubclass(kind, wanted))

    def is_exactly(self, wanted: type) -> Expression:
        """Whether it is of a record class and of no subclass: records of two classes differ."""
        return self._is_one(lambda kind: kind is wanted)

    def _is_one(self, wanted: Callable[[type], bool]) -> Expression:
        kinds = enumerate(self.domain.kinds)
        indices = [i for i, kind in kinds if wanted(kind) and self.domain.inhabited(i)]
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
        same = [self.is_exactly(type(other))]
        for name, _ in self.domain.parts[self.domain.kinds.index(type(other))]:
            same.append(truth_of(self.part(name) == getattr(other, name)))
        return conjunction(same)

    def _equals(self, other: SymbolicRecord) -> Expression:
        return disjunction(
            conjunction(
                [
                    self.is_exactly(kind),
                    other.is_exactly(kind),
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


def _of_value(name: str) -> Callable[..., Any]:
    """An operator of an option: the operator of the value that the option must have."""
    operator: Callable[..., Any] = getattr(op, name)

    def applied(option: Symbolic, *others: object) -> Any:
        return operator(option.unwrapped(), *others)

    return applied


def _reflected(name: str) -> Callable[..., Any]:
    """A reflected operator of an option: the option is the right-hand side."""
    operator: Callable[..., Any] = getattr(op, name)

    def applied(option: Symbolic, other: object) -> Any:
        return operator(other, option.unwrapped())

    return applied


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

    __lt__, __le__, __gt__, __ge__ = map(_of_value, ("lt", "le", "gt", "ge"))
    __neg__, __pos__, __abs__ = map(_of_value, ("neg", "pos", "abs"))
    __add__, __sub__ = map(_of_value, ("add", "sub"))
    __radd__, __rsub__ = map(_reflected, ("add", "sub"))
    __and__, __or__, __xor__ = map(_of_value, ("and_", "or_", "xor"))
    __rand__, __ror__, __rxor__ = map(_reflected, ("and_", "or_", "xor"))

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


# --- where the cells are -------------------------------------------------------------------------


class CellRegion(ABC):
    """The cells of one structured value."""

    @abstractmethod
    def read(self, start: int, width: int) -> Cells:
        """Some of the cells."""

    @abstractmethod
    def write(self, start: int, cells: Cells) -> None:
        """Replace some of the cells."""

    @abstractmethod
    def part(self, start: int, width: int) -> CellRegion:
        """The region of an element."""


class StoreRegion(CellRegion):
    """Cells of the state: live."""

    def __init__(self, store: PathCells, offset: int) -> None:
        self.store = store
        self.offset = offset

    def read(self, start: int, width: int) -> Cells:
        first = self.offset + start
        return tuple(self.store.read(index) for index in range(first, first + width))

    def write(self, start: int, cells: Cells) -> None:
        for index, expression in enumerate(cells, self.offset + start):
            self.store.write(index, expression)

    def part(self, start: int, width: int) -> CellRegion:
        return StoreRegion(self.store, self.offset + start)


class CopyRegion(CellRegion):
    """Cells of a copy: they cannot be changed."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells

    def read(self, start: int, width: int) -> Cells:
        return self.cells[start : start + width]

    def write(self, start: int, cells: Cells) -> None:
        refuse_write()

    def part(self, start: int, width: int) -> CellRegion:
        return CopyRegion(self.read(start, width))


def place_of(domain: Domain[Any], region: CellRegion) -> SymbolicPlace:
    """The place of a structured value."""
    match domain:
        case Queue():
            return SymbolicQueue(domain, region)
        case Set():
            return SymbolicSet(domain, region)
        case Array():
            return SymbolicArray(domain, region)
        case _:
            assert isinstance(domain, MapDomain), domain
            return SymbolicMap(domain, region)


class SymbolicPlace(Structure):
    """A structured value over symbolic cells."""

    def __init__(self, domain: Any, region: CellRegion) -> None:
        self.domain = domain
        self.region = region

    def read(self) -> Cells:
        return self.region.read(0, self.domain.width)

    def write(self, cells: Cells) -> None:
        """Replace the whole value."""
        self.region.write(0, cells)

    def copied(self) -> SymbolicPlace:
        return place_of(self.domain, CopyRegion(self.read()))

    def clear(self) -> None:
        """Take everything out."""
        self.write(constants(self.domain, self.domain.filler))


# --- queues --------------------------------------------------------------------------------------


class SymbolicQueue(SymbolicPlace, QueueOf[Any]):
    """A queue: its length, then its slots, oldest first; slots beyond the length are filler."""

    domain: Queue[Any]

    def _length(self) -> Expression:
        return self.region.read(0, 1)[0]

    def _slot(self, position: int) -> Cells:
        width = self.domain.element.width
        return self.region.read(1 + position * width, width)

    def _slots(self) -> list[Cells]:
        return [self._slot(position) for position in range(self.capacity)]

    def _write(self, length: Expression, slots: list[Cells]) -> None:
        self.write((length, *(cell for slot in slots for cell in slot)))

    @property
    def length(self) -> Any:
        return number_from(self._length())

    @property
    def capacity(self) -> int:
        return self.domain.slots

    @property
    def is_empty(self) -> Any:
        return truth_from(settled(equal(self._length(), integer(0))))

    @property
    def has_space(self) -> Any:
        return truth_from(settled(less(self._length(), integer(self.capacity))))

    @property
    def head(self) -> Any:
        return self._at(0)

    def _at(self, position: int) -> Any:
        if position >= self.capacity:
            return Nothing
        present = settled(less(integer(position), self._length()))
        return symbol(Option(self.domain.element), (present, *self._slot(position)))

    def at(self, position: Any) -> Any:
        number = number_of(position)
        if number is None:
            raise not_an_index("a queue", position)
        if decide(less(number, integer(0))):
            raise FaultHere("index-outside", "a position in a queue is negative")
        for known in range(max(0, number.low), min(self.capacity, number.high + 1)):
            if decide(equal(number, integer(known))):
                return self._at(known)
        return Nothing

    def _require_space(self) -> Expression:
        length = self._length()
        if not decide(less(length, integer(self.capacity))):
            raise FaultHere(
                "put-into-full-queue", f"the queue already holds its {self.capacity} elements"
            )
        return length

    def put(self, value: Any) -> None:
        length = self._require_space()
        cells = cells_of(self.domain.element, value)
        width = self.domain.element.width
        for position in range(self.capacity):
            here = settled(equal(length, integer(position)))
            if here is FALSE:
                continue
            old = self._slot(position)
            new = tuple(choose(here, n, o) for n, o in zip(cells, old, strict=True))
            self.region.write(1 + position * width, new)
        self.region.write(0, (plus(length, integer(1)),))

    def put_first(self, value: Any) -> None:
        length = self._require_space()
        cells = cells_of(self.domain.element, value)
        self._write(plus(length, integer(1)), [cells, *self._slots()[:-1]])

    def take(self) -> Any:
        length = self._length()
        if not decide(less(integer(0), length)):
            raise FaultHere("take-from-empty-queue", "the queue is empty")
        first, *others = self._slots()
        filler = constants(self.domain.element, self.domain.element.filler)
        self._write(minus(length, integer(1)), [*others, filler])
        return symbol(self.domain.element, first)

    def holds(self, wanted: object) -> Any:
        found: list[Expression] = []
        for position in range(self.capacity):
            present = settled(less(integer(position), self._length()))
            element = symbol(self.domain.element, self._slot(position))
            found.append(conjunction([present, truth_of(element == wanted)]))
        return truth_from(disjunction(found))

    def has_space_for(self, elements: int) -> Any:
        number = number_of(elements)
        if number is None:
            raise not_an_index("space in a queue", elements)
        return truth_from(negation(less(integer(self.capacity), plus(self._length(), number))))


# --- sets ----------------------------------------------------------------------------------------


class SymbolicSet(SymbolicPlace, SetOf[Any]):
    """A set: a truth value for each element that it could have."""

    domain: Set[Any]

    def _matches(self, value: Any) -> list[tuple[int, Expression]]:
        """The cells that may stand for a value, each with the condition that it does."""
        cells = cells_of(self.domain.element, value)
        known = [cell.value for cell in cells if isinstance(cell, Constant)]
        if len(known) == len(cells):
            return [(self.domain.positions[tuple(known)], TRUE)]
        found: list[tuple[int, Expression]] = []
        for encoding, position in self.domain.positions.items():
            same = zip(cells, constants(self.domain.element, encoding), strict=True)
            match = settled(conjunction(equal(a, b) for a, b in same))
            if match is not FALSE:
                found.append((position, match))
        return found

    def has(self, value: Any) -> Any:
        matches = self._matches(value) if self._fits(value) else self._equals(value)
        return truth_from(
            disjunction(
                conjunction([match, self.region.read(position, 1)[0]])
                for position, match in matches
            )
        )

    def _fits(self, value: Any) -> bool:
        """Whether a value is in the domain of the elements in every state."""
        element = self.domain.element
        if isinstance(value, SymbolicInt) and isinstance(element, Range):
            low, high = element.limits
            return low <= value.expression.low and value.expression.high <= high
        return isinstance(value, _DOMAIN_KEPT) and value.domain == element

    def _equals(self, value: Any) -> Iterator[tuple[int, Expression]]:
        """As `_matches`, for a value that no element may be equal to."""
        element = self.domain.element
        for encoding, position in self.domain.positions.items():
            match = settled(truth_of(symbol(element, constants(element, encoding)) == value))
            if match is not FALSE:
                yield position, match

    def _set(self, value: Any, member: Expression) -> None:
        for position, match in self._matches(value):
            (before,) = self.region.read(position, 1)
            self.region.write(position, (choose(match, member, before),))

    def add(self, value: Any) -> None:
        self._set(value, TRUE)

    def remove(self, value: Any) -> None:
        self._set(value, FALSE)

    @property
    def size(self) -> Any:
        total: Expression = integer(0)
        store = current().store
        for member, cell in zip(self.domain.universe, self.read(), strict=True):
            store.count(member)
            total = plus(total, choose(cell, integer(1), integer(0)))
        return number_from(total)

    @property
    def is_empty(self) -> Any:
        return truth_from(negation(disjunction(self.read())))


#: Symbolic values that know their domain.
_DOMAIN_KEPT = (SymbolicChoice, SymbolicRecord, SymbolicOption)


# --- arrays and maps -----------------------------------------------------------------------------


class SymbolicSlots(SymbolicPlace):
    """The base of arrays and maps: elements of one domain side by side."""

    domain: Any

    @abstractmethod
    def _index(self, key: Any) -> int:
        """The position of an element: a symbolic key splits into cases, in order."""

    def __getitem__(self, key: Any) -> Any:
        element = self.domain.element
        start = self._index(key) * element.width
        if element.is_place:
            return place_of(element, self.region.part(start, element.width))
        return symbol(element, self.region.read(start, element.width))

    def __setitem__(self, key: Any, value: Any) -> None:
        start = self._index(key) * self.domain.element.width
        self.region.write(start, cells_of(self.domain.element, value))


class SymbolicArray(SymbolicSlots, ArrayOf[Any]):
    """An array: its elements by position."""

    domain: Array[Any]

    def _index(self, key: Any) -> int:
        number = number_of(key)
        if number is None:
            raise not_an_index("an array", key)
        for position in range(max(0, number.low), min(self.domain.length, number.high + 1)):
            if decide(equal(number, integer(position))):
                return position
        raise FaultHere("index-outside", f"the index is not in 0..{self.domain.length - 1}")

    def __len__(self) -> int:
        return self.domain.length

    def __iter__(self) -> Iterator[Any]:
        return (self[position] for position in range(self.domain.length))


class SymbolicMap(SymbolicSlots, MapOf[Any, Any]):
    """A map from the entities of a class, in entity order."""

    domain: MapDomain[Any, Any]

    def _index(self, key: Any) -> int:
        entity = key.unwrapped() if isinstance(key, Symbolic) else key
        if isinstance(entity, SymbolicRef):
            entity = entity.pick()
        for position, known in enumerate(self.domain.entities):
            if known is entity:
                return position
        if entity is Nothing:
            raise FaultHere("nothing-read", "Nothing is used as an entity")
        if isinstance(entity, Entity):
            raise FaultHere("index-outside", f"{entity} has no element in this map")
        raise not_an_index("a map", key)
