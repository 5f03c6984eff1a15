"""A savepoint is the user's, who may move it away: its number is not given again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from finale.checker.logs.event_log.acceptance import Accepted, accept
from finale.checker.logs.event_log.reading import read_log
from finale.model.events import START
from finale.reference.asking import RequestKind
from finale.reference.formats.eventlog import EventLog
from finale.reference.formats.faulty import ProcessEnds
from finale.reference.formats.files import DiskFiles
from finale.reference.formats.jobfile import JobFile
from finale.reference.formats.logfile import COMPLETE, newest_in
from finale.reference.runner import Runner, RunProgress
from tests.reference.small_jobs import expected, job_in, words_in


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 40)


def killed_behind_a_savepoint(job: JobFile, state: Path, file: Path) -> int:
    """A process that ends when a savepoint is its newest; the savepoint's number."""
    runner = logged(job, state, file)
    known = runner.engine.store.known

    def look(progress: RunProgress) -> None:
        if progress.completed and not runner.requests.known:
            runner.requests.ask(RequestKind.SAVEPOINT, None)
        if "savepoint" in known.values():
            raise ProcessEnds

    with pytest.raises(ProcessEnds):
        runner.run(look)
    close(runner, cut=True)
    number = max(known)
    assert known[number] == "savepoint"
    return number


def logged(job: JobFile, state: Path, file: Path) -> Runner:
    runner = Runner(job, DiskFiles(state))
    runner.log = EventLog.append(file, runner.engine, job.job, run="r")
    return runner


def newest(runner: Runner) -> int:
    """The next checkpoint has one more."""
    return runner.engine.coordinator.last_number


def close(runner: Runner, *, cut: bool = False) -> None:
    assert runner.log is not None
    runner.log.close(cut=cut)


def test_its_number_is_not_given_again(tmp_path: Path) -> None:
    job, state, file = job_in(tmp_path, records=10), tmp_path / "state", tmp_path / "log"
    state.mkdir()
    number = killed_behind_a_savepoint(job, state, file)
    shutil.move(state / "checkpoints" / str(number), tmp_path / "kept")
    again = logged(job, state, file)
    assert again.start.checkpoint in range(1, number)
    assert newest(again) == number
    again.run()
    close(again)
    assert words_in(state) == expected(tmp_path)
    lines = file.read_text("utf-8").splitlines()
    begun = [json.loads(line) for line in lines if "trigger_" in line]
    later = [each["checkpoint"] for each in begun if each["process"] == 2]
    assert later[0] == number + 1
    verdict = accept(read_log(lines), judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict.conforms


@pytest.mark.parametrize("line", [b"", b"x\n", START + b"\n", START + b',"last":"x"}\n'])
def test_damaged_lines_say_nothing(line: bytes) -> None:
    told = START + b',"last":4}\n' + COMPLETE + b',"checkpoint":5}\n'
    assert newest_in(line) == 0
    assert newest_in(told + line) == 5


def test_a_folder_that_was_emptied_counts_on(tmp_path: Path) -> None:
    """Two processes begin anew, and the first of them completes nothing."""
    job, state, file = job_in(tmp_path, records=10), tmp_path / "state", tmp_path / "log"
    state.mkdir()
    number = killed_behind_a_savepoint(job, state, file)
    for name in ("checkpoints", "output", "pending", "staging"):
        shutil.rmtree(state / name, ignore_errors=True)
    for _ in range(2):
        again = logged(job, state, file)
        assert (again.start.checkpoint, newest(again)) == (None, number)
        close(again)
    verdict = accept(read_log(file.read_text("utf-8").splitlines()), judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict.conforms
