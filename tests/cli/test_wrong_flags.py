"""Flags that cannot mean anything, and commands that there are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.main import main
from tests.reference.small_jobs import job_in


@pytest.mark.parametrize("command", ["stop", "savepoint", "cancel"])
@pytest.mark.parametrize("seconds", ["-1", "0", "nan", "inf"])
def test_nobody_waits_for_no_time(
    command: str, seconds: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, str(tmp_path), "--max-seconds", seconds]) == 2
    assert f"error[bad-value]: --max-seconds is {seconds}" in capsys.readouterr().err


def test_threads_have_no_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job_in(tmp_path)
    said = ["run", str(tmp_path / "job.toml"), "--directory", str(tmp_path / "state")]
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
