"""Flags that cannot mean anything, and commands that there are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.cli.main import main
from tests.cli.running import run
from tests.reference.small_jobs import job_in


@pytest.mark.parametrize("command", ["stop", "savepoint", "cancel"])
@pytest.mark.parametrize("seconds", ["-1", "0", "nan", "inf"])
def test_nobody_waits_for_no_time(
    command: str, seconds: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["engine", command, str(tmp_path), "--max-seconds", seconds]) == 2
    assert f"error[bad-value]: --max-seconds is {seconds}" in capsys.readouterr().err


def test_threads_have_no_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job_in(tmp_path)
    said = ["engine", "run", str(tmp_path / "job.toml"), "--directory", str(tmp_path / "state")]
    assert main([*said, "--scheduler", "threads", "--seed", "7"]) == 2
    assert "error[bad-value]: --seed has no effect on threads" in capsys.readouterr().err
    assert not (tmp_path / "state").exists()


def test_an_unknown_command_is_not_told_half_of_the_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["nonsense"]) == 2
    error = capsys.readouterr().err
    assert 'error[usage]: Unknown command "nonsense"' in error
    assert "check, which" not in error
    assert "finale --help lists" in error


PAIR = "specs/final-checkpoint/pair.toml"


@pytest.mark.parametrize("limit", ["0", "-1", "nan"])
@pytest.mark.parametrize(
    "command",
    [
        "new {folder}",
        f"prove {PAIR}",
        "prove --all-jobs",
        f"which {PAIR} --property finished --vary options.storage=one",
    ],
)
def test_a_limit_that_is_not_above_zero_is_named_by_its_flag(
    command: str, limit: str, tmp_path: Path
) -> None:
    folder = tmp_path / "review"
    command = command.format(folder=f'"{folder}"')
    ran = run(f"{command} --max-seconds {limit}")
    assert ran.exit == 2
    assert f"error[bad-limit]: --max-seconds cannot be {float(limit)}" in ran.stderr
    assert not folder.exists()


@pytest.mark.parametrize("flag", ["--max-states", "--max-memory", "--max-steps"])
def test_a_limit_that_no_machine_has_is_refused(flag: str) -> None:
    more = " --backend bmc" if flag == "--max-steps" else ""
    ran = run(f"check {PAIR} --no-cache {flag} {2**41}{more}")
    assert ran.exit == 2
    assert f"error[bad-limit]: {flag} cannot be {2**41}" in ran.stderr
    assert "leave it out" in ran.stderr


@pytest.mark.parametrize("command", ["check ''", f"check {PAIR} --protocols ''", "validate ''"])
def test_an_argument_without_a_character_is_not_the_current_folder(command: str) -> None:
    ran = run(command)
    assert ran.exit == 2
    assert "error[empty-argument]: the argument behind " in ran.stderr


def test_a_job_of_set_stands_in_no_line_of_the_spec() -> None:
    ran = run(f"diff {PAIR} --set job.shape=fan-in")
    assert ran.exit == 2
    assert f"error[other-job]: {PAIR} (key job.shape): the two specs" in ran.stderr
    assert "help: leave out --set job.shape" in ran.stderr


LONG = "a" * 300
SPEC = str(Path(__file__).parents[2] / "specs/final-checkpoint/pair.toml")


@pytest.mark.parametrize(
    "command",
    [
        "check {}.toml",
        "check {}",
        "check SPEC --protocols {}",
        "check SPEC --junit {}",
        "show {}.toml",
        "trace SPEC --output {}",
        "report SPEC -o {}.html",
        "validate {}.log",
        "blocked {}.log",
        "mine {}",
        "watch {}",
        "replay {}",
        "conform {}",
        "scenario {}",
        "sweep {}",
        "export SPEC --to tla --output {}.tla",
        "diff SPEC {}.toml",
        "weaken {}.toml",
        "review --protocols {}",
        "new {}",
        "reproduce SPEC --flink {}",
        "prove {}.toml",
        "engine stop {}",
    ],
)
def test_a_name_that_the_file_system_refuses_is_told(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("circle").symlink_to("circle")
    for name in (LONG, "circle/a"):
        ran = run(command.format(name).replace("SPEC", SPEC), tmp_path)
        assert ran.exit == 2, name
        assert "error[" in ran.stderr
        assert "Traceback" not in ran.stderr
        assert name != LONG or "too long" in ran.stderr
    assert sorted(tmp_path.iterdir()) == [tmp_path / "circle"]
