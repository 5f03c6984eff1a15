"""Random protocols keep their verdicts under reductions, and classes of symmetry their sizes."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from finale.checker.search.limits import Limits
from finale.checker.search.native.search import check
from finale.checker.search.reductions.dead import dead_variables_of
from finale.checker.search.reductions.kinds import Reduction
from finale.checker.search.reductions.symmetry import symmetry_of
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.system import System
from tests.agreement.random_bodies import Pick
from tests.agreement.random_protocols import written
from tests.agreement.test_random_systems import REFUSED
from tests.reductions.audit import disagreements, miscounted

#: Protocols with more states than this are passed over.
STATES_MAX = 3_000
SEEDS, SEEDS_SLOW = range(40), range(40, 1_000)


def assert_audited(seed: int) -> set[Reduction]:
    """The reductions that gain something in a random protocol, each held to the full search."""
    protocol = written(Pick(Random(seed).randrange))
    try:
        system = build(protocol.make(), protocol.families)
    except FinaleError as error:
        if error.code not in REFUSED:
            raise
        return set()
    if check(system, Limits(states_max=STATES_MAX)).stopped:
        return set()
    return assert_kept(system)


def assert_kept(system: System) -> set[Reduction]:
    found: set[Reduction] = set()
    symmetry = symmetry_of(system)
    if symmetry.reduces:
        found.add(Reduction.SYMMETRY)
        assert disagreements(system, [Reduction.SYMMETRY]) == []
        assert miscounted(replace(system, properties=()), [symmetry]) == ""
    if dead_variables_of(system).reduces:
        found.add(Reduction.DEAD_VARIABLES)
        assert disagreements(system, [Reduction.DEAD_VARIABLES]) == []
    if len(found) > 1:
        assert disagreements(system, sorted(found, key=lambda each: each.value)) == []
    return found


def test_random_protocols_keep_their_verdicts() -> None:
    found = [assert_audited(seed) for seed in SEEDS]
    # Where nothing is found, nothing is tested.
    assert sum(Reduction.DEAD_VARIABLES in each for each in found) >= 15
    assert sum(Reduction.SYMMETRY in each for each in found) >= 8


@pytest.mark.slow
def test_many_more_random_protocols_keep_their_verdicts() -> None:
    found = [assert_audited(seed) for seed in SEEDS_SLOW]
    assert sum(Reduction.SYMMETRY in each for each in found) >= 100
