"""Starts that are refused: nothing is touched, and what is to be done is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.main import main
from reference.formats.logfile import START

from .test_told import counts_in


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--stop", "drain"], "not-asked"),
        (["--from", "nowhere"], "no-checkpoint"),
        (["--log", "no/where"], "unwritable"),
    ],
)
def test_of_a_run_that_is_refused_nothing_more_is_said(
    tmp_path: Path, more: list[str], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it would lose is no matter then."""
    job = counts_in(tmp_path, "legacy-finish")
    assert main(["run", str(job), "--directory", str(tmp_path / "s"), *more]) == 2
    assert capsys.readouterr().err.startswith(f"error[{code}]: ")


def test_two_folders_do_not_share_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They would be one run, which begins anew in its midst; but for one that goes on elsewhere."""
    job, log = counts_in(tmp_path), tmp_path / "log.ndjson"
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    line = ["run", str(job), "--log", str(log), "--directory"]
    assert main([*line, str(one), "--stop", "suspend"]) == 0
    before = log.read_bytes()
    assert main([*line, str(two)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error[log-of-another-folder]: {log}: ")
    assert 'runs of "job"' in error
    assert not two.exists()
    assert log.read_bytes() == before
    [savepoint] = (one / "checkpoints").iterdir()
    assert main([*line, str(two), "--from", str(savepoint)]) == 0
    assert main(["conform", str(log)]) == 0
    job.write_text(f'name = "other"\n{job.read_text()}')
    log.write_bytes(log.read_bytes() + START + b",")
    assert main([*line, str(three)]) == 0


@pytest.mark.parametrize("sink", ["exactly-once", "at-least-once"])
def test_a_job_that_was_suspended_does_not_begin_anew_by_itself(
    tmp_path: Path, sink: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its savepoint is gone, and with it what it had counted; nothing is touched."""
    job, state = counts_in(tmp_path, sink=sink), tmp_path / "state"
    line = ["run", str(job), "--directory"]
    assert main([*line, str(state), "--stop", "suspend"]) == 0
    [savepoint] = (state / "checkpoints").iterdir()
    away = savepoint.rename(tmp_path / "away")
    assert main([*line, str(state)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error[checkpoint-gone]: {savepoint}: ")
    assert "put it back; or name a new folder" in error
    assert not (state / "output").exists()
    away.rename(savepoint)
    assert main([*line, str(state)]) == 0
    assert main([*line, str(tmp_path / "new")]) == 0
    for folder in (state, tmp_path / "new"):
        found = [text.read_text() for text in (folder / "output").iterdir()]
        assert found == ["a\t2\nb\t1\n"]


def test_where_nothing_was_secured_a_job_may_begin_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It had failed before its first checkpoint."""
    job, state = counts_in(tmp_path), tmp_path / "state"
    (tmp_path / "in.ndjson").write_text("bad\n")
    job.write_text(job.read_text().replace('"keep"', '"refuse"'))
    assert main(["run", str(job), "--directory", str(state)]) == 2
    (tmp_path / "in.ndjson").write_text('"a"\n')
    assert main(["run", str(job), "--directory", str(state)]) == 0
    assert "finished" in capsys.readouterr().out
