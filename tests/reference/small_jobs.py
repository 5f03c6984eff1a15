"""A small job over short files, what runs of it leave behind, and what comes out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.reference.formats.faulty import ProcessEnds
from finale.reference.formats.files import MemoryFiles
from finale.reference.formats.jobfile import JobFile, read_job
from finale.reference.runner import Orders, Runner

JOB = """
name = "test"
barriers = "{barriers}"
seconds = 1000
records = {records}
retained = {retained}

[operators.lines]
kind = "lines"
path = "texts/*"
parallelism = 2

[operators.words]
kind = "words"
from = ["lines"]
parallelism = {words}

[operators.out]
kind = "{sink}"
from = ["words"]
parallelism = {out}
"""


def job_in(
    folder: Path,
    *,
    barriers: str = "aligned",
    retained: int = 2,
    sink: str = "exactly-once",
    words: int = 2,
    out: int = 1,
    records: int = 10,
) -> JobFile:
    """A job over some short files."""
    (folder / "texts").mkdir(exist_ok=True)
    for name, lines in (("a", 40), ("b", 20), ("c", 30)):
        text = "".join(f"{name}{n} all {n % 3}\n" for n in range(lines))
        (folder / "texts" / name).write_text(text)
    job = JOB.format(
        barriers=barriers, retained=retained, sink=sink, words=words, out=out, records=records
    )
    (folder / "job.toml").write_text(job)
    return read_job(folder / "job.toml")


def expected(folder: Path) -> Counter[str]:
    texts = (file.read_text() for file in (folder / "texts").iterdir())
    return Counter(word for text in texts for word in text.split())


def output(files: MemoryFiles) -> Counter[str]:
    found = (files.read(name).decode() for name in files.under("output"))
    return Counter(line for text in found for line in text.splitlines())


class CutAfter(MemoryFiles):
    """The process ends when a file has got its name so many times."""

    def __init__(self, name: str, times: int = 1) -> None:
        super().__init__()
        self.name = name
        self.times = times

    def rename(self, old: str, new: str) -> None:
        super().rename(old, new)
        self.times -= new.startswith(self.name)
        if self.times == 0:
            raise ProcessEnds


def cut_off(job: JobFile, name: str, times: int = 1) -> MemoryFiles:
    """What a run leaves that ends so."""
    files = CutAfter(name, times)
    with pytest.raises(ProcessEnds):
        Runner(job, files).run()
    return copy_of(files)


def copy_of(files: MemoryFiles) -> MemoryFiles:
    copy = MemoryFiles()
    copy.contents = dict(files.contents)
    return copy


def damage(files: MemoryFiles, name: str) -> None:
    files.truncate(name, len(files.read(name)) // 2)


def refused(job: JobFile, files: MemoryFiles, savepoint: Path | None = None) -> FinaleError:
    """A start that is refused has changed nothing."""
    before = dict(files.contents)
    with pytest.raises(FinaleError) as caught:
        Runner(job, files, Orders(savepoint=savepoint))
    assert files.contents == before
    return caught.value


def words_in(state: Path) -> Counter[str]:
    return Counter(w for file in (state / "output").iterdir() for w in file.read_text().split())


def on_disk(files: MemoryFiles, folder: Path) -> Path:
    for name, data in files.contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder
