"""SPIN counts what we count, and finds violated what we find violated, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from finale.checker.export.promela import PromelaModel
from finale.checker.search.limits import Limits
from finale.checker.search.native.search import check
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.system import System
from tests.agreement.random_bodies import Pick
from tests.agreement.random_protocols import written
from tests.agreement.test_random_systems import REFUSED
from tests.export import spin
from tests.export.verdicts import ours
from tests.protocols.specs import ROOT, spec_of
from tests.zoo import ZOO
from tests.zoo.animal import Animal

SMALL = (
    "yardstick/one-checkpoint.toml",
    "two-phase-commit/three-managers.toml",
    "two-phase-commit/five-managers.toml",
    "final-checkpoint/pair.toml",
)
# A planted bug each: an invariant, a property of steps, a deadlock.
BROKEN = (
    "final-checkpoint/broken/closes-before-finish.toml",
    "final-checkpoint/broken/confirms-aborted.toml",
    "final-checkpoint/broken/writes-twice.toml",
)

needs_spin = pytest.mark.skipif(
    not spin.IS_HERE and os.environ.get("CI") != "true",
    reason="spin or gcc is missing: apt-get install spin gcc",
)


def test_spin_is_there_in_ci() -> None:
    assert spin.IS_HERE or os.environ.get("CI") != "true"


def assert_agrees(system: System, folder: Path) -> None:
    model, found = PromelaModel(system, []), ours(system)
    told = spin.run(model, folder)
    # Several initial states are chosen from one state more, in a step for each.
    more = (1, found.starts) if found.starts > 1 else (0, 0)
    assert told.stored == found.states + more[0]
    assert told.transitions == found.transitions + 1 + more[1]
    assert told.violated == found.violated | found.reached


@needs_spin
@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_spin_agrees_on_the_zoo(animal: Animal, tmp_path: Path) -> None:
    assert_agrees(build(animal.make(), animal.families), tmp_path)


@needs_spin
@pytest.mark.parametrize("name", [*SMALL, *BROKEN])
def test_spin_agrees_on_small_specs(name: str, tmp_path: Path) -> None:
    assert_agrees(spec_of(ROOT / name).system(), tmp_path)


@needs_spin
@pytest.mark.parametrize("name", BROKEN)
def test_spin_finds_what_is_violated(name: str, tmp_path: Path) -> None:
    system = spec_of(ROOT / name).system()
    assert ours(system).violated <= spin.run(PromelaModel(system, []), tmp_path).violated
    assert ours(system).violated


def random_system(seed: int) -> System | None:
    """A random system that is small enough, if this seed is for one."""
    protocol = written(Pick(Random(f"export {seed}").randrange))
    try:
        system = build(protocol.make(), protocol.families)
    except FinaleError as error:
        if error.code not in REFUSED:
            raise
        return None
    return None if check(system, Limits(states_max=3000)).stopped else system


def assert_agree_at_random(seeds: range, folder: Path) -> None:
    agreed = 0
    for seed in seeds:
        system = random_system(seed)
        if system is None:
            continue
        (folder / str(seed)).mkdir()
        try:
            assert_agrees(system, folder / str(seed))
        except FinaleError as error:
            if error.code != "too-large-for-promela":
                raise
            continue
        agreed += 1
    assert agreed > len(seeds) / 3


@needs_spin
def test_spin_agrees_on_random_systems(tmp_path: Path) -> None:
    assert_agree_at_random(range(4), tmp_path)


@needs_spin
@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_spin_agrees_on_many_random_systems(part: int, tmp_path: Path) -> None:
    assert_agree_at_random(range(100 * part, 100 * part + 100), tmp_path)


@needs_spin
def test_properties_of_states_can_be_left_out(tmp_path: Path) -> None:
    system = spec_of(ROOT / SMALL[0]).system()
    told = spin.run(PromelaModel(system, []), tmp_path, "-DNOCLAIM")
    assert told.stored == check(system).statistics.states
    assert "never claim         \t- (not selected)" in told.text
