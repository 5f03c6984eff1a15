"""`finale weaken SPEC --flink`: each assumption that matters is asked of a Flink, one by one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from finale.checker.reproduce import verdicts
from finale.checker.reproduce.verdicts import JudgedLog
from finale.cli import forced as drive
from finale.cli.main import main
from finale.model.errors import FinaleError
from finale.reference.flink.director import Missed, Taken
from finale.reference.flink.jvms import Jvms
from finale.reference.flink.order import Order, read_order
from finale.reference.flink.run import Run
from tests.reference.flink.test_found import distribution
from tests.reproduce.test_forcing import HOOKS, OUTCOME, PAIR, RESULT

#: One that the driver can force, and one that it cannot.
NAMES = ("is-released", "perform-at-once")


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command for a Flink that keeps each assumption by its method."""
    classes = {each.class_name for each in HOOKS.all}
    classes |= {each.class_name for each in HOOKS.assumed.values()}
    release = distribution(tmp_path, "2.3.0", *classes)

    def ran(order: Order, jvms: Jvms, folder: Path) -> Run:
        last = order.steps[-1].number
        left = () if order.forced else tuple(range(order.forbidden, last + 1))
        missed = Missed(order.steps[:1], (), ()) if left else None
        return Run(folder, jvms.release, Taken(missed=missed, left=left, results=RESULT), OUTCOME)

    monkeypatch.setattr(drive, "run_order", ran)
    monkeypatch.setattr(drive, "find_jdk", lambda: None)
    monkeypatch.setattr(verdicts, "judged_log", lambda _: JudgedLog(None, (), (), ()))
    only = [word for name in NAMES for word in ("--assumption", name)]
    folder = ["--output", str(tmp_path / "asked"), "--flink", str(release)]
    return ["weaken", str(PAIR), *only, *folder]


def test_each_assumption_is_asked_in_a_folder_of_its_own(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--format", "json"]) == 3  # no run says anything about the second one
    page = json.loads(capsys.readouterr().out)
    asked = {each["without"]: each for each in page["asked"]}
    assert asked.keys() == set(NAMES)
    verdicts = [each["verdict"] for each in asked["is-released"]["runs"]]
    assert verdicts == ["kept", "by that method"]
    assert "cannot force perform-at-once" in asked["perform-at-once"]["not_takeable"]
    assert page["not_asked"] == []
    folders = [tmp_path / "asked" / "is-released" / name for name in ("as-it-is", "forced")]
    assert [read_order(each / "order.json").forced for each in folders] == [False, True]


def test_the_text_says_how_far_it_is_and_how_many_are_kept(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 3
    told = capsys.readouterr().out
    assert "1 of 2: " in told
    assert "2 assumptions · 1 kept, by the method that is named · 1 not takeable" in told


def test_a_user_who_stops_it_gets_what_is_known(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object) -> Run:
        raise KeyboardInterrupt

    monkeypatch.setattr(drive, "run_order", stopped)
    assert main([*words, "--format", "json"]) == 130
    page = json.loads(capsys.readouterr().out)
    assert "is-released" in page["not_asked"]


def test_an_assumption_that_the_release_lacks_ends_no_other_one(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent(*_: object) -> Run:
        raise FinaleError("hook-missing", "there is no such method", advice="take another one")

    monkeypatch.setattr(drive, "run_order", absent)
    assert main([*words, "--format", "json"]) == 3
    page = json.loads(capsys.readouterr().out)
    told = {each["without"]: each["not_takeable"] for each in page["asked"]}
    assert told["is-released"] == "there is no such method"


def test_an_error_of_the_machine_loses_no_answer(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> Run:
        raise FinaleError("no-java", "there is no Java", advice="install it")

    monkeypatch.setattr(drive, "run_order", broken)
    assert main([*words, "--format", "json"]) == 2
    told = capsys.readouterr()
    assert "is-released" in json.loads(told.out)["not_asked"]
    assert "error[no-java]" in told.err


def test_a_folder_with_other_files_is_refused_before_the_search(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "asked").mkdir()
    (tmp_path / "asked" / "mine").write_text("mine")
    assert main(words) == 2
    assert "error[directory-not-empty]" in capsys.readouterr().err


def test_a_folder_without_a_flink_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["weaken", str(PAIR), "--output", "asked"]) == 2
    assert "error[usage]" in capsys.readouterr().err
