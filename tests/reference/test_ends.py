"""How runs end otherwise: interrupted, refused, by a fault of an operator, or over already."""

from __future__ import annotations

import itertools
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO

import pytest

from finale.cli.main import main
from finale.model.errors import FinaleError
from finale.model.given import opened
from finale.reference.asking import RequestKind
from finale.reference.coordinator import CheckpointKind
from finale.reference.formats.jobfile import read_job
from finale.reference.operators import sources
from finale.reference.protocols.legacy_stop import LegacyStop
from finale.reference.protocols.stop_with_savepoint import StopWithSavepoint
from finale.reference.runner import Orders, RunEnd, Runner, run

from .test_cuts import command, is_whole, job_in

SCHEDULERS = ("steps", "threads")


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_an_interrupted_run_says_how_to_go_on(tmp_path: Path, scheduler: str) -> None:
    job = job_in(tmp_path, "aligned", lines=6_000, width=40, checkpoints=20)
    # It does not end by itself, however late it is interrupted.
    job.write_text(job.read_text().replace('path = "long/*"', 'path = "long/*"\nfollow = true'))
    line = command(job, "--scheduler", scheduler)
    # What runs in the background of a shell hears of no interrupts.
    hears = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        line,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hears,  # noqa: PLW1509 - no threads yet
    ) as process:
        try:
            while not any((tmp_path / "state").glob("checkpoints/*/metadata.json")):
                assert process.poll() is None
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert f": finale engine run {job} --directory" in error
    assert "to go on from checkpoint " in error
    assert "Traceback" not in error
    drained = subprocess.run([*line, "--stop", "drain"], check=True, capture_output=True)
    assert drained.stdout.startswith(b"drained")
    is_whole(tmp_path, tmp_path / "state")


#: A process that hears an interrupt when its main thread has acquired a lock for the nth time, and
#: has not begun the block in which it holds it.
IN_A_LOCK = """
import signal, sys, threading

from finale.cli.main import main

entries, usual = int(sys.argv.pop()), threading.Condition.__enter__

def enter(condition):
    global entries
    acquired = usual(condition)
    if threading.get_ident() == threading.main_thread().ident:
        entries -= 1
        if not entries:
            signal.raise_signal(signal.SIGINT)
    return acquired

threading.Condition.__enter__ = enter
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
"""


@pytest.mark.parametrize("entries", [100, 101, 102, 103])  # a turn of the main thread has four
def test_an_interrupt_leaves_no_thread_waiting_for_a_lock(tmp_path: Path, entries: int) -> None:
    job = job_in(tmp_path, "aligned", lines=6_000, width=40, checkpoints=20)
    job.write_text(job.read_text().replace('path = "long/*"', 'path = "long/*"\nfollow = true'))
    python, _, _, *line = command(job, "--scheduler", "threads")
    ended = subprocess.run(
        [python, "-c", IN_A_LOCK, *line, str(entries)],
        check=False,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 130
    assert ended.stderr.startswith("interrupted; to ")


@pytest.mark.parametrize("threads", [False, True])
def test_an_operator_that_raises_ends_the_run(
    tmp_path: Path, threads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 1_000)
    job = job_in(tmp_path, "aligned", lines=1_000, width=40, checkpoints=5)
    modules = tmp_path / "modules"
    modules.mkdir()
    (modules / "loud.py").write_text(RAISES)
    with pytest.raises(FinaleError) as caught:
        run(read_job(job, modules), tmp_path / "state", None, Orders(threads=threads))
    assert caught.value.code == "operator-raised"
    sys.modules.pop("loud")
    ended = run(read_job(job), tmp_path / "state", None, Orders(threads=threads))
    # With threads the record may come before the first checkpoint is complete.
    assert 0 < ended.records < 1_300 or threads
    is_whole(tmp_path, tmp_path / "state")


RAISES = """
def upper(line):
    if " 900 " in line:
        raise ValueError("too much")
    return [line.upper()]
"""


@pytest.mark.parametrize("threads", [False, True])
def test_input_that_vanishes_ends_the_run(
    tmp_path: Path, threads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 1_000)
    file = job_in(tmp_path, "aligned", lines=1_000, width=40, checkpoints=5)
    job, input_file = read_job(file), tmp_path / "long" / "0"
    text, reads = input_file.read_text(), itertools.count()

    def opened_once(path: Path) -> IO[bytes]:
        if next(reads):
            input_file.unlink(missing_ok=True)
        return opened(path)

    with monkeypatch.context() as patch:
        patch.setattr(sources, "opened", opened_once)
        with pytest.raises(FinaleError) as caught:
            run(job, tmp_path / "state", None, Orders(threads=threads))
    assert caught.value.code == "no-input"
    assert str(input_file) in str(caught.value)
    input_file.write_text(text)
    run(job, tmp_path / "state", None, Orders(threads=threads))
    is_whole(tmp_path, tmp_path / "state")


def test_a_job_that_is_over_stays_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = job_in(tmp_path, "unaligned", lines=100, width=40, checkpoints=2)
    state = tmp_path / "state"
    assert run(read_job(job), state).end is RunEnd.FINISHED
    before = {file: file.stat().st_mtime_ns for file in (state / "output").iterdir()}
    assert main(["engine", "run", str(job), "--directory", str(state)]) == 0
    assert capsys.readouterr().out == "finished before · job.toml · nothing is left to do\n"
    assert {file: file.stat().st_mtime_ns for file in (state / "output").iterdir()} == before


@pytest.mark.parametrize("damage", [b"", b"[]", b'{"end": "no"}', b"\xff"])
def test_an_end_that_cannot_be_read_is_told(
    tmp_path: Path, damage: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    """What to do is told with it, and then nothing comes twice."""
    job = job_in(tmp_path, "aligned", lines=100, width=40, checkpoints=2)
    state = tmp_path / "state"
    run(read_job(job), state)
    (state / "ended.json").write_bytes(damage)
    assert main(["engine", "run", str(job), "--directory", str(state)]) == 2
    error = capsys.readouterr().err
    assert "error[end-unreadable]" in error
    assert "remove it" in error
    (state / "ended.json").unlink()
    assert main(["engine", "run", str(job), "--directory", str(state)]) == 0
    is_whole(tmp_path, state)


@pytest.mark.parametrize("every", ["-1", "0", "nan"])
def test_time_between_checkpoints_is_above_zero(
    tmp_path: Path, every: str, capsys: pytest.CaptureFixture[str]
) -> None:
    job = job_in(tmp_path, "aligned", lines=1, width=40, checkpoints=1)
    assert (
        main(["engine", "run", str(job), "--directory", str(tmp_path / "s"), "--every", every]) == 2
    )
    assert "error[bad-value]: --every is" in capsys.readouterr().err


@pytest.mark.parametrize("below", ["file/state", "state"])
def test_where_nothing_can_be_written_nothing_runs(
    tmp_path: Path, below: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder in a file; and one in a folder in which even the superuser makes none."""
    job = job_in(tmp_path, "aligned", lines=1, width=40, checkpoints=1)
    (tmp_path / "file").touch()
    where = tmp_path / below if "/" in below else Path("/proc/finale")
    assert main(["engine", "run", str(job), "--directory", str(where)]) == 2
    error = capsys.readouterr().err
    assert "error[not-a-folder]" in error or "error[unwritable]" in error


def test_a_log_that_cannot_be_written_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = job_in(tmp_path, "aligned", lines=1, width=40, checkpoints=1)
    for log in (tmp_path, tmp_path / "none" / "log", job / "log"):
        line = [
            "engine",
            "run",
            str(job),
            "--directory",
            str(tmp_path / "state"),
            "--log",
            str(log),
        ]
        assert main(line) == 2
        assert "error[unwritable]" in capsys.readouterr().err
        assert not (tmp_path / "state" / "output").exists()


@pytest.mark.parametrize(("size", "file"), [(8_000, "log"), (0, "state/lock")])
def test_a_log_or_lock_for_which_there_is_no_room_ends_the_run_and_it_goes_on(
    tmp_path: Path, size: int, file: str
) -> None:
    """Files may not be larger than this; but for these, none is."""
    job = job_in(tmp_path, "aligned", lines=100, width=40, checkpoints=100)
    line = (*command(job), "--log", str(tmp_path / "log"))

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    ended = subprocess.run(line, check=False, preexec_fn=limit, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"error[unwritable]: {tmp_path / file}: ")
    assert "Traceback" not in ended.stderr
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    is_whole(tmp_path, tmp_path / "state")


# --- stops that fail ------------------------------------------------------------------------------


def looked_at(patch: pytest.MonkeyPatch, look: Callable[[Runner, int], None]) -> None:
    """After each turn of a run somebody looks at it, and how many checkpoints it has completed."""
    real = Runner.run
    patch.setattr(
        Runner, "run", lambda runner, _: real(runner, lambda at: look(runner, at.completed))
    )


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_an_interrupt_leaves_no_step_half_done(
    scheduler: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """What was asked just before is answered, and the log has each step that was taken."""
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 500)
    job, state = job_in(tmp_path, "aligned", lines=400, width=40, checkpoints=4), tmp_path / "state"
    asked: list[Path] = []

    def look(runner: Runner, completed: int) -> None:
        if completed and not asked:
            assert runner.requests.control is not None
            asked.append(runner.requests.control.folder / "some.ask")
            asked[0].write_text('{"what": "savepoint"}')
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    line = ["engine", "run", str(job), "--directory", str(state), "--scheduler", scheduler]
    try:
        with monkeypatch.context() as patch:
            looked_at(patch, look)
            assert main(line) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert capfd.readouterr().err.startswith("interrupted; to go on from checkpoint 1: ")
    answer = asked[0].with_suffix(".answer").read_text()
    assert "the run was interrupted; what it had secured stands" in answer
    assert main(line) == 0
    is_whole(tmp_path, state)
    assert main(["conform", str(state / "events.ndjson")]) == 0


def test_two_stops_fail_the_job_and_the_next_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second comes between the savepoint of the first and the job's end."""
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 500)
    job = job_in(tmp_path, "aligned", lines=100, width=40, checkpoints=1)

    def look(runner: Runner, completed: int) -> None:
        asked = runner.requests.known
        if not asked or (completed and len(asked) == 1):
            runner.requests.ask(RequestKind.STOP, drain=False)

    line = ["engine", "run", str(job), "--directory", str(tmp_path / "state")]
    with monkeypatch.context() as patch:
        looked_at(patch, look)
        assert main(line) == 1
    said = capsys.readouterr().out
    assert said.startswith("failed · job")
    assert said.endswith("to go on from checkpoint 1: the same command\n")
    assert main(line) == 0
    is_whole(tmp_path, tmp_path / "state")


def test_a_stop_that_is_cancelled_ends_as_any_cancellation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    job = job_in(tmp_path, "aligned", lines=100, width=40, checkpoints=1)

    def look(runner: Runner, _: int) -> None:
        if runner.ordered is not None and len(runner.requests.known) == 1:
            runner.requests.ask(RequestKind.CANCEL)

    looked_at(monkeypatch, look)
    line = ["engine", "run", str(job), "--directory", str(tmp_path / "state"), "--stop", "drain"]
    assert main(line) == 130
    assert capsys.readouterr().out.startswith("cancelled · job")


@pytest.mark.parametrize("stop", ["drain", "suspend"])
def test_a_stop_that_fails_is_not_asked_for_again(
    tmp_path: Path, stop: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(StopWithSavepoint, "may_plan", lambda _: False)
    job = job_in(tmp_path, "aligned", lines=100, width=40, checkpoints=1)
    assert (
        main(["engine", "run", str(job), "--directory", str(tmp_path / "state"), "--stop", stop])
        == 1
    )
    said = capsys.readouterr()
    assert said.out.startswith("finished · job")
    assert "the stop failed" in said.err
    is_whole(tmp_path, tmp_path / "state")


@pytest.mark.parametrize("kind", [CheckpointKind.DRAIN, CheckpointKind.SUSPEND])
def test_where_a_stop_leaves_no_savepoint_none_is_ordered(
    tmp_path: Path, kind: CheckpointKind
) -> None:
    job = read_job(job_in(tmp_path, "aligned", lines=10, width=40, checkpoints=1))
    job = replace(job, engine=LegacyStop)
    with pytest.raises(FinaleError) as caught:
        run(job, tmp_path / "state", None, Orders(kind))
    assert caught.value.code == "not-asked"
    assert not (tmp_path / "state" / "output").exists()
