"""A suite reaches exact numbers of branches and pairs; gaps, reasons and settings are as said."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from finale.checker.coverage import seen as walking
from finale.checker.coverage.closing import closings
from finale.checker.coverage.seen import environment_of, is_status, seen
from finale.checker.coverage.suite import (
    BranchGoal,
    Coverage,
    Looked,
    PairGoal,
    joined,
    own_reasons,
    reasons_in,
)
from finale.checker.page.coverage import coverage_page
from finale.checker.report.coverage import coverage_json, coverage_lines
from finale.checker.search.many import WORKER_DIED
from finale.checker.search.native import search as native
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.model.errors import FinaleError
from finale.model.semantics import steps
from finale.model.system import Fault, State, branches_of
from finale.model.value_text import value_text
from tests.cli.running import ROOT, run

SPECS = ROOT / "specs"
#: A suite that reaches all branches, and all pairs but one.
BARRIERS = "barrier-collection"
ABORTED = PairGoal(BARRIERS, "restart_worker", "Epoch.status = ABORTED")


@cache
def looked_at(file: Path) -> Looked:
    spec = read_spec(file, catalogue())
    return Looked(spec, seen(spec))


def suite(*names: str, of: str = "") -> list[Looked]:
    """The specs of the rules as they are in files or folders below `specs`, of one protocol."""
    paths = [SPECS / name for name in names]
    files = [f for p in paths for f in (sorted(p.rglob("*.toml")) if p.is_dir() else [p])]
    read = [(file, read_spec(file, catalogue())) for file in files]
    own = [(f, s) for f, s in read if of in ("", s.protocol.key)]
    return [looked_at(f) for f, s in own if s.variant is None and not s.setting.without]


def counts(coverage: Coverage) -> tuple[int, int, int, int]:
    """Branches and pairs: all, and those that are reached."""
    goals = coverage.goals
    branches = [bool(goals[goal]) for goal in goals if isinstance(goal, BranchGoal)]
    pairs = [bool(goals[goal]) for goal in goals if isinstance(goal, PairGoal)]
    return len(branches), sum(branches), len(pairs), sum(pairs)


def quietly(_busy: Sequence[str], _done: int, _count: int) -> None:
    """Tell nothing."""


# --- what a walk sees ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("two-phase-commit", (0, 0, 0, 0)),
        ("yardstick/one-checkpoint.toml", (14, 12, 0, 0)),
        ("pipeline/two-operators.toml", (8, 6, 0, 0)),
        ("connector", (13, 8, 2, 2)),
        ("local-store", (10, 8, 2, 2)),
        (BARRIERS, (24, 19, 12, 9)),
    ],
)
def test_small_suites_have_exact_numbers(name: str, expected: tuple[int, ...]) -> None:
    assert counts(joined(suite(name))) == expected


@pytest.mark.parametrize("name", ["restart.toml", "commits-on-return.toml"])
def test_pairs_are_those_of_the_definition(name: str) -> None:
    """The second source: `semantics.py` state by state, and the decoded values of fields."""
    spec = read_spec(SPECS / BARRIERS / name, catalogue())
    system = spec.system(())
    found = set[tuple[str, str]]()
    known: dict[State, None] = dict.fromkeys(system.initial)
    for state in (ahead := list(known)):  # grows
        values = system.values(state)
        phases = {
            f"Epoch.status = {value_text(v.domain, values[v.name])}"
            for v in system.variables
            if is_status(v)
        }
        for step in steps(system, state):
            if step.rule.rule.name in environment_of(spec):
                found |= {(step.rule.rule.name, phase) for phase in phases}
            if not isinstance(step.result, Fault) and step.result not in known:
                known[step.result] = None
                ahead.append(step.result)
    walked = looked_at(spec.file).seen
    assert walked.states == len(known)
    assert {(rule, p) for rule, phases in walked.pairs.items() for p in phases} == found
    assert found


def test_branches_are_those_of_the_native_search() -> None:
    spec = read_spec(SPECS / BARRIERS / "refusal.toml", catalogue())
    system = spec.system(())
    dead = native.check(system).dead_branches
    looked = looked_at(spec.file)
    taken = {(b.file, b.line, b.outcome) for b in looked.reached if isinstance(b, BranchGoal)}
    read = {(b.file, b.line, b.outcome) for b in looked.branches} - taken
    assert dead
    assert {(b.file, b.line, b.outcome) for b in dead} <= read
    alive = branches_of(system) - set(dead)
    assert alive
    assert {(b.file, b.line, b.outcome) for b in alive} <= taken


def test_a_walk_ends_at_its_number_of_states_and_says_so() -> None:
    spec = read_spec(SPECS / BARRIERS / "restart.toml", catalogue())
    assert (found := seen(spec, 97)).complete
    assert found == seen(spec)
    cut = seen(spec, 96)
    assert (cut.states, cut.complete) == (96, False)
    said = "".join(str(line) for line in coverage_lines(joined([Looked(spec, cut)]), {}, 80))
    assert "The walks of 1 setting ended at 96 states" in said


def test_a_walk_is_kept_and_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINALE_CACHE", str(tmp_path))
    monkeypatch.setattr("finale.checker.cache.store._is_changed_since_loaded", lambda: False)
    command = f"coverage {SPECS / BARRIERS} --workers 1 --format json"
    first = run(command)
    monkeypatch.setattr(walking, "_walked", lambda *_: pytest.fail("it was walked again"))
    assert run(command) == first
    assert first.exit == 1


# --- gaps ----------------------------------------------------------------------------------------


def test_what_only_one_spec_reaches_is_a_gap_without_it() -> None:
    whole = suite(BARRIERS)
    missing = [each for each in whole if each.spec.file.name == "refusal.toml"]
    without = joined([each for each in whole if each not in missing])
    planted = set(without.gaps) - set(joined(whole).gaps)
    pairs = {(goal.rule, goal.phase) for goal in planted if isinstance(goal, PairGoal)}
    epochs = ("UNUSED", "PENDING", "COMMITTED")
    assert pairs == {("refuse", f"Epoch.status = {status}") for status in epochs}
    [branch] = [goal for goal in planted if isinstance(goal, BranchGoal)]
    assert (branch.function, branch.outcome) == ("BarrierCollection.hear_refusal", True)
    assert list(joined(whole).goals[branch]) == missing


def test_a_gap_is_closed_by_the_cheapest_setting_that_was_tried() -> None:
    found = closings(joined(suite(BARRIERS)), 1, quietly)
    setting = found[ABORTED].setting
    assert setting is not None
    assert setting.spec.file.name == "restart.toml"
    assert setting.spec.values == (("bounds.epochs", 2), ("bounds.refusals", 1))
    assert setting.seen.states == 3537
    again = read_spec(setting.spec.file, catalogue())
    assert ABORTED not in Looked(again, seen(again)).reached
    assert ABORTED in setting.reached


def test_a_worker_that_dies_is_an_error_of_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    coverage = joined(suite(BARRIERS))
    monkeypatch.setattr("finale.checker.coverage.closing.seen", lambda *_: os._exit(9))
    with pytest.raises(FinaleError) as raised:
        closings(coverage, 1, quietly)
    assert raised.value.code == WORKER_DIED


def test_settings_that_the_protocol_refuses_are_no_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise FinaleError("bad-bound", "refused", advice="none")

    coverage = joined(suite(BARRIERS))
    assert {each.tries for each in closings(coverage, 1, quietly).values()} != {0}
    monkeypatch.setattr("finale.checker.coverage.closing.seen", refuse)
    found = closings(coverage, 1, quietly)
    assert {(each.setting, each.tries) for each in found.values()} == {(None, 0)}


def test_a_pair_that_guards_exclude_is_none() -> None:
    coverage = joined(suite("connector"))
    pairs = {(goal.rule, goal.phase) for goal in coverage.pairs_of("connector")}
    assert pairs == {("stop", "status = RUNNING"), ("start_again", "status = CLOSED")}
    assert coverage_page(coverage, {}, "Finale").count("the guards of the rule exclude it") == 2


def test_rules_that_no_spec_can_take_are_gaps_in_each_phase() -> None:
    """The bounds of this spec exclude failures, and the protocol has them."""
    coverage = joined(suite(f"{BARRIERS}/restart.toml"))
    gaps = [gap for gap in coverage.gaps if isinstance(gap, PairGoal) and gap.rule == "start_again"]
    assert len(gaps) == 4
    settings = [closings(coverage, 1, quietly)[gap].setting for gap in gaps[:1]]
    assert [each.spec.values for each in settings if each] == [(("bounds.failures", 1),)]


# --- reasons -------------------------------------------------------------------------------------

REASON = '[[pair]]\nrules = ["restart_worker"]\nphases = ["Epoch.status = {}"]\nreason = "why"\n'


def reasons(folder: Path, text: str) -> Path:
    file = folder / "reasons.toml"
    file.write_text(text)
    return file


def test_a_reason_explains_a_gap(tmp_path: Path) -> None:
    told = reasons_in(reasons(tmp_path, REASON.format("ABORTED")))
    coverage = joined(suite(BARRIERS), told)
    assert coverage.reasons[ABORTED] == "why"
    assert ABORTED not in coverage.gaps
    assert not coverage.stale
    assert coverage.over_reasoned == ()


@pytest.mark.parametrize("status", ["PENDING", "GONE"])
def test_a_reason_that_no_longer_applies_fails(tmp_path: Path, status: str) -> None:
    """One names a pair that is reached, the other none."""
    text = REASON.format(status).replace("rules", f'protocols = ["{BARRIERS}"]\nrules', 1)
    file = reasons(tmp_path, text)
    ran = run(f"coverage {SPECS / BARRIERS} --workers 1 --reasons {file}")
    assert ran.exit == 1
    assert f"{file}:1: this reason is out of date: why" in " ".join(ran.stdout.split())


BRANCH = '[[branch]]\nfunction = "{}"\nline = "if self:"\noutcome = true\nreason = "why"\n'


@pytest.mark.parametrize(
    ("words", "is_told"), [("", True), ("/restart.toml", False), (f" --of {BARRIERS}", False)]
)
def test_a_function_that_no_spec_has_is_told_if_the_suite_is_whole(
    tmp_path: Path, words: str, is_told: bool
) -> None:
    file = reasons(tmp_path, BRANCH.format("BarrierCollection.gone"))
    ran = run(f"coverage {SPECS / BARRIERS}{words} --workers 1 --reasons {file}")
    said = f"{file}:1: this reason is out of date: why" in " ".join(ran.stdout.split())
    assert said == is_told


def test_too_many_reasons_fail(tmp_path: Path) -> None:
    text = '[[pair]]\nphases = ["Epoch.status = ABORTED"]\nreason = "why"\n'
    coverage = joined(suite(BARRIERS), reasons_in(reasons(tmp_path, text)))
    assert sum(isinstance(goal, PairGoal) for goal in coverage.reasons) == 3
    assert coverage.over_reasoned == (BARRIERS,)
    assert not coverage.is_whole


@pytest.mark.parametrize(
    ("text", "place", "advice"),
    [
        ("[pair]\n", ":1 (key pair)", "two brackets"),
        ("[[pairs]]\n", ":1 (key pairs)", 'did you mean "pair"?'),
        ('[[pair]]\nreason = "a"\nrule = "b"\n', ":3 (key pair.rule)", 'did you mean "rules"?'),
        ('[[pair]]\nreason = "a"\nrules = "b"\n', ":3 (key pair.rules)", "a list of texts"),
        ("[[pair]]\nreason = 1\n", ":2 (key pair.reason)", "write a text"),
        ('[[pair]]\nrules = ["a"]\n', ":1 (key pair)", "write reason = …"),
        ('[[branch]]\nfunction = "f"\nline = "l"\nreason = "r"\n', ":1 (key branch)", "outcome"),
        ("pair = [1]\n", ":1 (key pair)", "write [[pair]]"),
    ],
)
def test_a_mistake_in_a_list_of_reasons(tmp_path: Path, text: str, place: str, advice: str) -> None:
    file = reasons(tmp_path, text)
    with pytest.raises(FinaleError) as raised:
        reasons_in(file)
    assert raised.value.code == "bad-reasons"
    assert f"{file}{place}" in str(raised.value)
    assert advice in str(raised.value)


# --- the command ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("none.toml", "no-such-path"),
        (f"{SPECS / BARRIERS} --of raft", "unknown-protocol"),
        (f"{SPECS / BARRIERS} --of yardstick", "nothing-to-cover"),
        (f"{SPECS / BARRIERS} --max-states 0", "bad-limit"),
        (f"{SPECS / BARRIERS} --reasons none.toml", "no-such-path"),
        (f"{SPECS / BARRIERS} -o coverage.svg", "wrong-ending"),
    ],
)
def test_bad_input_has_a_code(words: str, code: str) -> None:
    ran = run(f"coverage {words}")
    assert ran.exit == 2
    assert ran.stderr.startswith(f"error[{code}]")
    assert not ran.stdout


def test_the_answer_as_text_has_each_gap_and_the_setting_that_closes_it() -> None:
    ran = run(f"coverage {SPECS / BARRIERS} --workers 1 --close")
    assert ran.exit == 1
    assert "barrier-collection: no spec takes restart_worker while" in ran.stdout
    assert "--set bounds.epochs=2 --set bounds.refusals=1 (3 537 states)" in ran.stdout
    assert ran.stdout.endswith(
        "7 settings: branches 19 of 24; pairs of rule and phase 9 of 12; 8 gaps\n"
    )


def test_json_has_all_goals_the_gaps_first() -> None:
    coverage = joined(suite(BARRIERS))
    found = json.loads(json.dumps(coverage_json(coverage, {})))
    assert (len(found["branches"]), len(found["pairs"]), found["gaps"]) == (24, 12, 8)
    reached = [len(each["reached_by"]) for each in found["pairs"]]
    assert reached[:3] == [0, 0, 0]
    assert all(reached[3:])
    assert found["pairs"][1]["rule"] == "restart_worker"
    by_value = {(e["option"], e["value"]): e["settings"] for e in found["options"]}
    assert sum(n for (option, _), n in by_value.items() if option == "unknown_epoch") == 7


def test_the_page_loads_nothing_and_names_no_path_of_the_machine() -> None:
    page = coverage_page(joined(suite(BARRIERS)), {}, "Finale")
    assert page.count('<span class="badge bad">gap</span>') == 3
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    assert str(ROOT) not in page


@pytest.mark.slow
@pytest.mark.parametrize(
    "protocol", ["final-checkpoint", "stop-with-savepoint", "unaligned", "restore"]
)
def test_reasons_of_finale_are_in_order(protocol: str) -> None:
    coverage = joined(suite(".", of=protocol), own_reasons())
    assert not coverage.stale
    assert not coverage.over_reasoned
