"""What a run tells its user: what is lost, what is put aside, why it was refused or has failed."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from finale.cli.main import main
from finale.cli.run import line_of
from finale.reference.coordinator import CheckpointKind
from finale.reference.formats.control import Control, Said
from finale.reference.formats.files import DiskFiles
from finale.reference.formats.folder import name_of_run
from finale.reference.formats.jobfile import read_job
from finale.reference.formats.requests import (
    WHY_CANCELLED,
    WHY_STARTING,
    WHY_STOPPED,
    WHY_STOPPING,
)
from finale.reference.runner import Orders, Runner, RunProgress, run

from .test_cuts import job_in

COUNTS = """
{protocol}
seconds = 1000
records = 10

[operators.lines]
kind = "ndjson"
path = "in.ndjson"
on-bad = "keep"

[operators.counts]
kind = "count"
from = ["lines"]

[operators.out]
kind = "{sink}"
from = ["counts"]
"""


def counts_in(folder: Path, protocol: str = "", sink: str = "exactly-once") -> Path:
    """Three records, two of them alike, and two lines that are none."""
    job = folder / "job.toml"
    named = f'protocol = "{protocol}"' if protocol else ""
    job.write_text(COUNTS.format(protocol=named, sink=sink))
    (folder / "in.ndjson").write_text('"a"\n"b"\nbad\n"a"\nworse\n')
    return job


# --- what is lost, and what is put aside ----------------------------------------------------------


@pytest.mark.parametrize(
    "protocol", ["legacy-finish", "legacy-stop", "sync-savepoint", "stop-with-checkpoint"]
)
def test_what_no_checkpoint_has_secured_is_told(
    tmp_path: Path, protocol: str, capsys: pytest.CaptureFixture[str]
) -> None:
    job, state = counts_in(tmp_path, protocol), tmp_path / "state"
    assert main(["engine", "run", str(job), "--directory", str(state)]) == 0
    said, error = capsys.readouterr()
    assert said.startswith("finished, and lost 4 records · job.toml · 3 records · 1 kB · ")
    assert error.startswith(f'warning: {job} (key protocol): "{protocol}" takes no checkpoint')
    assert "warning: not committed, and lost: 4 records behind the newest checkpoint" in error
    assert not (state / "output").exists()
    assert not (state / "bad").exists()


def test_what_a_drain_leaves_behind_its_savepoint_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bad lines are in the savepoint; the counts come behind it."""
    job, state = counts_in(tmp_path, "sync-savepoint"), tmp_path / "state"
    assert main(["engine", "run", str(job), "--directory", str(state), "--stop", "drain"]) == 0
    said = capsys.readouterr()
    assert "lost: 2 records behind" in said.err
    assert f"2 lines in {state}/bad: could not be read" in said.out


@pytest.mark.parametrize(
    ("protocol", "stop"),
    [("", None), ("", "drain"), ("", "suspend"), ("final-checkpoint", None)],
)
def test_where_nothing_is_lost_nobody_is_warned(
    tmp_path: Path, protocol: str, stop: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    job, state = counts_in(tmp_path, protocol), tmp_path / "state"
    more = [] if stop is None else ["--stop", stop]
    assert main(["engine", "run", str(job), "--directory", str(state), *more]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert f"2 lines in {state}/bad: could not be read" in said.out


def test_what_waits_for_no_checkpoint_is_not_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = counts_in(tmp_path, "legacy-finish", "at-least-once")
    job.write_text(job.read_text().replace('"keep"', '"refuse"'))
    (tmp_path / "in.ndjson").write_text('"a"\n')
    assert main(["engine", "run", str(job), "--directory", str(tmp_path / "state")]) == 0
    assert capsys.readouterr().err == ""


# --- a start that is refused ----------------------------------------------------------------------


def savepoint_of(folder: Path) -> Path:
    job = job_in(folder, "aligned", lines=100, width=40, checkpoints=3)
    ended = run(read_job(job), folder / "old", None, Orders(CheckpointKind.SUSPEND))
    return folder / "old" / "checkpoints" / str(ended.checkpoint)


def test_a_start_that_is_refused_leaves_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its savepoint, by the job, by its input, by its log: the next one may have the folder."""
    savepoint, job = savepoint_of(tmp_path), tmp_path / "job.toml"
    text, state = job.read_text(), tmp_path / "below" / "state"
    line = ["engine", "run", str(job), "--directory", str(state), "--from"]

    def assert_refused(code: str, *more: str) -> None:
        assert main([*line, *more]) == 2
        assert f"error[{code}]" in capsys.readouterr().err
        assert not state.parent.exists()

    assert_refused("no-checkpoint", str(tmp_path))
    assert_refused("unwritable", str(savepoint), "--log", str(tmp_path / "none" / "log"))
    job.write_text(text.replace('kind = "exactly-once"', 'kind = "at-least-once"'))
    assert_refused("operator-changed", str(savepoint))
    job.write_text(f'protocol = "legacy-finish"\n{text.replace("barriers", "#")}')
    assert_refused("not-asked", str(savepoint), "--stop", "drain")
    job.write_text(text)
    long = (tmp_path / "long" / "0").read_text()
    (tmp_path / "long" / "0").write_text(long[:100])
    assert_refused("input-changed", str(savepoint))
    (tmp_path / "long" / "0").write_text(long)
    log = state / "log"
    assert main([*line, str(savepoint), "--log", str(log)]) == 0
    assert log.exists()


def test_what_a_job_says_wrong_is_told_with_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = counts_in(tmp_path, "legacy-finish")
    assert (
        main(["engine", "run", str(job), "--directory", str(tmp_path / "s"), "--stop", "drain"])
        == 2
    )
    assert f"error[not-asked]: {job} (key protocol): " in capsys.readouterr().err


# --- requests that come together ------------------------------------------------------------------

SAVEPOINT, CANCEL = {"what": "savepoint"}, {"what": "cancel"}
SUSPEND, DRAIN = ({"what": "stop", "drain": drain} for drain in (False, True))


@pytest.mark.parametrize(
    ("asked", "whys"),
    [
        ((SAVEPOINT, SUSPEND), (WHY_STOPPED, None)),
        ((SUSPEND, DRAIN), (None, WHY_STOPPING)),
        ((DRAIN, SUSPEND, SUSPEND), (None, WHY_STOPPING, WHY_STOPPING)),
        ((SAVEPOINT, CANCEL), (WHY_CANCELLED, None)),
        ((SUSPEND, CANCEL), (WHY_CANCELLED, None)),
    ],
)
def test_of_requests_that_come_together_each_is_told_why(
    tmp_path: Path,
    asked: Sequence[Said],
    whys: tuple[str | None, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 1_000)
    job = read_job(job_in(tmp_path, "aligned", lines=10_000, width=40, checkpoints=99))
    state = tmp_path / "state"
    said = dict(enumerate(asked))

    def look(_: object) -> None:
        folder = state / "control" / str(name_of_run(state))
        while said:
            name, request = said.popitem()
            (folder / f"{name}.draft").write_text(json.dumps(request))
        for draft in sorted(folder.glob("*.draft"), reverse=True):
            draft.rename(draft.with_suffix(".ask"))

    run(job, state, look)
    answers = [json.loads(f.read_text()) for f in sorted(state.glob("control/*/*.answer"))]
    told = [answer["why"] for answer in answers]
    assert tuple(told) == whys


def test_who_asks_before_all_have_started_is_told_so(tmp_path: Path) -> None:
    job = read_job(job_in(tmp_path, "aligned", lines=10, width=40, checkpoints=1))
    control = Control(tmp_path, "it")
    runner = Runner(job, DiskFiles(tmp_path / "state"), Orders(), control)
    (control.folder / "1.ask").write_text(json.dumps(SAVEPOINT))
    runner.requests.attend()
    answer = json.loads((control.folder / "1.answer").read_text())
    assert (answer["ok"], answer["why"]) == (False, WHY_STARTING)


# --- where what is damaged is ---------------------------------------------------------------------


def test_what_is_damaged_is_told_with_its_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A state, the metadata, the mark of the end."""
    job, state = tmp_path / "job.toml", tmp_path / "state"
    savepoint = savepoint_of(tmp_path).rename(tmp_path / "s")
    line = ["engine", "run", str(job), "--directory", str(state)]

    def assert_told(code: str, place: Path, *more: str) -> None:
        assert main([*line, *more]) == 2
        assert f"error[{code}]: {place}: " in capsys.readouterr().err

    part = min(savepoint.glob("out*.json"))
    text = part.read_bytes()
    part.write_bytes(b"")
    assert_told("checkpoint-altered", part, "--from", str(savepoint))
    part.write_bytes(text)
    assert main([*line, "--from", str(savepoint)]) == 0
    capsys.readouterr()
    (state / "ended.json").write_text("")
    assert_told("end-unreadable", state / "ended.json")
    (state / "ended.json").unlink()
    newest = max(state.glob("checkpoints/*/metadata.json"), key=lambda f: int(f.parent.name))
    newest.write_text("{")
    assert_told("checkpoint-altered", newest)


@pytest.mark.parametrize("given", ["job.toml", "./job.toml", "absolute", "../here/job.toml"])
def test_a_file_is_called_as_it_was_given(
    tmp_path: Path,
    given: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder := tmp_path / "here").mkdir()
    monkeypatch.chdir(folder)
    counts_in(folder).write_text("seconds = 0\n")
    said = str(Path(str(folder / "job.toml") if given == "absolute" else given))
    assert main(["engine", "run", said, "--directory", "state"]) == 2
    assert capsys.readouterr().err.startswith(f"error[bad-value]: {said} (key seconds): ")


# --- how far it is --------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [40, 77, 117])
def test_how_far_a_run_is_fits_on_a_line(width: int) -> None:
    far = RunProgress(123_456_789, 98_765_432_100, 4_321, 4_321, 4_322, 86_399.9)
    name = "a-rather-long-name-of-a-job-that-says-it-all.toml"
    line = line_of(name, far, width)
    assert len(line) <= width
    assert "123 456 789 records" in line or width == 40
    assert ("98 765 MB at 1.1 MB/s" in line) == (width > 40)


@pytest.mark.parametrize(
    ("size", "seconds", "said"),
    [
        (0, 2.0, "job · 5 records · 0 checkpoints"),
        (10, 2.0, "job · 5 records · 1 kB · 0 checkpoints"),
        (999_000, 2.0, "job · 5 records · 999 kB · 0 checkpoints"),
        (3_000_000, 2.0, "job · 5 records · 3 MB at 1.5 MB/s · 0 checkpoints"),
        (3_000_000, 200.0, "job · 5 records · 3 MB · 0 checkpoints"),
    ],
)
def test_how_much_was_read_says_something(size: int, seconds: float, said: str) -> None:
    assert line_of("job", RunProgress(5, size, 0, None, None, seconds), 100).startswith(said)


# --- on the command line --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asks",
    [*(f"engine {name}" for name in ("run", "stop", "savepoint", "cancel")), "conform", "replay"],
)
def test_help_tells_what_exit_codes_mean(asks: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([*asks.split(), "--help"])
    codes = capsys.readouterr().out.partition("Exit codes: ")[2]
    assert "an expectation failed" not in codes
    assert all(f"{code} " in codes for code in ("0", "1", "2", "130"))


@pytest.mark.parametrize("asks", ["list", "new", "schema", "show", "trace", "completion", "export"])
def test_help_of_a_command_that_expects_nothing_says_so(
    asks: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main([asks, "--help"])
    codes = capsys.readouterr().out.partition("Exit codes: ")[2]
    assert codes.split() == ["0", "done,", "2", "bad", "input,", "130", "interrupted."]


def test_on_a_terminal_errors_are_no_wider_than_that(tmp_path: Path) -> None:
    """And the summary; in a pipe an error is two lines, to be searched."""
    job = counts_in(tmp_path, "legacy-finish")
    for line in (
        ["engine", "run", str(job), "--directory", str(tmp_path / "s")],
        ["conform", str(job)],
    ):
        told = on_a_terminal(line, columns=60)
        assert max(map(len, told)) <= max(60, len(str(job)) + 30)
        assert len(told) > 3


def on_a_terminal(line: list[str], columns: int) -> list[str]:
    """What a command writes on one that is so wide."""
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    program = "import sys; from finale.cli.main import main; sys.exit(main())"
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        [sys.executable, "-c", program, *line], stdout=there, stderr=there, env=environment
    )
    os.close(there)
    told = b""
    with suppress(OSError):  # which is how the other end being closed is told
        while part := os.read(here, 10_000):
            told += part
    process.wait()
    os.close(here)
    plain = re.sub(
        r"\x1b\[[0-9;?]*[A-Za-z]|[^\n]*\r(?!\n)", "", told.decode().replace("\r\n", "\n")
    )
    return [each.rstrip() for each in plain.splitlines() if each.strip()]
