"""All reductions together keep every verdict: on specs, the zoo, and random protocols."""

from __future__ import annotations

from random import Random

import pytest

from finale.checker.search.limits import Limits
from finale.checker.search.native.search import check
from finale.checker.search.reduced import check_reduced
from finale.checker.search.reductions.find import find_all
from finale.checker.search.reductions.kinds import Reduction
from finale.checker.search.reductions.partial_order import PartialOrder
from finale.checker.search.reductions.under import canonical_of
from finale.checker.search.verdict import Verdict, Word
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.system import System
from tests.agreement.random_bodies import Pick
from tests.agreement.random_protocols import written
from tests.agreement.stubborn import cycles_of_classes
from tests.agreement.test_random_systems import REFUSED
from tests.protocols.specs import audits, built
from tests.reductions.audit import in_full
from tests.zoo import ZOO
from tests.zoo.animal import Animal

#: Specs up to so many states are audited here, larger ones in the slow run.
STATES_MAX, STATES_MAX_SLOW, STATES_OF_RANDOM, STATES_COMPARED = 40, 60_000, 3_000, 300
SEEDS, SEEDS_SLOW = range(8), range(8, 1_000)


def word(answer: Verdict) -> str:
    """The verdict; that nothing was put to the test is not known under partial order."""
    if answer.word is Word.VACUOUS:
        return Word.HOLDS
    is_vacuous = answer.word is Word.UNKNOWN and "proves nothing" in answer.why
    return Word.HOLDS if is_vacuous else answer.word


def assert_kept(system: System) -> int:
    """Hold the answers under all reductions to the full ones; how many states fewer were seen."""
    full = in_full(system)
    reduced = check_reduced(system, list(Reduction), Limits(), None)
    assert [(each.property, word(each)) for each in reduced.verdicts] == [
        (each.property, word(each)) for each in full.verdicts
    ]
    assert_on_no_cycle(system)
    assert reduced.timing.reducing > 0
    assert reduced.timing.searching >= sum(each.timing.searching for each in reduced.further)
    return full.statistics.states - reduced.statistics.states


def assert_on_no_cycle(system: System) -> None:
    """No update that partial order takes for on no cycle is on a cycle of representatives."""
    found = find_all(list(Reduction), system)
    [order] = [each for each in found if isinstance(each, PartialOrder)]
    canonical = canonical_of(system, found)
    if canonical is not None:
        assert next(cycles_of_classes(system, order, canonical, STATES_COMPARED), None) is None


@pytest.mark.parametrize("spec", audits(STATES_MAX_SLOW, quick=STATES_MAX))
def test_specs_keep_their_verdicts(spec: Spec) -> None:
    assert assert_kept(built(spec.file)) >= 0


@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_the_zoo_keeps_its_verdicts(animal: Animal) -> None:
    assert_kept(build(animal.make(), animal.families))


def assert_random_kept(seeds: range) -> None:
    fewer = 0
    for seed in seeds:
        protocol = written(Pick(Random(seed).randrange))
        try:
            system = build(protocol.make(), protocol.families)
        except FinaleError as error:
            if error.code not in REFUSED:
                raise
            continue
        if not check(system, Limits(states_max=STATES_OF_RANDOM)).stopped:
            fewer += assert_kept(system) > 0
    assert fewer >= len(seeds) / 4


def test_random_protocols_keep_their_verdicts() -> None:
    assert_random_kept(SEEDS)


@pytest.mark.slow
def test_many_more_random_protocols_keep_their_verdicts() -> None:
    assert_random_kept(SEEDS_SLOW)
