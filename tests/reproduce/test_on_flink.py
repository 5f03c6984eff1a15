"""One counterexample on a real Flink, through the command: the hang of a stop, and its log."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from finale.cli.main import main
from finale.reference.flink import run
from finale.reference.flink.director import Director
from finale.reference.flink.outcome import RunOutcome, taken_to_end
from finale.reference.flink.session import Session
from tests.docs.pages import ROOT
from tests.reference.flink.machines import flink, is_loopback, listening, needs_flink

pytestmark = needs_flink


@pytest.fixture
def ports(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The addresses at which the processes of a run listen after its order."""
    found: set[str] = set()

    def noted(
        session: Session, director: Director, asked: Mapping[str, str], probe: str
    ) -> RunOutcome:
        found.update(listening(session.group))
        return taken_to_end(session, director, asked, probe)

    monkeypatch.setattr(run, "taken_to_end", noted)
    return found


def test_a_stop_hangs_and_its_log_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ports: set[str]
) -> None:
    spec = ROOT / "specs" / "stop-with-savepoint" / "final-trigger-during-stop.toml"
    folder, where = tmp_path / "reproduction", str(flink().folder)
    command = ["reproduce", str(spec), "--property", "no-release-is-dropped", "--flink", where]
    # The second run begins in the JVM in which the first one hangs.
    assert main([*command, "--times", "2", "--output", str(folder), "--format", "json"]) == 0
    assert ports
    assert not [each for each in ports if not is_loopback(each)]
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert len(runs) == 2
    for done in runs:
        assert done["verdict"] == "reproduced"
        assert "stop1 has no answer" in done["damage"]
        assert done["log"]["conforms"] == "accepted"
        assert "drops the confirmation of savepoint" in done["log"]["waits"][0]
    # The same order, without the model.
    again = [sys.executable, "-m", "finale.reference.flink", str(folder / "order.json"), where]
    told = subprocess.run(again, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)} | _environment(),
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert "stop1 has no answer" in told.stdout


@pytest.mark.slow
def test_a_fix_is_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Release 1.20.0 has the bug. The job has a sink of a writer and a committer."""
    spec = ROOT / "specs" / "history" / "flink-37605.toml"
    command = ["reproduce", str(spec), "--as-written", "--flink", str(flink().folder)]
    folder = tmp_path / "reproduction"
    assert main([*command, "--output", str(folder), "--format", "json"]) == 1
    (done,) = json.loads(capsys.readouterr().out)["runs"]
    assert done["verdict"] == "not reproduced"
    page = json.loads((folder / "run-1" / "outcome.json").read_text(encoding="utf-8"))
    assert page["outcome"]["status"] == "FINISHED"


@pytest.mark.slow
def test_an_assumption_is_kept_by_its_method(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The task waits for its final checkpoint. Without the wait a record is lost."""
    spec = ROOT / "specs" / "final-checkpoint" / "pair.toml"
    command = ["reproduce", str(spec), "--without", "is-released", "--format", "json"]
    more = ["--property", "commit-completeness", "--flink", str(flink().folder)]
    assert main([*command, *more, "--output", str(tmp_path / "reproduction")]) == 0
    as_it_is, forced = json.loads(capsys.readouterr().out)["runs"]
    assert (as_it_is["verdict"], forced["verdict"]) == ("kept", "by that method")
    method = "StreamTask.areCheckpointsWithFinishedTasksEnabled"
    assert as_it_is["results"] == [f"{method} returned true in S, once"]
    assert "lost: S.0#0 at K" in forced["why"]


def test_a_witness_is_no_damage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A spec that holds has traces of its witnesses: Flink is not driven along them."""
    spec = ROOT / "specs" / "final-checkpoint" / "pair.toml"
    command = ["reproduce", str(spec), "--flink", str(flink().folder)]
    assert main([*command, "--output", str(tmp_path / "reproduction")]) == 2
    assert "error[no-trace]" in capsys.readouterr().err


def _environment() -> dict[str, str]:
    import os

    return {name: os.environ[name] for name in ("PATH", "JAVA_HOME", "HOME") if name in os.environ}
