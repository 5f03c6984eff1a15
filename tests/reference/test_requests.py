"""What a running job is asked: stops, savepoints, cancellation; and what it answers."""

from __future__ import annotations

import fcntl
import json
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from finale.checker.logs.event_log.reading import read_log
from finale.cli.main import main
from finale.model.errors import FinaleError
from finale.reference.asking import RequestKind
from finale.reference.formats.control import ask
from finale.reference.formats.files import DiskFiles
from finale.reference.formats.jobfile import read_job
from finale.reference.runner import Orders, RunEnd, Runner, RunProgress, run

from .test_runs import COUNTED, expected, prepared, written

# Ever slower, so that a request comes before the last record on any machine.
SLOW = """
import itertools
import time
from pathlib import Path

NUMBERS = itertools.count()

def split(line):
    if not Path(__file__).with_name("fast").exists():
        time.sleep(5e-4 if next(NUMBERS) < 1_000 else 2e-3)
    return line.lower().split()
"""
SLOWLY = COUNTED.replace('kind = "words"', 'kind = "flat-map"\nfunction = "slow:split"')
SCHEDULERS = (Orders(), Orders(threads=True))


@contextmanager
def running(job: Path, orders: Orders) -> Generator[list[RunProgress]]:
    """A job that runs meanwhile, and then has ended so."""
    ended: list[RunProgress] = []
    thread = threading.Thread(
        target=lambda: ended.append(run(read_job(job), job.parent / "state", None, orders))
    )
    thread.start()
    try:
        while not counted(job):
            time.sleep(0.001)
            assert thread.is_alive()
        yield ended
    finally:
        thread.join()


def counted(job: Path) -> bool:
    """Whether something is done already: a task has taken a checkpoint."""
    return any((job.parent / "state").glob("checkpoints/*/*.json"))


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """It takes its time, until there is a file called fast."""
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 500)
    monkeypatch.delitem(sys.modules, "slow", raising=False)
    (tmp_path / "slow.py").write_text(SLOW)
    return prepared(tmp_path, f"seconds = 0.02\n{SLOWLY}", lines=10_000, files=1)


def counts(folder: Path, state: Path | None = None) -> Counter[str]:
    pairs = (line.split("\t") for line in written(state or folder / "state"))
    return Counter({word: int(count) for word, count in pairs})


@pytest.mark.parametrize("orders", SCHEDULERS)
def test_a_suspended_job_goes_on(job: Path, orders: Orders) -> None:
    with running(job, orders) as ended:
        answer = ask(job.parent / "state", seconds=10, what="stop", drain=False)
    assert answer["ok"], answer
    assert ended[0].end is RunEnd.SUSPENDED
    assert ended[0].checkpoint == answer["savepoint"]
    assert not written(job.parent / "state"), "what operators hold is not emitted"
    (job.parent / "fast").touch()
    assert run(read_job(job), job.parent / "state").end is RunEnd.FINISHED
    assert counts(job.parent) == expected(job.parent)


@pytest.mark.parametrize("orders", SCHEDULERS)
def test_a_drained_job_has_told_all_and_is_over(job: Path, orders: Orders) -> None:
    with running(job, orders) as ended:
        answer = ask(job.parent / "state", seconds=10, what="stop", drain=True)
    assert answer["ok"], answer
    assert ended[0].end is RunEnd.DRAINED
    lines = (job.parent / "texts" / "0.txt").read_text().splitlines()[: ended[0].records]
    assert 0 < len(lines) < 10_000
    told = counts(job.parent)
    assert told == Counter(word for line in lines for word in line.lower().split())
    assert run(read_job(job), job.parent / "state").end is RunEnd.DRAINED
    assert counts(job.parent) == told


def test_a_savepoint_is_taken_while_the_job_goes_on(job: Path) -> None:
    state = job.parent / "state"
    with running(job, Orders()) as ended:
        answer = ask(state, seconds=10, what="savepoint")
        metadata = json.loads(
            (state / "checkpoints" / str(answer["savepoint"]) / "metadata.json").read_text()
        )
        assert metadata["checkpoint"] == answer["savepoint"]
        assert ask(state, seconds=10, what="cancel")["ok"]
    assert ended[0].end is RunEnd.CANCELLED


def test_a_cancelled_job_goes_on_from_its_checkpoint(
    job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(job, Orders()) as ended:
        assert main(["engine", "cancel", str(job.parent / "state")]) == 0
    assert capsys.readouterr().out == "cancelled\n"
    assert ended[0].end is RunEnd.CANCELLED
    (job.parent / "fast").touch()
    run(read_job(job), job.parent / "state")
    assert counts(job.parent) == expected(job.parent)


def test_what_is_asked_of_a_job_that_ends_meanwhile_is_answered(tmp_path: Path) -> None:
    """A stop, or the natural end: one of them is first, and nothing is lost."""
    job = prepared(tmp_path, f"seconds = 0.001\n{COUNTED}", lines=10_000)
    with running(job, Orders()) as ended:
        answer: Mapping[str, object] = {"ok": False, "why": "ended before anything was asked"}
        with suppress(FinaleError):
            answer = ask(tmp_path / "state", seconds=10, what="stop", drain=True)
    assert answer["ok"] == (ended[0].end is RunEnd.DRAINED)
    assert answer["ok"] or "ended" in str(answer["why"])


def test_a_job_that_hears_of_no_stop_says_so(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = job.parent / "state"
    job.write_text(f'protocol = "legacy-finish"\n{job.read_text()}')
    with running(job, Orders()):
        assert main(["engine", "stop", str(state), "--drain"]) == 1
        assert '"legacy-finish" hears of no stop' in capsys.readouterr().err
        assert main(["engine", "cancel", str(state)]) == 0
    assert main(["engine", "run", str(job), "--directory", str(state), "--stop", "drain"]) == 2
    assert "error[not-asked]" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["stop", "savepoint", "cancel"])
def test_where_no_job_runs_nobody_is_asked(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        assert main([command, str(folder)]) == 2
        assert "error[no-run]" in capsys.readouterr().err


def test_a_run_that_does_not_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The request is withdrawn; where the run is gone meanwhile, that is the answer."""
    (tmp_path / "lock").write_text("it")
    (tmp_path / "control" / "it").mkdir(parents=True)
    with (tmp_path / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert main(["engine", "savepoint", str(tmp_path), "--max-seconds", "0.1"]) == 3
        error = capsys.readouterr().err
        assert "error[no-answer]" in error
        assert "withdrawn" in error
        (tmp_path / "control" / "it").rmdir()
        with pytest.raises(FinaleError, match="cannot be written"):
            ask(tmp_path, seconds=0.1, what="cancel")


WRONG = (
    '{"what": "pause"}', '{"what": "stop"}', '{"what": "stop", "drain": 1}', "[]", "null", "", "{",
    '{"what": ["stop"]}', '{"what": "savepoint", "drain": true}', '{"what": "cancel", "now": 1}',
    "\udcff", "[" * 100_000,
)  # fmt: skip


def test_a_file_that_asks_for_nothing_is_told_so_and_the_job_goes_on(job: Path) -> None:
    state = job.parent / "state"
    with running(job, Orders()) as ended:
        (place,) = (state / "control").iterdir()
        (place / "folder.ask").mkdir()
        for number, text in enumerate(WRONG):
            (place / f"{number}.draft").write_bytes(text.encode(errors="surrogateescape"))
            (place / f"{number}.draft").rename(place / f"{number}.ask")
        answers = [place / f"{name}.answer" for name in (*range(len(WRONG)), "folder")]
        while not all(answer.exists() for answer in answers):
            time.sleep(0.001)
            assert not ended
        told = [json.loads(answer.read_text()) for answer in answers]
        assert not any(answer["ok"] for answer in told)
        assert all("is no request" in answer["why"] for answer in told)
        shutil.rmtree(place)  # nobody can be told of anything any more
        (job.parent / "fast").touch()
    assert ended[0].end is RunEnd.FINISHED
    assert counts(job.parent) == expected(job.parent)


@pytest.mark.parametrize("orders", SCHEDULERS)
def test_the_log_tells_all_of_it(job: Path, orders: Orders) -> None:
    """A section for each start, with all its steps: the stop, too."""
    with running(job, orders):
        ask(job.parent / "state", seconds=10, what="stop", drain=False)
    (job.parent / "fast").touch()
    run(read_job(job), job.parent / "state")
    log = read_log((job.parent / "state" / "events.ndjson").read_text().splitlines())
    assert [section.ended for section in log.sections] == [True, True]
    assert not log.unknown
    assert {"request_stop", "conclude_stop"} < {each.name for each in log.sections[0].events}


def test_another_folder_starts_from_a_savepoint(job: Path, tmp_path: Path) -> None:
    """And the job that it was taken of goes on by itself."""
    state = tmp_path / "state"
    with running(job, Orders()) as ended:
        answer = ask(state, seconds=10, what="savepoint")
        (tmp_path / "fast").touch()
    assert ended[0].end is RunEnd.FINISHED
    savepoint = state / "checkpoints" / str(answer["savepoint"])
    assert (
        main(
            [
                "engine",
                "run",
                str(job),
                "--directory",
                str(tmp_path / "b"),
                "--from",
                str(savepoint),
            ]
        )
        == 0
    )
    for folder in (state, tmp_path / "b"):
        assert counts(tmp_path, folder) == expected(tmp_path)


@pytest.mark.parametrize("orders", SCHEDULERS)
def test_a_suspended_job_goes_on_with_other_parallelism(
    job: Path, orders: Orders, tmp_path: Path
) -> None:
    with running(job, orders):
        assert ask(tmp_path / "state", seconds=10, what="stop", drain=False)["ok"]
    (tmp_path / "fast").touch()
    job.write_text(job.read_text().replace("parallelism = 2", "parallelism = 3"))
    ended = run(read_job(job), tmp_path / "state", None, orders)
    assert ended.end is RunEnd.FINISHED
    assert 0 < ended.records < 10_000
    assert counts(tmp_path) == expected(tmp_path)


def test_what_is_passed_over_is_told(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job.write_text(f"retained = 2\n{job.read_text()}")
    state = tmp_path / "state"
    with running(job, Orders()):
        while len(list(state.glob("checkpoints/*/metadata.json"))) < 2:
            time.sleep(0.001)
        assert ask(state, seconds=10, what="cancel")["ok"]
    (tmp_path / "fast").touch()
    numbers = sorted(int(file.parent.name) for file in state.glob("checkpoints/*/metadata.json"))
    newest = state / "checkpoints" / str(numbers[-1]) / "metadata.json"
    newest.write_text(newest.read_text().replace("{", "{ ", 1)[:-9])
    assert main(["engine", "run", str(job), "--directory", str(state)]) == 0
    error = capsys.readouterr().err
    assert f"warning: passed over: error[checkpoint-altered]: {newest}: " in error
    taken = f"the run goes on from checkpoint {numbers[-2]}, and works again on what came behind"
    assert f"help: {taken} that; {numbers[-1]} is not used any more" in error
    assert "put it back" not in error
    assert counts(tmp_path) == expected(tmp_path)


def test_a_cancelled_job_ends_however_full_its_channels_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody makes room behind a task that has ended, and nobody waits for any."""
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 500)
    job = read_job(prepared(tmp_path, COUNTED, lines=500))
    for seed in range(12):
        runner = Runner(job, DiskFiles(tmp_path / str(seed)), Orders(seed=seed))
        for channel in runner.engine.channels.values():
            channel.capacity = 3
        cancel = seed + 2

        def look(_: RunProgress, runner: Runner = runner) -> None:
            nonlocal cancel
            cancel -= 1
            if cancel == 0:
                runner.requests.ask(RequestKind.CANCEL)
            assert cancel > -20

        assert runner.run(look).end is RunEnd.CANCELLED
