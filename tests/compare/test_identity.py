"""Two values have one identity just if they are the same value, however they print."""

from __future__ import annotations

import enum
from itertools import combinations
from typing import cast

from finale.checker.compare.identity import identity
from finale.checker.compare.lts import SILENT, Alphabet, aut_of
from finale.model.domains import Array, Bool, Domain, Enum, Option, Queue, Range, Set, Union
from finale.model.value_text import value_text
from finale.model.values import Nothing, Record, part
from tests.compare.random_systems import lts_of


class Word(enum.Enum):
    nothing = 1
    yes = 2


#: Names that only the functional form can give.
Odd = enum.Enum("Odd", {"a": 1, "b": 2, "a, b": 3, "nothing": 4, "a | b": 5})


class Said(Record):
    word: object = part(Option(Enum(Word)))


class nothing(Record):  # noqa: N801 - it prints like Nothing
    pass


DOMAINS: tuple[Domain[object], ...] = tuple(
    cast("Domain[object]", each)
    for each in (
        Bool,
        Range(-2, 2),
        Enum(Odd),
        Option(Bool),
        Option(Enum(Word)),
        Option(Enum(Odd)),
        Option(Union(Said, nothing)),
        Union(Said, nothing),
        Set(Enum(Odd)),
        Set(Option(Enum(Word))),
        Queue(Enum(Odd), 2),
        Array(Option(Enum(Word)), 2),
        Option(Set(Enum(Odd))),
    )
)


def resolved(domain: Domain[object]) -> Domain[object]:
    from finale.model.domains import Scope

    return domain.resolve(Scope({}, {}))


def test_different_values_have_different_identities() -> None:
    for domain in map(resolved, DOMAINS):
        values = list(domain.values())
        assert len({identity(domain, each) for each in values}) == len(values) == domain.size


def test_texts_of_options_are_different() -> None:
    domain = resolved(cast("Domain[object]", Option(Enum(Word))))
    texts = [value_text(domain, each) for each in domain.values()]
    assert texts == ["nothing", "Word.nothing", "yes"]


def test_a_value_is_the_same_in_a_type_that_holds_more() -> None:
    word, optional = Enum(Word), Option(Enum(Word))
    for each in Word:
        one = identity(cast("Domain[object]", word), each)
        assert one == identity(cast("Domain[object]", optional), each)
        assert one != identity(cast("Domain[object]", optional), Nothing)


def test_an_alphabet_has_no_text_twice() -> None:
    alphabet = Alphabet()
    texts = ["a", "a", "", "a (2)", "tau", 'say "a"', "say 'a'", "a\tb", "a b", "i", "tau"]
    numbers = [alphabet.number(key, text) for key, text in enumerate(texts)]
    assert SILENT not in numbers
    for pair in combinations(numbers, 2):
        assert len({alphabet.texts[each] for each in pair}) == 2
    assert [alphabet.number(key, "other") for key in range(len(texts))] == numbers
    rows = [(0, SILENT, 1), *((0, number, 1) for number in numbers)]
    lines = aut_of(lts_of(2, 0, rows), alphabet).splitlines()[1:]
    assert len(set(lines)) == len(rows)
    assert lines.count('(0,"tau",1)') == 1
    assert '(0,"i",1)' not in lines
