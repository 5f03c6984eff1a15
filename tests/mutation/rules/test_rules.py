"""Mutants of rules are what they claim to be, and specs tell mistakes of several kinds."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from tests.mutation.mutants import ROOT, Mutant
from tests.mutation.rules.judge import judge
from tests.mutation.rules.mutants import all_mutants, drawn, mutants_of
from tests.mutation.rules.order import ordered, telling
from tests.mutation.rules.page import arguments
from tests.mutation.rules.trials import SPECS, Trial, trial_of

SOURCE = b'''
class P:
    @rule(fair=WEAK)
    def f(self, x):
        """Not this."""
        require(x > 0, self.ready)
        self.all.add(x)
        self.count = 1
'''


def mutant_of(file: str, function: str, operator: str, before: str) -> Mutant:
    return next(
        each
        for each in all_mutants()
        if (each.file, each.function, each.operator) == (file, function, operator)
        and before in each.before
    )


def test_each_operator_of_rules_finds_its_places() -> None:
    found = {(m.operator, m.before, m.after) for m in mutants_of("p.py", SOURCE)}
    assert found >= {
        ("drop-guard", "require(x > 0, self.ready)", "(require(self.ready))"),
        ("drop-guard", "require(x > 0, self.ready)", "(require(x > 0))"),
        ("drop-statement", "self.count = 1", "pass"),
        ("other-method", "self.all.add", "(self.all.remove)"),
        ("compare", "x > 0", "(x >= 0)"),
        ("constant", "1", "(2)"),
    }
    assert not any("Not this" in m.before or "WEAK" in m.before for m in mutants_of("p.py", SOURCE))


def test_mutants_are_python_and_are_told_apart() -> None:
    mutants = all_mutants()
    assert len({each.id for each in mutants}) == len(mutants) >= 5_000
    for each in drawn(200):
        ast.parse(each.applied((ROOT / each.file).read_bytes()))


def test_the_same_ones_are_drawn_again() -> None:
    assert drawn(30) == drawn(60)[:30]


@pytest.mark.parametrize(
    ("file", "function", "operator", "before", "kind"),
    [
        ("two_phase_commit", "decide_commit", "drop-statement", "all(", "verdict"),
        ("two_phase_commit", "receive_prepared", "drop-guard", "NONE", "counts"),
    ],
)
def test_specs_tell_mistakes(
    file: str, function: str, operator: str, before: str, kind: str
) -> None:
    path = f"model/protocols/{file}.py"
    mutant = mutant_of(path, f"TwoPhaseCommit.{function}", operator, before)
    trial = trial_of("two-phase-commit/three-managers")
    assert judge(mutant, [trial], 60).kind == kind


def test_a_change_that_changes_no_system_is_not_searched() -> None:
    path = "model/protocols/two_phase_commit.py"
    mutant = mutant_of(path, "TwoPhaseCommit.decide_commit", "drop-statement", "all(")
    trial = trial_of("final-checkpoint/pair")
    outcome = judge(mutant, [trial], 60)
    assert (outcome.kind, outcome.same, outcome.searched) == ("survives", 1, 0)


def test_a_change_of_what_no_part_is_known_to_call_is_found() -> None:
    """The parts of a system are compared, all of them, where nobody knows which to compare."""
    path = "model/protocols/two_phase_commit.py"
    mutant = mutant_of(path, "TwoPhaseCommit.decide_commit", "drop-statement", "all(")
    trial = replace(trial_of("two-phase-commit/three-managers"), callers={})
    assert judge(mutant, [trial], 60).kind == "verdict"


def test_what_is_known_of_a_mutant_is_of_one_that_there_is() -> None:
    known = telling()
    assert known.keys() | arguments().keys() <= {each.id for each in all_mutants()}
    assert not known.keys() & arguments().keys()
    assert all((SPECS / f"{each}.toml").exists() for each in known.values())


def test_specs_that_have_what_a_function_names_are_met_early() -> None:
    names = ("final-checkpoint/pair", "final-checkpoint/figure", "history/fixed/flink-39738")
    trials = [Trial(name, states, {}, {}) for states, name in enumerate(names)]
    path = "model/protocols/coordinator/coordinator.py"
    mutant = mutant_of(path, "JobProtocol.lose_acknowledgement", "drop-statement", "remove")
    met = [each.name for each in ordered(mutant, trials)]
    assert met[0] == names[2]
    assert sorted(met) == sorted(names)
