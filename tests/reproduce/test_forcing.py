"""An assumption on a real engine: which step it forbids, and what two runs say about it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.reproduce import verdicts
from finale.checker.reproduce.forcing import (
    JudgedForce,
    Kept,
    check_forcible,
    judged_force,
    order_without,
)
from finale.checker.reproduce.ordering import NotTakeable, order_of
from finale.checker.reproduce.verdicts import JudgedLog, judged
from finale.checker.search.run import run
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.checker.studies.foreign_step import ForeignStep, foreign_step, showing
from finale.checker.studies.weaken import weaker
from finale.cli import forced as command
from finale.cli.main import main
from finale.model.trace import replay
from finale.reference.flink.director import Missed, Taken
from finale.reference.flink.facts import facts_in
from finale.reference.flink.hooks import hooks_in
from finale.reference.flink.jvms import Jvms
from finale.reference.flink.order import Order, OrderedStep, Trigger, read_order
from finale.reference.flink.outcome import RunOutcome
from finale.reference.flink.releases import HOOKS as FOLDER
from finale.reference.flink.releases import Release
from finale.reference.flink.run import Run
from tests.docs.assumptions_page import assumptions_in
from tests.docs.pages import ROOT
from tests.reference.flink.test_found import distribution

FILE = FOLDER / "flink-2.3.toml"
FACTS, HOOKS = facts_in(FILE), hooks_in(FILE)
PAIR = ROOT / "specs" / "final-checkpoint" / "pair.toml"
OUTCOME = RunOutcome("RUNNING", False, (), {}, {}, {}, {}, 0, (), ())
RESULT = {"StreamTask.areCheckpointsWithFinishedTasksEnabled returned true in S": 2}


def test_each_assumption_is_forced_or_has_a_reason() -> None:
    known = {each.name: each for each in assumptions_in(catalogue())}
    assert FACTS.assumed.keys() | FACTS.unforced.keys() == known.keys()
    assert not FACTS.assumed.keys() & FACTS.unforced.keys()
    for name, each in FACTS.assumed.items():
        assert each.of in known[name].methods


def test_no_method_has_two_hooks() -> None:
    """Two breakpoints at one place would hold a thread twice."""
    hooked = {(each.class_name, each.method) for each in HOOKS.all}
    assert not {(each.class_name, each.method) for each in HOOKS.assumed.values()} & hooked


@pytest.fixture(scope="module")
def counterexample() -> tuple[Order, ForeignStep]:
    spec = read_spec(PAIR, catalogue())
    weak, strong = run(weaker(spec, "is-released")), run(spec)
    row = next(each for each in weak.rows if each.property == "commit-completeness")
    assert row.trace is not None
    assert weak.system is not None
    assert strong.system is not None
    step = foreign_step(weak.system, strong.system, row.trace)
    assert step is not None
    assert foreign_step(weak.system, weak.system, row.trace) is None
    return order_of(weak.spec, weak.system, row.trace, FACTS), step


def test_the_first_step_that_the_assumption_forbids(
    counterexample: tuple[Order, ForeignStep],
) -> None:
    order, step = counterexample
    assert str(step) == "step 5, quiesce(S), is no step"
    made = order_without(order, "is-released", step, forced=True)
    assert made.forbidden == 5
    # The step happens in the moment of another one, which then waits for what it triggers.
    trigger = replace(order.steps[0], trigger=Trigger("cp1", "CHECKPOINT"), tells=("5 quiesce",))
    other = replace(order, steps=(trigger,))
    assert order_without(other, "is-released", step, forced=True).forbidden == trigger.number


def test_an_order_without_an_assumption_is_read_again(
    counterexample: tuple[Order, ForeignStep], tmp_path: Path
) -> None:
    order = order_without(*counterexample[:1], "is-released", counterexample[1], forced=True)
    file = tmp_path / "order.json"
    file.write_text(order.to_json(), encoding="utf-8")
    read = read_order(file)
    assert (read.assumption, read.forced, read.forbidden) == ("is-released", True, 5)


STEPS = tuple(
    OrderedStep(number, "emit", {"task": "S"}, tuple(range(1, number))) for number in (1, 2, 3)
)
SECOND = ForeignStep(2, "emit(S)", enabled=False)


def force(
    monkeypatch: pytest.MonkeyPatch,
    left: tuple[int, ...],
    *,
    forced: bool,
    enabled: bool = False,
    refused: str = "",
    results: dict[str, int] = RESULT,
    lost: tuple[str, ...] = (),
    name: str = "commit-completeness",
) -> JudgedForce:
    log = JudgedLog(None, (), (), ())
    monkeypatch.setattr(verdicts, "judged_log", lambda _: log)
    steps = tuple(each for each in STEPS if each.number in left)
    missed = Missed(steps[:1], (), (), refused) if left else None
    outcome = replace(OUTCOME, status="FINISHED", lost=lost)
    taken = Taken(missed=missed, left=left, results=results)
    ran = judged(Run(Path(), Release("2.3.0", Path(), ()), taken, outcome), name, of_release=True)
    job = read_spec(PAIR, catalogue()).setting.job
    assert job is not None
    step = replace(SECOND, enabled=enabled)
    order = order_without(Order("", job, {}, {}, STEPS), "is-released", step, forced=forced)
    return judged_force(ran, name, order, step, FACTS.assumed["is-released"])


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize(
    ("left", "verdicts"),
    [
        ((1, 2, 3), (Kept.NOT_TAKEABLE, Kept.NOT_TAKEABLE)),
        ((2, 3), (Kept.KEPT, Kept.NOT_BY_METHOD)),
        ((3,), (Kept.NOT_KEPT, Kept.BY_METHOD)),
        ((), (Kept.NOT_KEPT, Kept.BY_METHOD)),
    ],
)
def test_a_step_that_is_forbidden_tells_by_itself(
    monkeypatch: pytest.MonkeyPatch,
    forced: bool,
    left: tuple[int, ...],
    verdicts: tuple[Kept, Kept],
) -> None:
    assert force(monkeypatch, left, forced=forced).verdict is verdicts[forced]


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize(
    ("left", "lost", "name", "verdicts"),
    [
        ((1, 2, 3), (), "commit-completeness", (Kept.NOT_TAKEABLE, Kept.NOT_TAKEABLE)),
        ((3,), (), "commit-completeness", (Kept.KEPT, Kept.NOT_TAKEABLE)),
        ((), (), "commit-completeness", (Kept.KEPT, Kept.NOT_BY_METHOD)),
        ((), ("S#0 at K",), "commit-completeness", (Kept.NOT_KEPT, Kept.BY_METHOD)),
        ((), (), "finished-flag-is-sound", (Kept.NOT_TAKEABLE, Kept.NOT_TAKEABLE)),
    ],
)
def test_of_a_step_with_another_effect_the_damage_tells(
    monkeypatch: pytest.MonkeyPatch,
    forced: bool,
    left: tuple[int, ...],
    lost: tuple[str, ...],
    name: str,
    verdicts: tuple[Kept, Kept],
) -> None:
    done = force(monkeypatch, left, forced=forced, enabled=True, lost=lost, name=name)
    assert done.verdict is verdicts[forced]


def test_a_refusal_is_quoted_or_it_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = force(monkeypatch, (2, 3), forced=False, refused="Decline checkpoint 1", results={})
    assert kept.verdict is Kept.KEPT
    assert kept.why[-1] == "Flink refused the step: Decline checkpoint 1"
    silent = force(monkeypatch, (2, 3), forced=False, results={})
    assert silent.verdict is Kept.NOT_TAKEABLE
    assert "neither a line nor a result" in silent.why[-1]
    unasked = force(monkeypatch, (2, 3), forced=True, results={})
    assert unasked.why[-1] == "Flink did not call the method"
    assert force(monkeypatch, (2, 3), forced=False).results == (f"{next(iter(RESULT))}, 2 times",)


def left_to_the_log(
    monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, completes: str, lines: str
) -> JudgedForce:
    """The verdict on Flink as it is, whose log tells of the checkpoint `cp1`, which is number 4."""
    monkeypatch.setattr(verdicts, "judged_log", lambda _: JudgedLog(None, (), (), ()))
    (folder / "flink.log").write_text(lines, encoding="utf-8")
    taken = Taken(left=(), results=RESULT, ids={"cp1": 4})
    outcome = replace(OUTCOME, rest=True)
    ran = judged(Run(folder, Release("2.3.0", Path(), ()), taken, outcome), name, of_release=True)
    job = read_spec(PAIR, catalogue()).setting.job
    assert job is not None
    step = replace(SECOND, enabled=True, completes=completes)
    order = order_without(Order("", job, {}, {}, STEPS), "is-released", step, forced=False)
    return judged_force(ran, name, order, step, FACTS.assumed["is-released"])


@pytest.mark.parametrize(
    ("name", "completes", "lines", "verdict", "why"),
    [
        ("union-state-is-even", "cp1", "Completed checkpoint 4 for job", Kept.NOT_KEPT, "complete"),
        ("union-state-is-even", "cp1", "Completed checkpoint 44 for job", Kept.KEPT, "did not"),
        ("checkpoint-ends", "", "Completed checkpoint 4 for job", Kept.KEPT, "each checkpoint"),
        (
            "checkpoint-ends",
            "",
            "Failed to trigger or complete checkpoint 4 for job",
            Kept.KEPT,
            "each checkpoint",
        ),
        ("checkpoint-ends", "", "", Kept.NOT_KEPT, "checkpoint 4 neither completed nor"),
    ],
)
def test_the_log_tells_what_became_of_a_checkpoint(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: str,
    completes: str,
    lines: str,
    verdict: Kept,
    why: str,
) -> None:
    """A job can rest only because nobody triggers its next checkpoint: that is no damage."""
    done = left_to_the_log(monkeypatch, tmp_path, name, completes, lines)
    assert done.verdict is verdict
    assert why in done.why[0]


def test_a_checkpoint_that_the_assumption_aborts_completes_after_the_step() -> None:
    """The two steps may come in any order without the assumption, and not with it."""
    job = read_spec(PAIR, catalogue()).setting.job
    assert job is not None
    last = OrderedStep(4, "apply_acknowledgement", {"checkpoint": "cp1"}, (), tells=("5 complete",))
    order = Order("", job, {}, {}, (*STEPS, last))
    told = replace(SECOND, completes="cp1")
    made = order_without(order, "subsume", told, forced=True)
    assert made.steps[-1].after == (2,)
    assert order_without(order, "subsume", SECOND, forced=True).steps == order.steps


def test_a_step_of_another_effect_is_shown_by_one_that_follows() -> None:
    """Without the wait for all barriers a task acknowledges after the first one."""
    spec = read_spec(ROOT / "specs" / "final-checkpoint" / "figure.toml", catalogue())
    weak, strong = run(weaker(spec, "is-aligned")), run(spec)
    row = next(each for each in weak.rows if each.property == "consistent-cut")
    assert row.trace is not None
    assert weak.system is not None
    assert strong.system is not None
    step = foreign_step(weak.system, strong.system, row.trace)
    assert step is not None
    assert step.enabled
    acknowledges = "apply_acknowledgement".__eq__
    found = showing(weak.system, strong.system, row.trace, step, acknowledges)
    assert found is not None
    trace, last = found
    assert not last.enabled
    assert f"is no step after step {step.number}, " in str(last)
    replay(weak.system, trace)
    assert showing(weak.system, strong.system, row.trace, step, "tick".__eq__) is None


def test_an_assumption_without_a_method_to_force() -> None:
    check_forcible("is-released", FACTS)
    with pytest.raises(NotTakeable, match="driver cannot force perform-at-once: the driver holds"):
        check_forcible("perform-at-once", FACTS)


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """The command for a Flink that has all classes."""
    classes = {each.class_name for each in HOOKS.all}
    classes |= {each.class_name for each in HOOKS.assumed.values()}
    release = distribution(tmp_path, "2.3.0", *classes)
    folder = ["--output", str(tmp_path / "reproduction"), "--flink", str(release)]
    return ["reproduce", str(PAIR), *folder]


def test_flink_is_driven_as_it_is_and_then_forced(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def ran(order: Order, jvms: Jvms, folder: Path) -> Run:
        assert (order.assumption, jvms.assumption) == ("is-released", "is-released")
        left = () if order.forced else tuple(each.number for each in order.steps if each.number > 6)
        missed = Missed(order.steps[:1], (), ()) if left else None
        return Run(folder, jvms.release, Taken(missed=missed, left=left, results=RESULT), OUTCOME)

    monkeypatch.setattr(command, "run_order", ran)
    monkeypatch.setattr(command, "find_jdk", lambda: None)
    monkeypatch.setattr(verdicts, "judged_log", lambda _: JudgedLog(None, (), (), ()))
    assert main([*words, "--without", "is-released", "--format", "json"]) == 0
    page = json.loads(capsys.readouterr().out)
    assert [each["verdict"] for each in page["runs"]] == ["kept", "by that method"]
    assert page["step"].startswith("step 7, quiesce(S)")
    assert page["runs"][0]["results"] == [f"{next(iter(RESULT))}, 2 times"]
    folders = [tmp_path / "reproduction" / name for name in ("as-it-is", "forced")]
    assert [read_order(each / "order.json").forced for each in folders] == [False, True]


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        (["--without", "perform-at-once"], 3, "not takeable: the driver cannot force perform-at-"),
        (["--without", "is-in-turn"], 3, "is a part of a longer method"),
        (["--without", "on-abort"], 2, "no property falls without on-abort"),
        (["--without", "is-realeased"], 2, "unknown-assumption"),
        (["--without", "is-released", "--times", "2"], 2, "error[usage]"),
        (["--without", "is-released", "--orders", "2"], 2, "error[usage]"),
    ],
)
def test_what_no_run_can_show_is_said_before_a_jvm_starts(
    words: list[str], capsys: pytest.CaptureFixture[str], more: list[str], code: int, told: str
) -> None:
    assert main([*words, *more]) == code
    ran = capsys.readouterr()
    assert told in ran.out + ran.err
