"""Runs that end at any moment, by a kill or by a cut at each operation on files: nothing is lost.

Each moment of a run at which something becomes durable is looked at once: a copy of the folder, as
a process that ends there would leave it, is gone on from, and must come to the same output.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.logs.event_log.reading import read_log
from finale.reference.coordinator import CheckpointKind
from finale.reference.formats.files import DiskFiles
from finale.reference.formats.folder import name_of_run
from finale.reference.formats.jobfile import JobFile, read_job
from finale.reference.runner import Orders, Runner, run

from .watched import WatchedFiles

MODES = ("aligned", "unaligned", "timeout")
#: One source is shorter than the other, and finishes long before it.
JOB = """
barriers = "{mode}"
timeout = 0.005
seconds = 1000
records = {records}

[operators.long]
kind = "lines"
path = "long/*"

[operators.short]
kind = "lines"
path = "short/*"
parallelism = 2

[operators.upper]
kind = "flat-map"
function = "loud:upper"
from = ["long", "short"]
parallelism = {parallelism}

[operators.out]
kind = "exactly-once"
from = ["upper"]
parallelism = 2
"""
LOUD = "def upper(line):\n    return [line.upper()]\n"


def job_in(folder: Path, mode: str, *, lines: int, width: int, checkpoints: int) -> Path:
    """Lines that differ, in files of several lengths."""
    for name, share in (("long/0", 1.0), ("short/0", 0.1), ("short/1", 0.2)):
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        many = range(int(lines * share))
        file.write_text("".join(f"{name} {n} ".ljust(width, "x") + "\n" for n in many))
    (folder / "loud.py").write_text(LOUD)
    sys.modules.pop("loud", None)  # of another test
    records = max(1, int(1.3 * lines) // checkpoints)
    file = folder / "job.toml"
    file.write_text(JOB.format(mode=mode, records=records, parallelism=2))
    return file


def is_whole(folder: Path, state: Path) -> None:
    """All lines have come out, each once, whatever their order."""
    texts = (file.read_bytes() for name in ("long", "short") for file in (folder / name).iterdir())
    wanted = Counter(line for text in texts for line in text.upper().splitlines())
    found = (file.read_bytes() for file in (state / "output").iterdir())
    assert Counter(line for text in found for line in text.splitlines()) == wanted
    assert not any((state / "pending").glob("*"))


def moments_of(job: JobFile, folder: Path, orders: Orders, every: int, kinds: str) -> Counter[str]:
    """Go on from each such moment of a run; how many there were, by what was being done.

    By turns the process alone ends, and the machine.
    """
    seen: Counter[str] = Counter()
    state, copy = folder / "state", folder / "copy"

    def look(what: str) -> None:
        if what not in kinds:
            return
        seen[what] += 1
        if seen.total() % every == 0:
            shutil.copytree(state, copy)
            if seen.total() // every % 2:
                files.lose_power(copy)
            Runner(job, DiskFiles(copy), replace(orders, stop=None)).run()
            is_whole(folder, copy)
            shutil.rmtree(copy)

    files = WatchedFiles(state, look)
    state.mkdir()
    Runner(job, files, orders).run()
    is_whole(folder, state)
    return seen


CASES = [
    (mode, stop) for mode in MODES for stop in (None, CheckpointKind.DRAIN, CheckpointKind.SUSPEND)
]


@pytest.mark.parametrize(("mode", "stop"), CASES)
def test_a_run_is_cut_at_any_moment(
    tmp_path: Path, mode: str, stop: CheckpointKind | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 1_000)
    job = read_job(job_in(tmp_path, mode, lines=100, width=40, checkpoints=3))
    kinds = "write append sync rename remove folder"
    seen = moments_of(job, tmp_path, Orders(stop), every=11 if stop is None else 17, kinds=kinds)
    assert seen.total() > 50
    assert seen.keys() == set(kinds.split())


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "stop"), CASES)
def test_a_large_run_is_cut_at_each_moment(
    tmp_path: Path, mode: str, stop: CheckpointKind | None
) -> None:
    """Twenty megabytes; all moments at which something becomes safe, or known by another name."""
    job = read_job(job_in(tmp_path, mode, lines=154_000, width=100, checkpoints=10))
    seen = moments_of(job, tmp_path, Orders(stop), every=1, kinds="sync rename remove folder")
    assert seen.total() > 80


def command(job: Path, *more: str) -> tuple[str, ...]:
    main = "import sys; from finale.cli.main import main; sys.exit(main())"
    state = str(job.parent / "state")
    return (sys.executable, "-c", main, "engine", "run", str(job), "--directory", state, *more)


def started(job: Path, *more: str) -> subprocess.Popen[bytes]:
    """A run that has begun to write, or has ended already."""
    process = subprocess.Popen(command(job, *more), stdout=subprocess.DEVNULL)
    while not (name_of_run(job.parent / "state") or process.poll() is not None):
        time.sleep(0.005)
    return process


FEW = [("timeout", "steps"), ("unaligned", "threads")]
MANY = [
    pytest.param(mode, scheduler, 50, marks=pytest.mark.slow)
    for mode in MODES
    for scheduler in ("steps", "threads")
]
STOPS = (("--stop", "drain"), ("--stop", "suspend"), ())


@pytest.mark.parametrize(("mode", "scheduler", "kills"), [*((*each, 2) for each in FEW), *MANY])
def test_a_run_that_is_killed_goes_on(
    tmp_path: Path, kills: int, mode: str, scheduler: str
) -> None:
    """Kills come at any moment of the time that a run takes, which by turns is to be stopped.

    What was not killed has ended, and another job begins.
    """
    chance = random.Random(kills)
    lines = 200_000 if kills > len(STOPS) else 20_000
    job, state = job_in(tmp_path, mode, lines=lines, width=40, checkpoints=30), tmp_path / "state"
    with_threads = ("--scheduler", scheduler)

    def ends() -> None:
        subprocess.run(command(job, *with_threads), check=True, stdout=subprocess.DEVNULL)
        is_whole(tmp_path, state)
        shutil.rmtree(state)

    process, began = started(job, *with_threads), time.monotonic()
    assert process.wait() == 0
    whole = time.monotonic() - began
    ends()
    killed: Counter[tuple[str, ...]] = Counter()
    for _ in range(10 * kills):
        stop = min(STOPS, key=lambda each: killed[each])
        process = started(job, *with_threads, *stop)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.0, whole))
        process.kill()
        if process.wait() == -signal.SIGKILL:
            killed[stop] += 1
        else:
            assert process.returncode == 0
            ends()
        if killed.total() == kills:
            break
    assert killed.total() == kills
    ends()


@pytest.mark.parametrize(
    ("mode", "step"),
    [("unaligned", "notice_barrier"), ("timeout", "time_out"), ("aligned", "poll_barrier")],
)
def test_barriers_go_as_the_job_says(
    tmp_path: Path, mode: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 1_000)
    job = read_job(job_in(tmp_path, mode, lines=1_000, width=40, checkpoints=3))
    run(replace(job, timeout=1e-9), tmp_path / "state")
    log = read_log((tmp_path / "state" / "events.ndjson").read_text().splitlines())
    assert step in {event.name for section in log.sections for event in section.events}
    is_whole(tmp_path, tmp_path / "state")
