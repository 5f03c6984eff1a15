"""Which orders of a spec that holds are driven, and how a run of one is judged."""

from __future__ import annotations

import itertools
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.report.reproduced import orders_lines, run_lines
from finale.checker.reproduce.dangerous import Sampled, dangerous, sampled_orders, turns
from finale.checker.reproduce.verdicts import Reproduction, judged_to_hold
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.cli import orders as command
from finale.cli.main import main
from finale.model.topology import Job
from finale.reference.flink.director import Missed, Moment, Taken
from finale.reference.flink.facts import facts_in
from finale.reference.flink.hooks import hooks_in
from finale.reference.flink.jvms import Jvms
from finale.reference.flink.order import Order, OrderedStep
from finale.reference.flink.outcome import RunOutcome
from finale.reference.flink.releases import Release
from finale.reference.flink.run import Run
from tests.docs.pages import ROOT
from tests.reference.flink.test_found import distribution

FILE = ROOT / "reference" / "flink" / "flink-2.3.toml"
FACTS, HOOKS = facts_in(FILE), hooks_in(FILE)
PAIR = ROOT / "specs" / "stop-with-savepoint" / "pair.toml"
JOB = {"S": {"records": 1}, "K": {"from": ["S"]}}
STOPS = {"stop1": "stop", "stop2": "stop"}
HOLDING = {"stop-is-answered", "commit-completeness", "no-deadlock", "restores-newest"}
HOLDING |= {"legal-never-fails", "requests-do-not-defeat"}
ENDED = RunOutcome("FINISHED", False, (), {"stop1": "file:/s"}, {}, {}, {}, 1, (), (), (), STOPS)


def order(*steps: tuple[str, tuple[int, ...]]) -> Order:
    made = (OrderedStep(n, name, {"task": "K"}, after) for n, (name, after) in enumerate(steps, 1))
    return Order("", Job.from_table(JOB), JOB, {}, tuple(made))


@pytest.fixture
def orders(tmp_path: Path) -> list[str]:
    """A command for two orders, on a Flink that has all classes."""
    release = distribution(tmp_path, "2.3.0", *{each.class_name for each in HOOKS.all})
    folder = ["--output", str(tmp_path / "runs"), "--flink", str(release)]
    return ["reproduce", str(PAIR), "--orders", "2", "--format", "json", *folder]


def test_an_interrupted_command_goes_on(
    orders: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    taken: list[str] = []

    def ran(order: Order, jvms: Jvms, folder: Path) -> Run:
        folder.mkdir()
        (folder / "flink.log").touch()
        taken.append(f"{folder.parent.name}/{folder.name}")
        if len(taken) == 2:
            raise KeyboardInterrupt
        moments = [Moment(0.5, "asked", order.steps[0].number)]
        return Run(folder, jvms.release, Taken(moments), ENDED)

    monkeypatch.setattr(command, "run_order", ran)
    monkeypatch.setattr(command, "find_jdk", lambda: None)
    assert main(orders) == 130
    capsys.readouterr()
    assert main(orders) == 0
    assert taken == ["order-1/run-1", "order-2/run-1", "order-2/run-2"]
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [each["verdict"] for each in runs] == ["survived", "survived"]
    assert main(orders) == 0
    assert len(taken) == 3
    assert (tmp_path / "runs" / "order-2" / "again.sh").stat().st_mode & 0o100
    # A line whose run was removed is no line of this folder.
    shutil.rmtree(tmp_path / "runs" / "order-1")
    assert main(orders) == 2
    assert "error[reproduction-folder]" in capsys.readouterr().err


def test_orders_with_new_turns_come_first() -> None:
    plain = order(("emit", ()), ("fail", (1,)))
    same = order(("emit", ()), ("fail", (1,)), ("quiesce", ()))
    other = order(("fail", ()), ("emit", (1,)), ("quiesce", (2,)))
    assert turns(plain) == turns(same) == {("emit(K)", "fail(K)")}
    assert list(dangerous([plain, same, other], 2)) == [other, plain]
    assert len(list(dangerous([plain, same], 5))) == 2


def test_orders_of_random_runs_are_different_and_repeatable() -> None:
    spec = read_spec(PAIR, catalogue())
    system = spec.system(spec.asked)
    sample = sampled_orders(spec, system, FACTS, 2, 1)
    assert sample.runs == 40
    assert len(sample.orders) > 10
    assert sampled_orders(spec, system, FACTS, 2, 1).orders.keys() == sample.orders.keys()
    kinds = {
        step.trigger.kind: step.trigger.stops
        for each in sample.orders.values()
        for step in each.steps
        if step.trigger is not None
    }
    assert kinds["SUSPEND"]
    assert kinds["DRAIN"]
    assert not kinds.get("CHECKPOINT")


def test_orders_of_a_seed_do_not_depend_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = read_spec(PAIR, catalogue())
    system = spec.system(spec.asked)
    told: list[tuple[int, int]] = []
    usual = sampled_orders(spec, system, FACTS, 1, 1, lambda done, of: told.append((done, of)))
    assert told == [(done, 20) for done in range(20)]
    late = itertools.count(0.0, 1e6)
    monkeypatch.setattr(
        "finale.checker.reproduce.dangerous.monotonic", lambda: next(late), raising=False
    )
    assert list(sampled_orders(spec, system, FACTS, 1, 1).orders) == list(usual.orders)


@pytest.mark.parametrize(
    ("outcome", "damage"),
    [
        (ENDED, ()),
        (replace(ENDED, lost=("S.0#0 at K",)), ("lost: S.0#0 at K",)),
        (
            replace(ENDED, status="RUNNING", rest=True, unanswered=("stop1",), answers={}),
            ("the job is RUNNING, and nothing moves", "stop1 has no answer"),
        ),
        (replace(ENDED, failed=("K", "K")), ("K fails, and nothing made it fail",)),
        (replace(ENDED, errors={"stop2": "denied"}), ("stop2 fails: denied",)),
        # One request cannot defeat another one; a checkpoint may come too early.
        (replace(ENDED, errors={"stop2": "denied"}, asked={"stop2": "stop"}), ()),
        (replace(ENDED, errors={"request 1": "not all tasks run"}), ()),
        # Nobody promises here that nothing is committed twice.
        (replace(ENDED, doubled=("S.0#0 at K",)), ()),
    ],
)
def test_damage_is_what_a_property_that_holds_forbids(
    tmp_path: Path, outcome: RunOutcome, damage: tuple[str, ...]
) -> None:
    (tmp_path / "flink.log").touch()
    run = Run(tmp_path, Release("2.3.0", tmp_path, ()), Taken(), outcome)
    judged = judged_to_hold(run, HOLDING)
    assert judged.damage == damage
    assert judged.verdict is (Reproduction.DAMAGED if damage else Reproduction.SURVIVED)
    missed = replace(run, taken=Taken(missed=Missed((), (), ())))
    assert judged_to_hold(missed, HOLDING).verdict is Reproduction.NOT_TAKEN


def test_a_run_of_an_order_is_called_as_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "order-3" / "run-1"
    folder.mkdir(parents=True)
    (folder / "flink.log").touch()
    run = Run(folder, Release("2.3.0", tmp_path, ()), Taken(), ENDED)
    lines = [str(each) for each in run_lines(3, judged_to_hold(run, HOLDING), 200, "order")]
    assert lines[1].startswith("order 3: survived ")


def test_properties_that_nothing_outside_shows() -> None:
    spec = read_spec(PAIR, catalogue())
    (_, seen) = orders_lines(spec, {"stop-is-answered"}, Sampled(), 1, "2.3.0")
    assert "log alone" not in str(seen)
    (_, unseen) = orders_lines(spec, {"cut-is-a-cut"}, Sampled(), 1, "2.3.0")
    assert "judged by the log alone" in str(unseen)


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        (["--orders", "0"], "bad-limit"),
        (["--orders", "2", "--property", "no-deadlock"], "usage"),
        (["--orders", "2", "--times", "3"], "usage"),
        (["--seed", "1"], "usage"),
    ],
)
def test_flags_that_do_not_fit(
    flags: list[str], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "reproduction"
    assert main(["reproduce", str(PAIR), *flags, "--output", str(folder)]) == 2
    assert f"error[{code}]" in capsys.readouterr().err
    assert not folder.exists()
