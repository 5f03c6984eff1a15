"""Starts that are refused: nothing is touched, and what is to be done is told."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

from finale.cli.main import main
from finale.model.errors import FinaleError
from finale.model.events import START
from finale.reference.formats.faultlist import faults_of
from finale.reference.formats.folder import JOB
from finale.reference.formats.logfile import LOG
from finale.reference.interrupts import Signals

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
    assert main(["engine", "run", str(job), "--directory", str(tmp_path / "s"), *more]) == 2
    assert capsys.readouterr().err.startswith(f"error[{code}]: ")


def test_two_folders_do_not_share_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They would be one run, which begins anew in its midst; but for one that goes on elsewhere."""
    job, log = counts_in(tmp_path), tmp_path / "log.ndjson"
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    line = ["engine", "run", str(job), "--log", str(log), "--directory"]
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


def test_a_log_goes_on_with_the_folder_that_wrote_to_it_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where both have begun; what tells no folder was written by an earlier version."""
    job = counts_in(tmp_path)
    one, two = tmp_path / "one", tmp_path / "two"
    log = one / LOG
    for folder in (one, two):
        assert (
            main(["engine", "run", str(job), "--directory", str(folder), "--stop", "suspend"]) == 0
        )
    before = log.read_bytes()
    files = {path: path.read_bytes() for path in two.rglob("*") if path.suffix == ".json"}
    wrong = ["engine", "run", str(job), "--directory", str(two), "--log", str(log)]
    [savepoint] = (two / "checkpoints").iterdir()
    for more in ([], ["--from", str(savepoint)]):
        assert main([*wrong, *more]) == 2
        assert capsys.readouterr().err.startswith(f"error[log-of-another-folder]: {log}: ")
        assert log.read_bytes() == before
        assert files == {p: p.read_bytes() for p in two.rglob("*") if p.suffix == ".json"}
    log.write_text(re.sub(r',"folder":"[0-9a-f]+"', "", log.read_text()))
    assert main(["engine", "run", str(job), "--directory", str(one)]) == 0
    assert '"folder"' in log.read_text()
    assert main(["conform", str(log)]) == 0


def test_a_log_that_cannot_be_written_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A start from a savepoint writes a copy of it, which no log would tell then."""
    job, state = counts_in(tmp_path), tmp_path / "state"
    line = ["engine", "run", str(job), "--directory", str(state)]
    assert main([*line, "--stop", "suspend"]) == 0
    [savepoint] = (state / "checkpoints").iterdir()
    wrong = ["--from", str(savepoint), "--log", str(tmp_path / "no" / "where")]
    assert main([*line, *wrong]) == 2
    assert capsys.readouterr().err.startswith("error[unwritable]: ")
    assert list((state / "checkpoints").iterdir()) == [savepoint]
    assert main([*line, "--from", str(savepoint), "--log", str(tmp_path / "where")]) == 0


def test_a_log_in_a_new_folder_may_be_named_by_another_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = counts_in(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert (
        main(
            ["engine", "run", str(job), "--directory", str(tmp_path / "s"), "--log", "s/my.ndjson"]
        )
        == 0
    )
    assert main(["conform", "s/my.ndjson"]) == 0


@pytest.mark.parametrize("text", ["", "[]", '{"file": "x"}'])
def test_a_folder_whose_owner_cannot_be_read_is_told_so(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    job, state = counts_in(tmp_path), tmp_path / "state"
    assert main(["engine", "run", str(job), "--directory", str(state), "--stop", "suspend"]) == 0
    (state / JOB).write_text(text)
    assert main(["engine", "run", str(job), "--directory", str(state)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error[owner-unreadable]: {state / JOB}: ")
    (state / JOB).write_text('{"name": "job"}')
    (state / LOG).unlink()
    assert '{"name": "job"}' in error
    assert main(["engine", "run", str(job), "--directory", str(state)]) == 0


@pytest.mark.parametrize("sink", ["exactly-once", "at-least-once"])
def test_a_job_that_was_suspended_does_not_begin_anew_by_itself(
    tmp_path: Path, sink: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its savepoint is gone, and with it what it had counted; nothing is touched."""
    job, state = counts_in(tmp_path, sink=sink), tmp_path / "state"
    line = ["engine", "run", str(job), "--directory"]
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
    assert main(["engine", "run", str(job), "--directory", str(state)]) == 2
    (tmp_path / "in.ndjson").write_text('"a"\n')
    assert main(["engine", "run", str(job), "--directory", str(state)]) == 0
    assert "finished" in capsys.readouterr().out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_run_as_an_interrupt_does(
    tmp_path: Path,
    number: signal.Signals,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def signalled(*given: object) -> None:
        signal.raise_signal(number)
        signals = given[-1]
        assert isinstance(signals, Signals)
        signals.look()

    before = signal.signal(number, signal.SIG_DFL)
    monkeypatch.setattr("finale.cli.run.run_job", signalled)
    try:
        line = ["engine", "run", str(counts_in(tmp_path)), "--directory", str(tmp_path / "s")]
        assert main(line) == 128 + number
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)
    assert capsys.readouterr().err.startswith(f"interrupted by {number.name}; to begin anew")


def test_who_asks_where_no_folder_is_is_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["engine", "stop", str(tmp_path / "st")]) == 2
    assert "there is no such folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ('[[faults]]\nkind = "expired"', "fault"),
        ('[[fault]]\nkind = "expired"\nafter = "complet"', "complete"),
    ],
)
def test_of_a_list_of_faults_the_nearest_word_is_told(text: str, near: str) -> None:
    with pytest.raises(FinaleError) as caught:
        faults_of(text)
    assert caught.value.code == "bad-fault"
    assert f'did you mean "{near}"?' in caught.value.advice
