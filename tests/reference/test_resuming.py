"""Where a run starts: from an older checkpoint, a savepoint, with more tasks, with no room."""

from __future__ import annotations

import shutil
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from model.errors import FinaleError
from reference.coordinator import Kind
from reference.formats.faulty import Cut, Fault, FaultyFiles
from reference.formats.files import DiskFiles, MemoryFiles
from reference.formats.jobfile import JobFile, read_job
from reference.formats.snapshots import METADATA, REFUSED
from reference.runner import Orders, Progress, Runner
from tests.cli.running import run

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


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reference.operators.sources.CHUNK", 40)


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
            raise Cut


def cut_off(job: JobFile, name: str, times: int = 1) -> MemoryFiles:
    """What a run leaves that ends so."""
    files = CutAfter(name, times)
    with pytest.raises(Cut):
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


# --- an older one ---------------------------------------------------------------------------------


@pytest.mark.parametrize("barriers", ["aligned", "unaligned"])
@pytest.mark.parametrize("file", ["lines.0.json", "out.json", METADATA])
def test_an_older_checkpoint_takes_the_place_of_a_damaged_one(
    tmp_path: Path, file: str, barriers: str
) -> None:
    """The newer one was complete, and nobody had heard of it."""
    job = job_in(tmp_path, barriers=barriers)
    files = cut_off(job, "checkpoints/3/metadata")
    damage(files, f"checkpoints/3/{file}")
    runner = Runner(job, files)
    assert [str(each.place) for each in runner.start.refused] == [f"checkpoints/3/{file}"]
    assert (runner.start.checkpoint, runner.start.last_number) == (2, 3)
    assert files.exists(f"checkpoints/3/{REFUSED}")
    ended = runner.run()
    assert [each.code for each in ended.passed_over] == ["checkpoint-altered"]
    assert output(files) == expected(tmp_path)


def test_a_version_that_is_not_known_is_passed_over_too(tmp_path: Path) -> None:
    job = job_in(tmp_path)
    files = cut_off(job, "checkpoints/3/metadata")
    data = files.read(f"checkpoints/3/{METADATA}")
    files.write(f"checkpoints/3/{METADATA}", data.replace(b'"format": 2', b'"format": 9'))
    runner = Runner(job, files)
    assert [each.code for each in runner.start.refused] == ["checkpoint-format"]
    assert "9" in str(runner.start.refused[0])
    runner.run()
    assert output(files) == expected(tmp_path)


def test_one_that_is_mended_too_late_is_not_used(tmp_path: Path) -> None:
    """Its transactions have been dropped."""
    job = job_in(tmp_path)
    files = cut_off(job, "checkpoints/3/metadata")
    good = files.read("checkpoints/3/out.json")
    damage(files, "checkpoints/3/out.json")
    Runner(job, files)
    files.write("checkpoints/3/out.json", good)
    runner = Runner(job, files)
    assert runner.start.checkpoint == 2
    runner.run()
    assert output(files) == expected(tmp_path)


def test_what_was_committed_is_not_written_again(tmp_path: Path) -> None:
    job = job_in(tmp_path)
    files = cut_off(job, "output/out-3")
    damage(files, "checkpoints/3/lines.1.json")
    error = refused(job, files)
    assert error.code == "output-ahead"
    assert "checkpoints/3/lines.1.json" in str(error)
    assert "output/out-3" in str(error)
    files.remove("output/out-3")  # whoever does that, wants its records again
    Runner(job, files).run()
    assert output(files) == expected(tmp_path)


def test_without_any_checkpoint_output_is_not_written_again(tmp_path: Path) -> None:
    job = job_in(tmp_path)
    files = cut_off(job, "output/out-1")
    files.remove(f"checkpoints/1/{METADATA}")
    assert refused(job, files).code == "output-ahead"
    files.remove("output/out-1")
    Runner(job, files).run()
    assert output(files) == expected(tmp_path)


def test_without_an_older_one_a_damaged_one_is_refused(tmp_path: Path) -> None:
    job = job_in(tmp_path, retained=1)
    files = cut_off(job, "checkpoints/3/metadata")
    files.remove(f"checkpoints/2/{METADATA}")
    damage(files, "checkpoints/3/lines.0.json")
    assert refused(job, files).code == "checkpoint-altered"


def test_at_least_once_an_older_one_is_always_good(tmp_path: Path) -> None:
    job = job_in(tmp_path, sink="at-least-once")
    files = cut_off(job, "checkpoints/3/metadata")
    damage(files, f"checkpoints/3/{METADATA}")
    Runner(job, files).run()
    assert not expected(tmp_path) - output(files)
    assert output(files) != expected(tmp_path)


@pytest.mark.parametrize("retained", [1, 2, 3])
def test_so_many_checkpoints_stay(tmp_path: Path, retained: int) -> None:
    runner = Runner(job_in(tmp_path, retained=retained), MemoryFiles())
    runner.run()
    store = runner.engine.store
    assert len(store.complete_ones()) == retained < runner.completed
    assert set(store.complete_ones()) == store.numbers()


@pytest.mark.parametrize(("cut", "code"), [("checkpoints/3/metadata", 0), ("output/out-3", 2)])
def test_a_user_is_told(tmp_path: Path, cut: str, code: int) -> None:
    files = cut_off(job_in(tmp_path), cut)
    damage(files, f"checkpoints/3/{METADATA}")
    on_disk(files, tmp_path / "state")
    ran = run("run job.toml --directory state", tmp_path)
    assert ran.exit == code
    assert f"checkpoints/3/{METADATA}" in ran.stderr
    assert ran.stderr.startswith("warning:" if code == 0 else "error[output-ahead]")


# --- no room --------------------------------------------------------------------------------------


@pytest.mark.parametrize("sink", ["exactly-once", "at-least-once"])
def test_a_disk_may_be_full_at_any_moment(tmp_path: Path, sink: str) -> None:
    """The run ends and says so; a later one, with room, loses nothing and writes nothing twice."""
    job = job_in(tmp_path, sink=sink, retained=1)
    moments = FaultyFiles(MemoryFiles(), fault=Fault.FULL)
    Runner(job, moments).run()
    told: set[str] = set()
    for at in range(0, moments.moments, 3):
        files = MemoryFiles()
        with pytest.raises(FinaleError) as caught:
            Runner(job, FaultyFiles(files, at, Fault.FULL)).run()
        assert caught.value.code == "disk-full"
        assert caught.value.place is not None
        told.add(str(caught.value.place).split("/")[0])
        Runner(job, files).run()
        found = output(files)
        assert (
            found == expected(tmp_path) if sink == "exactly-once" else is_covered(found, tmp_path)
        )
    assert told > {"checkpoints", "output"}


def is_covered(found: Counter[str], folder: Path) -> bool:
    """All came, and nothing that is no line."""
    wanted = expected(folder)
    return not wanted - found and found.keys() == wanted.keys()


# --- savepoints -----------------------------------------------------------------------------------


def with_savepoint(job: JobFile) -> tuple[MemoryFiles, int]:
    """A run that was asked for a savepoint midway, and went on; the savepoint's number."""
    files = MemoryFiles()
    runner = Runner(job, files)
    number = 0

    def look(progress: Progress) -> None:
        nonlocal number
        if progress.checkpoint and not number:
            number = runner.engine.coordinator.trigger(Kind.SAVEPOINT).number

    runner.run(look)
    return files, number


def on_disk(files: MemoryFiles, folder: Path) -> Path:
    for name, data in files.contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_a_savepoint_stays_and_is_started_from_when_it_is_named(tmp_path: Path) -> None:
    job = job_in(tmp_path, retained=1)
    files, number = with_savepoint(job)
    runner = Runner(job, copy_of(files))
    assert runner.engine.store.snapshot(number).metadata.kind == "savepoint"
    assert runner.start.checkpoint == max(runner.engine.store.complete_ones()) > number
    assert output(files) == expected(tmp_path)
    savepoint = on_disk(files, tmp_path / "old") / "checkpoints" / str(number)
    before = Counter[str]()
    for name in files.under("output"):
        if int(name.split("-")[1]) <= number:
            before.update(files.read(name).decode().splitlines())

    fresh = MemoryFiles()
    again = Runner(job, fresh, Orders(savepoint=savepoint))
    assert again.start.checkpoint == number
    again.run()
    assert output(fresh) + before == expected(tmp_path)


def test_a_run_from_a_savepoint_goes_on_without_it(tmp_path: Path) -> None:
    job = job_in(tmp_path)
    files, number = with_savepoint(job)
    savepoint = on_disk(files, tmp_path / "old") / "checkpoints" / str(number)
    whole, cut = MemoryFiles(), MemoryFiles()
    Runner(job, whole, Orders(savepoint=savepoint)).run()
    Runner(job, cut, Orders(savepoint=savepoint))
    assert refused(job, cut, savepoint).code == "folder-not-new"
    shutil.rmtree(tmp_path / "old")
    assert refused(job, MemoryFiles(), savepoint).code == "no-checkpoint"
    Runner(job, cut).run()
    assert output(cut) == output(whole)


def test_going_back_behind_output_is_refused(tmp_path: Path) -> None:
    job = job_in(tmp_path)
    files, number = with_savepoint(job)
    state = DiskFiles(on_disk(files, tmp_path / "state"))
    savepoint = state.root / "checkpoints" / str(number)
    with pytest.raises(FinaleError) as caught:
        Runner(job, state, Orders(savepoint=savepoint))
    assert caught.value.code == "output-ahead"
    for name in state.under("output"):
        if int(name.split("-")[1]) > number:
            state.remove(name)
    runner = Runner(job, state, Orders(savepoint=savepoint))
    assert runner.start.checkpoint == max(runner.engine.store.complete_ones()) > number
    runner.run()
    read = (state.read(name).decode() for name in state.under("output"))
    assert not Counter(w for text in read for w in text.split()) - expected(tmp_path)


def test_after_a_drain_nothing_more_is_read(tmp_path: Path) -> None:
    """The run ends when the savepoint is complete, and before its transactions are committed."""
    job = job_in(tmp_path, records=1000)
    wanted = expected(tmp_path)
    files = CutAtDrain()
    with pytest.raises(Cut):
        Runner(job, files, Orders(stop=Kind.DRAIN)).run()
    assert files.under("pending")
    with (tmp_path / "texts" / "a").open("a") as text:
        text.write("more\n")
    Runner(job, rest := copy_of(files)).run()
    assert output(rest) == wanted


class CutAtDrain(MemoryFiles):
    """The process ends when a savepoint with drain is complete."""

    def rename(self, old: str, new: str) -> None:
        super().rename(old, new)
        if b'"kind": "drain"' in self.contents[new]:
            raise Cut


# --- again and again ------------------------------------------------------------------------------


@pytest.mark.parametrize("barriers", ["aligned", "unaligned"])
@pytest.mark.parametrize("name", ["checkpoints/", "output/"])
def test_a_run_that_ends_again_and_again_goes_on(tmp_path: Path, barriers: str, name: str) -> None:
    """What had finished before an earlier start has finished for all later ones."""
    job_in(tmp_path, barriers=barriers, records=6)
    for short in ("b", "c"):
        (tmp_path / "texts" / short).write_text(f"{short}\n")
    job = read_job(tmp_path / "job.toml")
    passed_on: set[str] = set()
    for times in range(1, 9):
        files = MemoryFiles()
        for after in (times, 1, 1, 1, 0):
            cut = CutAfter(name, after)
            cut.contents = files.contents
            runner, files = Runner(job, cut), cut
            with suppress(Cut):
                runner.run()
            passed_on |= {t.name for t in runner.engine.tasks.values() if t.was_finished}
        assert output(files) == expected(tmp_path)
    assert "lines.1" in passed_on
