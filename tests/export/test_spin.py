"""SPIN counts what we count, and finds violated what we find violated, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from checker.export.promela import Model
from checker.native.search import check
from model.language.build import build
from model.system import System
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
    model, found = Model(system, []), ours(system)
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
    assert ours(system).violated <= spin.run(Model(system, []), tmp_path).violated
    assert ours(system).violated


@needs_spin
def test_properties_of_states_can_be_left_out(tmp_path: Path) -> None:
    system = spec_of(ROOT / SMALL[0]).system()
    told = spin.run(Model(system, []), tmp_path, "-DNOCLAIM")
    assert told.stored == check(system).statistics.states
    assert "never claim         \t- (not selected)" in told.text
