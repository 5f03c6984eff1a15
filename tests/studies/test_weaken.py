"""Weakening: what falls without an assumption is found, and ranked by its effect."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from finale.checker.search.limits import Limits
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.checker.studies.effects import Effect, effect_of
from finale.checker.studies.weaken import Weakening, weaken
from finale.model.errors import FinaleError
from tests.cli.running import run

SPEC = """
title    = "A source and a sink"
protocol = "final-checkpoint"
[job]
S = { records = 1 }
K = { from = ["S"], sink = "two-phase" }
[bounds]
checkpoints = 1
[observe]
cut = true
"""
NAMES = ("is-past", "is-head", "is-fully-acknowledged", "perform-at-once")


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    file = tmp_path / "pair.toml"
    file.write_text(SPEC, encoding="utf-8")
    return file


def weakened(file: Path, *names: str, limits: Limits | None = None) -> Weakening:
    claim = read_spec(file, catalogue())
    return weaken(claim, names, limits or Limits(), 1, lambda busy, done, of: None)


def test_assumptions_are_ranked_by_what_they_protect(spec: Path) -> None:
    found = weakened(spec, *NAMES)
    assert found.is_complete
    ranked = [each.assumption.name for each in found.found]
    effects = [each.first and each.first.effect for each in found.found]
    assert ranked == ["is-fully-acknowledged", "perform-at-once", "is-head", "is-past"]
    assert effects == [Effect.LOSS, Effect.LOSS, Effect.HANG, None]
    assert found.found[-1].is_same
    first = found.found[0].first
    assert first is not None
    assert first.property == "consistent-cut"
    assert first.steps == first.trace.length


def test_a_search_that_comes_to_a_limit_says_so(spec: Path) -> None:
    found = weakened(spec, "is-past", limits=Limits(states_max=5))
    assert found.found[0].stopped
    assert not found.found[0].is_same
    assert not found.is_complete


def test_what_a_spec_leaves_out_itself_is_not_left_out_again(spec: Path) -> None:
    spec.write_text(SPEC.replace("[job]", 'without = ["is-past"]\n[job]', 1), encoding="utf-8")
    with pytest.raises(FinaleError) as error:
        weakened(spec, "is-past")
    assert error.value.code == "unknown-assumption"


def test_a_protocol_without_assumptions_is_refused() -> None:
    with pytest.raises(FinaleError) as error:
        weakened(Path("specs/two-phase-commit/three-managers.toml"))
    assert error.value.code == "no-assumptions"


def test_effects_of_properties() -> None:
    known = catalogue().properties
    found = {
        name: effect_of(name, known.get(name))
        for name in (
            *("commit-at-most-once", "job-finishes", "no-deadlock", "well-formed"),
            *("decided-once", "finished"),
        )
    }
    assert list(found.values()) == [
        *(Effect.LOSS, Effect.HANG, Effect.HANG, Effect.FAULT, Effect.OTHER, Effect.OTHER)
    ]


def test_the_command_prints_json_with_commands_that_reproduce(spec: Path) -> None:
    flags = "--assumption perform-at-once --workers 1 --no-cache --format json"
    ran = run(f"weaken {spec.name} {flags}", spec.parent)
    told = json.loads(ran.stdout)
    assert (ran.exit, told["complete"], told["unjudged"]) == (0, True, [])
    (own,) = told["assumptions"]
    assert own["methods"] == ["SingleCheckpointBarrierHandler.triggerCheckpoint"]
    fall = own["falls"][0]
    assert (fall["property"], fall["effect"], fall["steps"]) == ("consistent-cut", "loss", 11)
    again = run(fall["command"].removeprefix("finale "), spec.parent)
    assert again.exit == 0
    assert "consistent-cut is violated: 11 steps" in again.stdout


def test_the_command_says_what_is_wrong(spec: Path) -> None:
    assert run(f"weaken {spec.name} --assumption no-such", spec.parent).exit == 2
    ran = run(f"weaken {spec.name} --assumption is-past --max-states 5 --no-cache", spec.parent)
    assert ran.exit == 3
    assert "a limit ended the search without  is-past" in ran.stdout
    spec.write_text(SPEC.replace("[job]", 'without = ["is-pas"]\n[job]', 1), encoding="utf-8")
    ran = run(f"check {spec.name}", spec.parent)
    assert ran.exit == 2
    assert "is-past" in ran.stderr


def test_the_commands_of_text_can_be_pasted_elsewhere(spec: Path, tmp_path: Path) -> None:
    """In one line, with the assumption: so is that of the trace itself."""
    odd = spec.rename(spec.with_name("it's a pair.toml"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    name = "is-fully-acknowledged"
    ran = run(f'weaken "{odd.name}" --assumption {name} --workers 1 --no-cache', spec.parent)
    (line,) = (each for each in ran.stdout.splitlines() if each.startswith("show it"))
    command = line.partition(": ")[2]
    again = run(command.removeprefix("finale "), elsewhere)
    assert again.exit == 0, again.stderr
    repeated = again.stdout.splitlines()[-1].removeprefix("reproduce: ")
    assert shlex.split(repeated) == [
        *("finale", "trace", str(odd), "--property", "consistent-cut", "--without", name)
    ]


def test_what_was_unknown_has_not_held(spec: Path) -> None:
    """With one checkpoint it is unknown whether the job finishes, also without `is-released`."""
    found = weakened(spec, "is-fully-acknowledged", "is-in-turn", "is-released", "is-head")
    before = {each.property: each.word for each in found.report.verdicts}
    falls = {fall.property for each in found.found for fall in each.falls}
    assert "unknown" in before.values()
    assert {before[name] for name in falls} <= {"holds", "vacuous"}
