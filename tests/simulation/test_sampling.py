"""Random runs: what they show is so, they can be repeated, and each step is equally likely."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from finale.checker.search.run import run as check
from finale.checker.search.verdict import Word
from finale.checker.simulation.judging import Judge
from finale.checker.simulation.runs import End, Run
from finale.checker.simulation.sampling import Sample, one_of, random_run, sampled
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.model.trace import replay
from tests.cli.running import HERE, ROOT

KNOWN = catalogue()


SPECS = [
    "final-checkpoint/pair.toml",
    "legacy-finish/natural-end-loses-records.toml",
    "two-phase-commit/three-managers.toml",
    "final-checkpoint/finish-during-trigger-aborts.toml",
    "final-checkpoint/broken/waits-for-lost-ack.toml",
]


@pytest.mark.parametrize("name", SPECS)
def test_a_search_agrees_with_what_random_runs_show(name: str) -> None:
    assert_agrees(ROOT / "specs" / name)


def assert_agrees(file: Path) -> None:
    spec = read_spec(file, KNOWN)
    result = check(spec)
    system = spec.system()
    rows = {row.property: row for row in result.rows}
    for each in sampled(system, 1, 30, 100):
        replay(system, each.trace)
        for found in each.findings.violated.values():
            assert found.trace is not None
            replay(system, found.trace)
            row = rows[found.property]
            assert row.word is Word.VIOLATED, (file, found.property, each.seed)
            assert row.steps is not None
            assert len(found.trace.rules) >= row.steps
        for witness, steps in each.findings.reached.items():
            shortest = rows[witness].steps
            assert shortest is not None, (file, witness)
            assert steps >= shortest
        for name in each.findings.tested:
            assert rows[name].word is not Word.VACUOUS, (file, name)


PING = HERE / "inputs" / "ping.toml"


def test_exact_numbers_of_one_sample() -> None:
    system = read_spec(PING, catalogue(HERE / "inputs" / "protocols")).system()
    sample = Sample(system)
    for each in sampled(system, 1, 40, 100):
        sample.add(each)
    assert sample.ends == {End.ENDED: 33, End.BOUND: 7}
    assert sample.violated == {"never-done": 33}
    assert sample.taken["ask"] == sample.taken["receive"]
    assert sample.never_taken == []


def test_each_run_of_a_sample_can_be_repeated_alone() -> None:
    system = read_spec(ROOT / "specs/final-checkpoint/pair.toml", KNOWN).system(())
    runs = list(sampled(system, 5, 10, 50))
    assert [each.seed for each in runs] == list(range(5, 15))
    assert len({each.trace.rules for each in runs}) == 10
    for each in runs:
        assert random_run(system, each.seed, 50) == (each.trace, each.end)


def test_a_limit_of_steps_ends_a_run_and_nothing_is_owed() -> None:
    system = read_spec(ROOT / "specs/final-checkpoint/pair.toml", KNOWN).system()
    whole = next(sampled(system, 1, 1, 1000))
    cut = next(sampled(system, 1, 1, 3))
    assert (cut.end, len(cut.trace.rules)) == (End.LIMIT, 3)
    assert cut.trace.rules == whole.trace.rules[:3]
    assert cut.findings.violated == {}


def test_each_choice_is_equally_likely() -> None:
    chance = Random(1)
    counts = Counter(one_of("abcde", chance) for _ in range(10_000))
    assert set(counts) == set("abcde")
    assert all(1_900 < count < 2_100 for count in counts.values()), counts


def test_a_run_can_take_steps_back() -> None:
    system = read_spec(ROOT / "specs/final-checkpoint/pair.toml", KNOWN).system()
    run = Run(system, system.initial[0])
    before = run.trace
    for _ in range(4):
        run.take(run.enabled[-1])
    assert len(run.trace.rules) == 4
    replay(system, run.trace)
    for _ in range(4):
        run.take_back()
    assert run.trace == before


@pytest.mark.parametrize(
    ("variant", "name"), [("forgets", "no-deadlock"), ("answers-twice", "well-formed")]
)
def test_a_deadlock_and_a_fault_are_found(variant: str, name: str, tmp_path: Path) -> None:
    file = tmp_path / "spec.toml"
    text = f'title = "x"\nprotocol = "ping-pong"\nvariant = "{variant}"\nbounds.room = 2\n'
    file.write_text(text, encoding="utf-8")
    system = read_spec(file, catalogue(HERE / "inputs" / "protocols")).system()
    judge = Judge(system)
    found = [judge.of(*random_run(system, seed, 100)) for seed in range(20)]
    assert any(name in each.violated for each in found)
    for violation in (each for one in found for each in one.violated.values()):
        assert violation.trace is not None
        replay(system, violation.trace)
