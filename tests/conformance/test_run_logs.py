"""The log of `finale engine run` is accepted, also if the run was cut off and went on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from finale.checker.logs.event_log.acceptance import Accepted, Coverage, accept
from finale.checker.logs.event_log.reading import read_log
from finale.reference.asking import Asking, RequestKind, RequestStatus
from finale.reference.formats.eventlog import EventLog
from finale.reference.formats.faulty import FaultyFiles, ProcessEnds
from finale.reference.formats.files import DiskFiles
from finale.reference.formats.jobfile import JobFile, read_job
from finale.reference.operators import sources
from finale.reference.runner import Orders, RunEnd, Runner, RunProgress, run

JOB = """
barriers = "{mode}"
timeout = 0.001
seconds = 1000
records = 7

[operators.lines]
kind = "lines"
path = "texts/*"
parallelism = 2

[operators.words]
kind = "words"
from = ["lines"]

[operators.out]
kind = "exactly-once"
from = ["words"]
"""
MODES = ("aligned", "unaligned", "timeout")


def job_in(folder: Path, mode: str, size: int = 20) -> Path:
    (folder / "texts").mkdir()
    for number in range(3):
        text = "".join(f"a{line} b{number}\n" for line in range(size * (number + 1)))
        (folder / "texts" / f"{number}.txt").write_text(text, encoding="utf-8")
    file = folder / "job.toml"
    file.write_text(JOB.format(mode=mode), encoding="utf-8")
    return file


def written(folder: Path) -> Counter[str]:
    files = (folder / "output").rglob("*")
    return Counter(word for file in files if file.is_file() for word in file.read_text().split())


@pytest.mark.parametrize("threads", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_the_log_of_a_run_is_accepted(mode: str, threads: bool, tmp_path: Path) -> None:
    job = read_job(job_in(tmp_path, mode))
    run(job, tmp_path / "state", orders=Orders(threads=threads))
    log = read_log((tmp_path / "state" / "events.ndjson").read_text("utf-8").splitlines())
    verdict = accept(log, judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict.conforms
    assert verdict.coverage is Coverage.COMPLETE
    assert sum(event.name == "complete" for event in log.sections[0].events) >= 1


@pytest.mark.parametrize("mode", MODES)
def test_a_run_that_was_cut_off_and_went_on_is_accepted(mode: str, tmp_path: Path) -> None:
    job, folder, file = read_job(job_in(tmp_path, mode)), tmp_path / "state", tmp_path / "log"
    folder.mkdir()
    moments = FaultyFiles(DiskFiles(folder))
    cuts = 0
    for at in (14, 10, 12, None):
        moments = FaultyFiles(DiskFiles(folder), at)
        runner = Runner(job, moments)
        runner.log = EventLog.append(file, runner.engine, job.job, run="r")
        try:
            runner.run(None)
        except ProcessEnds:
            cuts += 1
            assert runner.log.file is not None
            runner.log.file.close()
        else:
            runner.log.close()
            break
    assert cuts > 1
    expected = Counter(f"a{n}" for size in (20, 40, 60) for n in range(size))
    expected += Counter({"b0": 20, "b1": 40, "b2": 60})
    assert written(folder) == expected
    log = read_log(file.read_text("utf-8").splitlines())
    verdict = accept(log, judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict.conforms
    assert verdict.coverage is Coverage.GAP
    assert len(verdict.conforms.witness) == cuts + 1


# --- stops ----------------------------------------------------------------------------------------


@pytest.fixture
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "CHUNK", 64)


def process(
    job: JobFile,
    folder: Path,
    wish: RequestKind | None = None,
    drain: bool | None = None,
    cut: int = 0,
) -> RunEnd | None:
    """One process of a run: it is asked once its first checkpoint is complete, or cut off."""
    runner = Runner(job, FaultyFiles(DiskFiles(folder), cut or None))
    runner.log = EventLog.append(folder / "log", runner.engine, job.job, run="r")

    def look(progress: RunProgress) -> None:
        if wish is not None and progress.completed > 0 and not runner.requests.known:
            runner.requests.ask(wish, drain)

    try:
        ended = runner.run(look).end
    except ProcessEnds:
        assert runner.log.file is not None
        runner.log.file.close()
        return None
    runner.log.close()
    assert isinstance(runner.engine, Asking)
    assert all(each.answer is RequestStatus.SUCCEEDED for each in runner.engine.requests.values())
    return ended


@pytest.mark.parametrize("drain", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_stops_of_a_run_that_is_cut_off_and_goes_on_are_accepted(
    mode: str, drain: bool, tmp_path: Path, small_buffers: None
) -> None:
    job, folder = read_job(job_in(tmp_path, mode, 200)), tmp_path / "state"
    folder.mkdir()
    assert process(job, folder, cut=16) is None
    assert process(job, folder, RequestKind.STOP, drain=False) is RunEnd.SUSPENDED
    assert process(job, folder, RequestKind.STOP, drain=False, cut=40) is None
    ended = process(job, folder, RequestKind.STOP, drain=drain)
    assert ended is (RunEnd.DRAINED if drain else RunEnd.SUSPENDED)
    log = read_log((folder / "log").read_text("utf-8").splitlines())
    verdict = accept(log, judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict.conforms
    assert len(verdict.conforms.witness) == 4
    seen = Counter(event.name for section in log.sections for event in section.events)
    assert seen["stop_source"] >= 2
    assert seen["conclude_stop"] == 2
    assert seen["notice_barrier"] > 0 or mode != "unaligned"


@pytest.mark.parametrize("mode", MODES)
def test_savepoints_and_cancellations_of_a_run_are_accepted(
    mode: str, tmp_path: Path, small_buffers: None
) -> None:
    job, folder = read_job(job_in(tmp_path, mode, 40)), tmp_path / "state"
    folder.mkdir()
    assert process(job, folder, RequestKind.CANCEL) is RunEnd.CANCELLED
    assert process(job, folder, RequestKind.SAVEPOINT) is RunEnd.FINISHED
    log = read_log((folder / "log").read_text("utf-8").splitlines())
    verdict = accept(log, judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict.conforms
    assert verdict.coverage is Coverage.COMPLETE
    assert verdict.conforms.unseen == 0
