"""What the advice of an error says of names."""

from __future__ import annotations

from string import ascii_lowercase

import pytest

from finale.model.errors import NAMES_MAX, nearest


@pytest.mark.parametrize(
    ("word", "known", "told"),
    [
        ("chian", ("chain", "pair"), 'did you mean "chain"?'),
        ("chian", (), "none is known here"),
        ("quux", ("pair", "chain"), "known: chain, pair"),
    ],
)
def test_the_nearest_name_is_told_or_what_is_known(
    word: str, known: tuple[str, ...], told: str
) -> None:
    assert nearest(word, known) == told


def test_of_many_names_a_few_are_told() -> None:
    told = nearest("xyzzy", [letter * 9 for letter in ascii_lowercase])
    assert told.count(",") == NAMES_MAX - 1
    assert told.endswith(f" and {26 - NAMES_MAX} more")
    assert "yyyyyyyyy" in told


def test_a_sentence_may_follow() -> None:
    assert nearest("chian", ["chain"], "See here") == 'did you mean "chain"? See here'
    assert nearest("quux", ["chain"], "See here") == "known: chain. See here"
