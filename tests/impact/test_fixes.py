"""Known fixes of Flink: whether `finale impact` lists the methods that each fix changed."""

from __future__ import annotations

from functools import cache

import pytest

from finale.checker.impact.comparing import Impact
from tests.impact.fixes import (
    LARGE,
    NAMED_MAX,
    Pair,
    by_pair,
    fixes,
    is_patch,
    releases_with,
    rows,
    told_by_spec,
)
from tests.impact.test_releases import compared, missing

#: What must be listed: of all fixes, and of those between two releases of one line.
OF_ALL = 34 / 40
OF_PATCHES = 3 / 4


def test_the_table_says_each_fact_once() -> None:
    found = rows()
    keys = [str(row["key"]) for row in found]
    assert len(keys) == len(set(keys)) >= 40
    for row in found:
        assert releases_with(row), row["key"]
        assert bool(told_by_spec(str(row["key"]))) != ("fixed_in" in row), row["key"]
    assert sum(is_patch(each.pair) for each in fixes()) >= 8


@cache
def answer(pair: Pair) -> Impact:
    return compared(*pair)


def kept_pairs() -> list[Pair]:
    return [pair for pair in by_pair() if not any(map(missing, pair))]


@pytest.mark.slow
def test_most_fixes_are_listed() -> None:
    known = [fix for pair in kept_pairs() for fix in by_pair()[pair]]
    if not known:
        pytest.skip("no jars are kept: python -m tests.impact fetches them")
    for some, least in ((known, OF_ALL), ([f for f in known if is_patch(f.pair)], OF_PATCHES)):
        missed = [each.key for each in some if not each.is_listed(answer(each.pair))]
        assert len(some) - len(missed) >= least * len(some), missed


@pytest.mark.slow
@pytest.mark.parametrize("pair", [pair for pair in by_pair() if pair not in LARGE])
def test_the_first_list_is_short(pair: Pair) -> None:
    assert len(answer(pair).named) <= NAMED_MAX
