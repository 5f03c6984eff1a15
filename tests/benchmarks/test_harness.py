"""A harness in which anything fails fails, and one in which nothing ran fails, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from benchmarks.__main__ import main
from benchmarks.comparison import compare, ratios
from benchmarks.measuring import Engine, Failed, Sample, run
from benchmarks.models import BY_HAND, MODELS, QUICK, STANDARD, Counts, Model, named
from benchmarks.spin import counts_in, memory_in

QUIETLY = ("--no-startup", "--rounds", "2", "--models", "two-phase-commit-3")


@dataclass
class Fake:
    """Counts what it is told to, or fails, or is interrupted in one of its rounds."""

    name: str = "fake"
    more: int = 0
    fails: bool = False
    interrupted_in: int = 0
    has_models: bool = True
    asked: int = 0

    def can(self, model: Model) -> bool:
        return self.has_models

    def measure(self, model: Model, folder: Path) -> Sample:
        self.asked += 1
        if self.fails:
            raise Failed("it broke")
        if self.asked == self.interrupted_in:
            raise KeyboardInterrupt
        counts = replace(model.counts, states=model.counts.states + self.more, depth=-1)
        return Sample(0.1, 0.2, 0.5, 1_000, counts)


@pytest.mark.parametrize(
    ("engines", "code", "told"),
    [
        ([Fake()], 0, "fake"),
        ([Fake(fails=True)], 1, "FAILED: two-phase-commit-3, fake: it broke"),
        ([Fake(), Fake("broken", fails=True)], 1, "FAILED: two-phase-commit-3, broken"),
        ([Fake(more=1)], 1, "it counts Counts(states=289"),
        ([Fake(has_models=False)], 1, "FAILED: nothing was measured"),
        ([], 1, "FAILED: nothing was measured"),
    ],
)
def test_what_fails_fails(
    engines: Sequence[Engine], code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(QUIETLY, engines) == code
    assert told in capsys.readouterr().out


def test_one_engine_is_told_against_another() -> None:
    model = named("two-phase-commit-3")
    found = compare([Fake("ours"), Fake("theirs")], [model], 3, lambda _: None)
    assert ratios(found, "ours", "theirs") == [
        f"{model.name}: ours against theirs: 1.0 times its search, 1.2 times its whole run"
    ]
    assert ratios(found, "ours", "nobody") == []


def test_rounds_are_interleaved() -> None:
    lines: list[str] = []
    models = [named("two-phase-commit-3"), named("two-phase-commit-5")]
    found = compare([Fake("a"), Fake("b")], models, 2, lines.append)
    assert [line.split(" CPU")[0].split(": ")[1] for line in lines] == 2 * [
        f"{model.name} · {engine}" for model in models for engine in ("a", "b")
    ]
    assert all(len(samples) == 2 for samples in found.samples.values())


def test_what_was_measured_before_an_interruption_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["--no-startup", "--rounds", "5", "--models", "two-phase-commit-3"]
    assert main(arguments, [Fake("a"), Fake("b", interrupted_in=3)]) == 1
    told = capsys.readouterr().out
    assert "medians of 2 rounds, and of one that was interrupted" in told
    assert "interrupted in round 3 of 5" in told
    assert "FAILED" not in told


@pytest.mark.parametrize("arguments", [["--rounds", "0"], ["--models", "nothing"]])
def test_bad_arguments_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments, [Fake()])
    assert stopped.value.code == 2


def test_a_command_that_fails_is_told(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="exits with 3"):
        run(["sh", "-c", "exit 3"], tmp_path)
    with pytest.raises(Failed, match="no-such-command"):
        run(["no-such-command"], tmp_path)


def test_models_are_there() -> None:
    assert {*STANDARD, *QUICK} <= {model.name for model in MODELS}
    assert all((BY_HAND / model.by_hand).exists() for model in MODELS)


def test_what_pan_prints_is_read() -> None:
    text = """
     8839 states, stored
    33670 states, matched
    42509 transitions (= stored+matched)
    128.000\tmemory used for hash table (-w24)
      0.500\tmemory used for DFS stack (-m10000)
    129.500\ttotal actual memory usage
"""
    assert counts_in(text) == Counts(8_839, 42_508, -1)
    assert memory_in(text) == 129 * 2**20
    with pytest.raises(Failed, match="its end"):
        counts_in("Search not completed\n" + text)
