"""Finite types: every value has one encoding, and is found again in it."""

from __future__ import annotations

import enum
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finale.model.domains import (
    SET_ELEMENTS_MAX,
    Array,
    Bool,
    Bound,
    CellType,
    Domain,
    Enum,
    MissingValue,
    Option,
    OutOfDomain,
    PerEntity,
    Queue,
    Range,
    RecordOf,
    Ref,
    Scope,
    Set,
    Union,
)
from finale.model.errors import FinaleError
from finale.model.values import Nothing, Record, part


class Colour(enum.Enum):
    """Members in an order of their own."""

    RED = 3
    GREEN = 1


class Vacant(enum.Enum):
    """An enumeration without members."""


class Person:
    """An entity."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


class Child(Person):
    """An entity of a subclass."""


class Ghost(Person):
    """An entity of which there is none."""


class Empty(Record):
    """A record without parts."""


class Coin(Record):
    """A record with a part."""

    value: int = part(Range(1, 2))


class Note(Record):
    """A record with a part that it shares and one of its own."""

    value: int = part(Range(1, 2))
    owner: Person = part(Ref(Person))


class Debt(Record):
    """A record that no one can have."""

    owner: Ghost = part(Ref(Ghost))


class Odd(Record):
    """A record whose part differs from that of others."""

    value: int = part(Bool)


ANN, BOB = Person("ann"), Child("bob")
SCOPE = Scope({"n": 2}, {Person: (ANN, BOB), Child: (BOB,)})

#: So many values are few enough to try them all.
SIZE_MAX = 300


def terms() -> st.SearchStrategy[Domain[Any]]:
    """Domains, small in most cases."""
    scalars = st.one_of(
        st.just(Bool),
        st.builds(Range, st.integers(-2, 0), st.integers(0, 2)),
        st.just(Range(0, Bound("n"))),
        st.sampled_from([Enum(Colour), Ref(Person), Ref(Child), Ref(Ghost)]),
    )
    unions = st.sampled_from(
        [Union(Empty), Union(Coin, Empty), Union(Note, Coin), RecordOf(Note), Union(Debt, Coin)]
    )
    leaves: st.SearchStrategy[Domain[Any]] = st.one_of(scalars, unions)
    return st.recursive(leaves, _structures, max_leaves=3)


def _structures(inner: st.SearchStrategy[Domain[Any]]) -> st.SearchStrategy[Domain[Any]]:
    certain = inner.filter(lambda domain: not isinstance(domain, Option))
    return st.one_of(
        st.builds(Option, certain),
        st.builds(Array, inner, st.integers(0, 2)),
        st.builds(lambda element: PerEntity(Person, element), inner),
        st.builds(lambda element: PerEntity(Ghost, element), inner),
        st.builds(Queue, certain, st.integers(0, 2)),
        st.builds(Set, inner),
    )


def small(domain: Domain[Any]) -> bool:
    try:
        return domain.resolve(SCOPE).size <= SIZE_MAX
    except FinaleError:
        return False  # a set over too many values


@given(terms().filter(small))
def test_each_value_has_one_encoding(declared: Domain[Any]) -> None:
    domain = declared.resolve(SCOPE)
    values = list(domain.values())
    encodings = [domain.encode(value) for value in values]
    assert len(values) == domain.size
    assert len(set(encodings)) == domain.size
    assert len(set(values)) == domain.size
    assert [domain.decode(cells) for cells in encodings] == values


@given(terms().filter(small))
def test_encodings_lie_within_their_cells(declared: Domain[Any]) -> None:
    domain = declared.resolve(SCOPE)
    assert domain.width == len(domain.cells)
    for value in domain.values():
        cells = domain.encode(value)
        assert len(cells) == domain.width
        for number, cell in zip(cells, domain.cells, strict=True):
            assert type(number) is int
            assert cell.low <= number <= cell.high
            assert not cell.boolean or (cell.low, cell.high) in {(0, 1), (0, 0)}


@given(terms().filter(small))
def test_what_is_not_used_holds_the_filler(declared: Domain[Any]) -> None:
    """Where nothing is stored the cells are lowest: in an option, beyond a queue's length."""
    domain = declared.resolve(SCOPE)
    assert domain.filler == tuple(cell.low for cell in domain.cells)
    option = Option(domain)
    assert option.encode(Nothing)[1:] == domain.filler
    queue = Queue(domain, 2)
    assert queue.encode(())[1:] == 2 * domain.filler
    for value in list(domain.values())[:3]:
        assert queue.encode((value,))[1 + domain.width :] == domain.filler


@given(terms().filter(small))
def test_resolving_again_changes_nothing(declared: Domain[Any]) -> None:
    domain = declared.resolve(SCOPE)
    assert domain.resolve(SCOPE) == domain
    assert hash(domain.resolve(SCOPE)) == hash(domain)


#: One value of each kind, to be tried on each domain.
STRANGERS = [
    None,
    True,
    0,
    7,
    1.0,
    "red",
    Colour.GREEN,
    Nothing,
    ANN,
    Person("ann"),
    Empty(),
    Coin(1),
    Coin(9),
    (),
    (1,),
    (1, 1),
    frozenset(),
    frozenset({1}),
    frozenset({True}),
    {1},
    [1],
]


@given(terms().filter(small), st.sampled_from(STRANGERS))
def test_a_value_is_encoded_only_if_it_is_one(declared: Domain[Any], value: object) -> None:
    domain = declared.resolve(SCOPE)
    # True equals 1 in Python, and is another value here.
    among = any(each == value and repr(each) == repr(value) for each in domain.values())
    if among:
        assert domain.decode(domain.encode(value)) == value
        return
    with pytest.raises(OutOfDomain) as caught:
        domain.encode(value)
    assert isinstance(caught.value, MissingValue) == (value is Nothing)


@pytest.mark.parametrize(
    ("domain", "size", "paths"),
    [
        (Bool, 2, [""]),
        (Range(-1, 1), 3, [""]),
        (Option(Range(0, 3)), 5, ["?", ""]),
        (Union(Empty, Coin), 3, [".kind", ".value"]),
        (Union(Coin, Note), 6, [".kind", ".value", ".owner"]),
        (Union(Debt, Empty), 1, [".kind", ".owner"]),
        (Array(Bool, 2), 4, ["[0]", "[1]"]),
        (PerEntity(Person, Bool), 4, ["[ann]", "[bob]"]),
        (Queue(Bool, 2), 7, [".length", "[0]", "[1]"]),
        (Set(Range(1, 2)), 4, ["[1]", "[2]"]),
        (Queue(Ref(Ghost), 3), 1, [".length", "[0]", "[1]", "[2]"]),
        (Option(Ref(Ghost)), 1, ["?", ""]),
        (Array(Bool, 0), 1, []),
    ],
    ids=str,
)
def test_sizes_and_paths(domain: Domain[Any], size: int, paths: list[str]) -> None:
    resolved = domain.resolve(SCOPE)
    assert resolved.size == size
    assert [cell.path for cell in resolved.cells] == paths


def test_where_no_value_can_be_cells_have_one_value() -> None:
    """An option or queue of references to no entities is always empty: no search tries another."""
    assert Option(Ref(Ghost)).resolve(SCOPE).cells[0] == CellType("?", 0, 0, True)
    assert Queue(Ref(Ghost), 2).resolve(SCOPE).cells[0] == CellType(".length", 0, 0)


def test_members_and_entities_keep_their_order() -> None:
    assert list(Enum(Colour).values()) == [Colour.RED, Colour.GREEN]
    assert list(Ref(Person).resolve(SCOPE).values()) == [ANN, BOB]
    assert list(product(*(d.values() for d in (Bool, Range(0, 1))))) == [
        (False, 0),
        (False, 1),
        (True, 0),
        (True, 1),
    ]


def test_an_entity_is_itself_and_no_other_of_its_name() -> None:
    domain = Ref(Person).resolve(SCOPE)
    assert domain.encode(BOB) == (1,)
    with pytest.raises(OutOfDomain):
        domain.encode(Person("bob"))


@pytest.mark.parametrize(
    ("code", "domain"),
    [
        ("empty-domain", Range(2, 1)),
        ("empty-domain", Range(0, Bound("n") - 3)),
        ("empty-domain", Enum(Vacant)),
        ("ref-without-class", Option(Ref("Node"))),  # type: ignore[arg-type]
        ("unknown-bound", Range(0, Bound("m"))),
        ("unknown-bound", Queue(Bool, Bound("m") + 1)),
        ("negative-length", Array(Bool, -1)),
        ("negative-length", Queue(Bool, Bound("n") - 3)),
        ("ambiguous-nothing", Option(Option(Bool))),
        ("ambiguous-nothing", Queue(Option(Bool), 1)),
        ("union-part-differs", Union(Coin, Odd)),
        ("union-of-records", Union(Coin, Coin)),
        ("union-of-records", Union(Colour)),  # type: ignore[type-var]
        ("union-of-records", Array(Union[Coin](), 1)),
        ("set-too-large", Set(Range(0, SET_ELEMENTS_MAX))),
    ],
    ids=str,
)
def test_what_cannot_be_declared(code: str, domain: Domain[Any]) -> None:
    with pytest.raises(FinaleError) as caught:
        domain.resolve(SCOPE)
    assert caught.value.code == code
    assert caught.value.advice
