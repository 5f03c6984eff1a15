"""Records, and the absence of a value."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, cast

import pytest

from finale.model.domains import Range
from finale.model.errors import FinaleError
from finale.model.language.path_ends import FaultHere
from finale.model.values import Nothing, NothingType, Record, part


class Coin(Record):
    """A record with a part."""

    value: int = part(Range(1, 2))


class Note(Coin):
    """A record with a part more."""

    series: int = part(Range(0, 9))

    @property
    def is_old(self) -> bool:
        """A record may answer questions."""
        return self.series == 0


class Empty(Record):
    """A record without parts."""


def test_records_are_equal_by_class_and_parts() -> None:
    assert Coin(1) == Coin(value=1) != Coin(2)
    assert Note(1, series=2) == Note(series=2, value=1)
    assert hash(Note(1, series=2)) == hash(Note(series=2, value=1))
    assert Coin(1) != Note(1, 0)
    assert Empty() == Empty()
    assert Coin(1) != 1
    assert {Coin(1), Coin(1), Coin(2)} == {Coin(2), Coin(1)}


def test_a_record_equals_its_class() -> None:
    assert Coin(1) == Coin
    assert Coin(1) != Note
    assert Note(1, 1) == Coin  # a note is a coin


def test_parts_are_inherited_and_matched() -> None:
    match Note(2, 3):
        case Note(value, series):
            assert (value, series) == (2, 3)
        case _:
            raise AssertionError
    assert repr(Note(2, series=3)) == "Note(value=2, series=3)"
    assert Note(2, 0).is_old


@pytest.mark.parametrize(
    "make",
    [
        lambda kind: kind(),
        lambda kind: kind(1, 2),
        lambda kind: kind(1, value=1),
        lambda kind: kind(worth=1),
        lambda _: cast(Any, Empty)(1),
    ],
    ids=["none", "two", "twice", "another", "one too many"],
)
def test_every_part_is_given_once(make: Callable[[Any], Record]) -> None:
    with pytest.raises(FinaleError) as caught:
        make(Coin)
    assert caught.value.code == "record-parts"
    assert caught.value.place is not None
    assert caught.value.place.file == __file__


def test_a_record_is_frozen() -> None:
    with pytest.raises(FinaleError) as caught:
        setattr(Coin(1), "value", 2)  # noqa: B010 - type checkers refuse it, too
    assert caught.value.code == "record-is-frozen"


def test_a_part_that_the_class_does_not_have_is_a_fault() -> None:
    with pytest.raises(FaultHere) as caught:
        Coin(1).series  # noqa: B018
    assert caught.value.code == "field-of-another-variant"
    assert copy.copy(Coin(1)) == Coin(1)  # what Python itself asks for is no part


def test_nothing_is_false_and_equals_nothing_else() -> None:
    assert not Nothing
    assert Nothing == Nothing  # noqa: PLR0124
    assert Nothing != 0
    assert Nothing != None  # noqa: E711
    assert isinstance(Nothing, NothingType)
    assert repr(Nothing) == "Nothing"


USES: list[Callable[[Any], object]] = [
    lambda it: it < 1,
    lambda it: it >= 1,
    lambda it: it + 1,
    lambda it: 1 - it,
    lambda it: -it,
    abs,
    lambda it: it & True,
    lambda it: it.status,
    lambda it: it[0],
    lambda it: 1 in it,
    lambda it: setattr(it, "status", 1),
    lambda it: it.take(),
]


@pytest.mark.parametrize("use", USES, ids=[str(i) for i in range(len(USES))])
def test_any_other_use_of_nothing_is_a_fault(use: Callable[[Any], object]) -> None:
    with pytest.raises(FaultHere) as caught:
        use(Nothing)
    assert caught.value.code == "nothing-read"
    assert caught.value.place.file == __file__
