"""Numbers and truth values mean the same on plain values and in trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from finale.model.rules import (
    Bool,
    Bound,
    Nothing,
    NothingType,
    Option,
    Range,
    field,
    require,
)
from tests.model.language_kit import Alone, Case, assert_agree, assert_agree_on, case_of

CASES: list[Case] = []
case = case_of(CASES)


# --- numbers and truth values --------------------------------------------------------------------


class Numbers(Alone):
    """Two numbers, a truth value, an optional number."""

    beyond = 7
    one = field(Range(0, 3), 0)
    two = field(Range(-2, 2), 0)
    flag = field(Bool, False)
    maybe = field(Option(Range(1, 2)), Nothing)


@case(Numbers, "update", "write-outside-domain")
def adds(self: Numbers) -> None:
    """Adds."""
    self.one = self.one + self.two


@case(Numbers, "update", "write-outside-domain")
def subtracts(self: Numbers) -> None:
    """Subtracts, also from a constant."""
    self.one = 2 - self.two - (self.one - 1)


@case(Numbers, "update")
def signs(self: Numbers) -> None:
    """Takes signs and the absolute value."""
    self.one = abs(self.two) if self.flag else +abs(-self.two)


@case(Numbers, "update", "write-outside-domain")
def extremes(self: Numbers) -> None:
    """The least and the greatest, of several and over a generator."""
    low = min(self.one, self.two, 1)
    high = max(number for number in (self.one, self.two))
    self.one = low if self.flag else high - min(self.one, 0)


@case(Numbers, "update", "write-outside-domain")
def sums(self: Numbers) -> None:
    """Sums, also of truth values."""
    self.one = sum((self.flag, self.two > 0)) + sum(n for n in (self.one, 1) if n > 0)


@case(Numbers, "blocked", "update")
def chains(self: Numbers) -> None:
    """Chains comparisons."""
    require(0 <= self.two < self.one <= 3, not 1 < self.one != 2 > self.two)
    self.one = 0


@case(Numbers, "update")
def compares(self: Numbers) -> None:
    """Compares in all ways."""
    self.flag = (self.one < self.two) == (self.two > self.one)
    if self.one <= 1 or self.two >= 1:
        self.two = 1 if self.one != self.two else 2


@case(Numbers, "update")
def mixes_truth_values_and_numbers(self: Numbers) -> None:
    """A truth value counts as 0 or 1."""
    self.flag = (self.flag == self.one) or self.flag < self.two or (1 + self.flag > self.one)


@case(Numbers, "update")
def combines(self: Numbers) -> None:
    """Combines truth values without forking."""
    self.flag = (self.flag & (self.one > 1)) | (self.flag ^ (self.two == 0))


@case(Numbers, "update", "nothing-read")
def adds_an_option(self: Numbers) -> None:
    """Reads an option as its value."""
    self.one = self.maybe + 1


@case(Numbers, "update", "nothing-read")
def adds_an_option_on_the_right(self: Numbers) -> None:
    """Reads an option as its value."""
    self.one = 1 + self.maybe


@case(Numbers, "blocked", "nothing-read", "update")
def orders_an_option(self: Numbers) -> None:
    """Compares with an option."""
    require(self.maybe < 2)
    self.one = 0


@case(Numbers, "blocked", "nothing-read", "update")
def orders_by_an_option(self: Numbers) -> None:
    """Compares with an option."""
    require(self.one >= self.maybe)
    self.one = 0


@case(Numbers, "update")
def equals_an_option(self: Numbers) -> None:
    """Nothing equals nothing else."""
    self.flag = self.maybe == self.one or self.one != self.maybe or self.maybe == Nothing


@case(Numbers, "update")
def truth_of_an_option(self: Numbers) -> None:
    """Nothing is false."""
    self.flag = bool(self.maybe)
    self.one = 1 if self.maybe and self.maybe > 1 else 0


@case(Numbers, "update")
def option_or_default(self: Numbers) -> None:
    """The value, or one that stands for it."""
    self.one = self.maybe or 3
    self.two = self.maybe if self.maybe != Nothing else 0


@case(Numbers, "update", "write-outside-domain")
def writes_an_option(self: Numbers) -> None:
    """A number becomes the option's value, where it is one of its values."""
    self.maybe = self.one if self.flag else Nothing


@case(Numbers, "update", "nothing-read")
def writes_nothing(self: Numbers) -> None:
    """Nothing is no number."""
    self.one = self.maybe


@case(Numbers, "update", "nothing-read")
def writes_plain_nothing(self: Numbers) -> None:
    """Nothing is no number."""
    self.one = Nothing if self.flag else 1


@case(Numbers, "update")
def matches_numbers(self: Numbers) -> None:
    """Matches values."""
    match self.one:
        case 0 | 1:
            self.two = 0
        case 2 if self.flag:
            self.two = 1
        case _:
            self.two = 2


@case(Numbers, "update")
def matches_nothing(self: Numbers) -> None:
    """Matches Nothing by its class."""
    match self.maybe:
        case NothingType():
            self.one = 0
        case 1:
            self.one = 1
        case _:
            self.one = 2


@case(Numbers, "update")
def walrus(self: Numbers) -> None:
    """Binds names within expressions."""
    if (total := self.one + self.two) > 2 and (half := total - 2) < 2:
        self.one = half
    elif not (small := self.two < 0) or small:
        self.two = 0


@case(Numbers, "update")
def members_of_tuples(self: Numbers) -> None:
    """Looks into tuples, lists and ranges."""
    self.flag = self.one in (1, self.two) or self.two not in [0, 1] or self.one in range(1, 3)


@case(Numbers, "assertion-failed", "update")
def asserts(self: Numbers) -> None:
    """What a rule asserts must hold in every reachable state."""
    assert self.one != 3, "three is too many"
    self.one = 3


@case(Numbers, "rule-raises", "update")
def raises_in_some_states(self: Numbers) -> None:
    """What plain Python raises in some states is a fault."""
    self.one = (1, 2)[0] if self.flag else (1, 2)[self.beyond]


@case(Numbers, "blocked", "update")
def requires_in_order(self: Numbers) -> None:
    """A callable is not called where a guard before it does not hold."""
    require(self.maybe != Nothing, lambda: self.maybe > 1)
    self.one = 0


@dataclass(frozen=True)
class Bounds:
    """One bound."""

    limit: int = 2


class Bounded(Alone):
    """A number up to a bound."""

    Bounds = Bounds
    number = field(Range(0, Bound("limit")), 0)


@case(Bounded, "blocked", "update")
def takes_the_bound(self: Bounded) -> None:
    """A bound is a number, and can be stored."""
    require(self.number < self.bounds.limit)
    self.number = self.bounds.limit


@pytest.mark.parametrize("each", CASES, ids=str)
def test_rule_and_tree_agree(each: Case) -> None:
    assert_agree_on(each)


def test_free_choices_are_bound_one_by_one() -> None:
    def chooses(self: Numbers, number: Annotated[int, Range(0, 3)], flag: bool) -> None:
        """Chooses freely."""
        self.one = number
        self.flag = flag

    assert assert_agree(Numbers, chooses) == {("update", None)}
