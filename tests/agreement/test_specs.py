"""On every small spec: each rule as Python and as a tree agree in every reachable state, and the
searches count and judge the same."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from finale.checker.search.bfs.search import check
from finale.checker.search.interpreter.breadth_first import InterpreterSearch
from finale.checker.search.interpreter.execution import PlainSystem
from finale.checker.search.limits import Limits
from finale.checker.spec.claim import Spec
from finale.model.language.build import world_of
from finale.model.language.properties import Family
from tests.agreement.compare import Pair
from tests.agreement.test_back_ends import assert_told_alike
from tests.protocols.specs import audits, built
from tests.reductions.audit import in_full

#: A state is compared rule by rule, which is slow: of specs up to this size, and in the slow tests
#: of those up to the other.
STATES_QUICK, STATES_MAX = 120, 1_500

#: Both searches are compared on specs up to the first size, and in the slow tests up to the other.
STATES_SEARCHED_QUICK, STATES_SEARCHED_MAX = 200, 2_000_000


def plain(spec: Spec, families: Sequence[Family] = ()) -> PlainSystem:
    protocol = spec.instance()
    world_of(protocol, protocol.keeps())
    return PlainSystem(protocol, families)


@pytest.mark.parametrize("spec", audits(STATES_MAX, quick=STATES_QUICK))
def test_rules_and_trees_agree_in_every_state(spec: Spec) -> None:
    pair = Pair(plain(spec, spec.asked), built(spec.file))
    assert next(pair.disagreements(None), None) is None


@pytest.mark.parametrize("spec", audits(STATES_MAX, quick=STATES_QUICK))
def test_compiled_plain_and_concrete_searches_agree(spec: Spec) -> None:
    system = built(spec.file)
    compiled, walked = check(system), check(system, compiled=False)
    assert compiled.verdicts == walked.verdicts
    assert compiled.statistics.states == walked.statistics.states
    assert compiled.dead_branches == walked.dead_branches
    concrete = InterpreterSearch(plain(spec), Limits(), None)
    concrete.run()
    counted = concrete.statistics
    numbers = (counted.states, counted.transitions, counted.depth)
    assert numbers == (
        compiled.statistics.states,
        compiled.statistics.transitions,
        compiled.statistics.depth,
    )


@pytest.mark.parametrize("spec", audits(STATES_SEARCHED_MAX, quick=STATES_SEARCHED_QUICK))
def test_native_and_readable_searches_agree(spec: Spec) -> None:
    system = built(spec.file)
    assert_told_alike(in_full(system), check(system))
