"""On every small spec: each rule as Python and as a tree agree in every reachable state, and the
searches count and judge the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from checker.claim import Spec
from checker.concrete.compare import compare
from checker.concrete.search import explore
from checker.native.search import check as check_natively
from checker.readable.search import check
from tests.protocols.specs import name_of, specs

#: A state is compared rule by rule, which is slow: this many a spec are, and specs up to this size.
STATES_MAX = 1_500

SMALL = [spec for spec in specs() if spec.counts and spec.counts.states <= STATES_MAX]


@pytest.mark.parametrize("spec", SMALL, ids=lambda spec: name_of(spec.file))
def test_rules_and_trees_agree_in_every_state(spec: Spec) -> None:
    assert compare(spec.instance(), spec.families) is None


@pytest.mark.parametrize("spec", SMALL, ids=lambda spec: name_of(spec.file))
def test_compiled_plain_and_concrete_searches_agree(spec: Spec) -> None:
    system = spec.system()
    compiled, walked = check(system), check(system, compiled=False)
    native = check_natively(system)
    assert compiled.answers == walked.answers == native.answers
    assert compiled.dead_branches == native.dead_branches
    assert compiled.statistics.states == walked.statistics.states
    assert compiled.dead_branches == walked.dead_branches
    counted = explore(spec.instance()).statistics
    numbers = (counted.states, counted.transitions, counted.depth)
    assert numbers == (
        compiled.statistics.states,
        compiled.statistics.transitions,
        compiled.statistics.depth,
    )
    assert replace(native.statistics, seconds=0) == replace(compiled.statistics, seconds=0)
