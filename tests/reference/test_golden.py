"""Checkpoints that earlier versions have written are read, and are still written byte for byte.

`golden/v1` and `golden/v2` are the third checkpoint of one fixed job: one of its sources had
finished, another had in part, and records were in flight.
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from finale.reference.formats.files import DiskFiles, MemoryFiles
from finale.reference.formats.inflight import Logs
from finale.reference.formats.jobfile import JobFile, read_job
from finale.reference.formats.metadata import CHANNELS, VERSIONS
from finale.reference.formats.snapshots import CheckpointStore, shape_of
from finale.reference.runner import Runner

GOLDEN = Path(__file__).parent / "golden"
WORDS = ("ant", "bee", "cat", "dog", "elk", "fox", "gnu")
JOB = """
name = "golden"
barriers = "unaligned"
seconds = 1000
records = 6
retained = 3
checkpoint-format = {version}

[operators.long]
kind = "lines"
path = "long/*"
parallelism = 2

[operators.short]
kind = "lines"
path = "short"

[operators.counts]
kind = "count"
from = ["long", "short"]
parallelism = 2

[operators.out]
kind = "exactly-once"
from = ["counts"]
"""


def job_in(folder: Path, version: int) -> JobFile:
    (folder / "long").mkdir()
    (folder / "long" / "0").write_text("".join(f"{WORDS[n % 7]}\n" for n in range(60)))
    (folder / "long" / "1").write_text("bee\n")
    (folder / "short").write_text("cat\n")
    (folder / "job.toml").write_text(JOB.format(version=version))
    return read_job(folder / "job.toml")


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 30)


#: What the golden checkpoint is made of.
STATES = {
    "long.0": {
        "bad": None,
        "known": ["long/0", "long/1"],
        "positions": {"long/0": [160, 40, False]},
    },
    "counts.0": {"ant": 5, "cat": 6, "elk": 4, "gnu": 4},
    "counts.1": {"bee": 6, "dog": 5, "fox": 4},
    "out": {"pending": [], "task": "out"},
}
IN_FLIGHT: dict[str, Logs] = {
    "counts.0": {
        "long.0→counts.0": [{"records": ["elk", "gnu", "ant", "cat", "elk"]}],
        "long.1→counts.0": [],
        "short→counts.0": [],
    },
    "counts.1": {
        "long.0→counts.1": [{"records": ["fox", "bee", "dog"]}],
        "long.1→counts.1": [],
        "short→counts.1": [],
    },
}
FINISHED = {"long.1", "short"}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_job_goes_on_from_what_an_earlier_version_has_written(
    tmp_path: Path, version: int
) -> None:
    job = job_in(tmp_path, max(VERSIONS))
    shutil.copytree(GOLDEN / f"v{version}", tmp_path / "state")
    files = DiskFiles(tmp_path / "state")
    runner = Runner(job, files)
    assert runner.start.checkpoint == 3
    runner.run()
    texts = (file.read_text() for file in (*(tmp_path / "long").iterdir(), tmp_path / "short"))
    counts = Counter(word for text in texts for word in text.split())
    lines = {f"{word}\t{count}" for word, count in counts.items()}
    written = [line for name in files.under("output") for line in files.read(name).splitlines()]
    assert sorted(line.decode() for line in written) == sorted(lines)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_written_is_what_was_written(tmp_path: Path, version: int) -> None:
    job = job_in(tmp_path, version)
    files = MemoryFiles()
    shape = shape_of(job.job, [job.kind(vertex) for vertex in job.job.vertices])
    store = CheckpointStore(files, shape, version=version)
    for task, state in STATES.items():
        store.put(3, task, {"operator": state})
    for task, logs in IN_FLIGHT.items():
        store.put(3, task, logs, CHANNELS)
    store.complete(3, FINISHED)
    golden = DiskFiles(GOLDEN / f"v{version}")
    names = golden.under("")
    assert len(names) > 5
    assert {name: golden.read(name) for name in names} == files.contents
