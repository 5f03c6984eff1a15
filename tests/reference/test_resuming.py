"""Where a run starts: from an older checkpoint, a savepoint, with more tasks, with no room."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.reference.coordinator import CheckpointKind
from finale.reference.formats.faultlist import PlannedFault as AFault
from finale.reference.formats.faulty import DiskFault, FaultyFiles, ProcessEnds
from finale.reference.formats.files import MemoryFiles
from finale.reference.formats.jobfile import JobFile, read_job
from finale.reference.formats.snapshots import METADATA, REFUSED
from finale.reference.runner import Orders, Runner
from tests.cli.running import run
from tests.reference.small_jobs import (
    CutAfter,
    cut_off,
    damage,
    expected,
    job_in,
    on_disk,
    output,
    refused,
)


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 40)


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
    assert files.exists(f"checkpoints/3/{REFUSED}")
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
    ran = run("engine run job.toml --directory state", tmp_path)
    assert ran.exit == code
    assert f"checkpoints/3/{METADATA}" in ran.stderr
    assert ran.stderr.startswith("warning:" if code == 0 else "error[output-ahead]")


def test_after_a_failure_records_are_counted_anew(tmp_path: Path) -> None:
    """Else none would make a checkpoint due until there were as many again as before it."""
    job, files = job_in(tmp_path, records=10), MemoryFiles()
    assert job.seconds > 100
    crash = AFault("crash-task", after="complete", nth=2)
    ended = Runner(job, files, Orders(faults=(crash,))).run()
    assert (ended.struck, ended.records) == ((1,), 48)
    assert ended.completed > 4
    assert output(files) == expected(tmp_path)


# --- elsewhere ------------------------------------------------------------------------------------


def reading(job: JobFile, path: str) -> JobFile:
    text = re.sub(r'path = ".*"', f'path = "{path}"', job.file.read_text())
    job.file.write_text(text)
    return read_job(job.file)


def moved(job: JobFile, path: str) -> JobFile:
    """The job's file is in another folder now, and what it reads is where it was."""
    folder = job.file.parent / "some" / "where"
    folder.mkdir(parents=True)
    return reading(replace(job, file=job.file.rename(folder / "job.toml")), path)


def test_a_job_that_moves_knows_its_files_by_absolute_paths(tmp_path: Path) -> None:
    path = f"{tmp_path}/texts/*"
    job = reading(job_in(tmp_path), path)
    files = cut_off(job, "checkpoints/3/metadata")
    Runner(moved(job, path), files).run()
    assert output(files) == expected(tmp_path)


def test_files_that_were_read_elsewhere_are_not_read_again(tmp_path: Path) -> None:
    job, files = job_in(tmp_path), MemoryFiles()
    Runner(job, files, Orders(stop=CheckpointKind.SUSPEND)).run()
    with pytest.raises(FinaleError) as caught:
        Runner(moved(job, "../../texts/*"), files).run()
    assert caught.value.code == "input-elsewhere"
    assert "read as texts/" in str(caught.value)


def test_files_with_new_names_take_the_place_of_what_was_read(tmp_path: Path) -> None:
    job, files = job_in(tmp_path), MemoryFiles()
    Runner(job, files, Orders(stop=CheckpointKind.SUSPEND)).run()
    wanted = expected(tmp_path)
    for file in (tmp_path / "texts").iterdir():
        file.unlink()
    (tmp_path / "texts" / "d").write_text("new\n")
    Runner(read_job(job.file), files).run()
    assert output(files) == wanted + Counter(["new"])


# --- no room --------------------------------------------------------------------------------------


@pytest.mark.parametrize("sink", ["exactly-once", "at-least-once"])
def test_a_disk_may_be_full_at_any_moment(tmp_path: Path, sink: str) -> None:
    """The run ends and says so; a later one, with room, loses nothing and writes nothing twice."""
    job = job_in(tmp_path, sink=sink, retained=1)
    moments = FaultyFiles(MemoryFiles(), fault=DiskFault.FULL)
    Runner(job, moments).run()
    told: set[str] = set()
    for at in range(0, moments.moments, 5):
        files = MemoryFiles()
        with pytest.raises(FinaleError) as caught:
            Runner(job, FaultyFiles(files, at, DiskFault.FULL)).run()
        assert caught.value.code == "disk-full"
        assert caught.value.place is not None
        told.add(str(caught.value.place).split("/")[0])
        Runner(job, files).run()
        found = output(files)
        assert (
            found == expected(tmp_path) if sink == "exactly-once" else is_covered(found, tmp_path)
        )
    assert told > {"checkpoints", "output"}


@pytest.mark.parametrize("numbers", [(2, 1), (1, 3)])
def test_half_a_line_is_no_record(tmp_path: Path, numbers: tuple[int, int]) -> None:
    """Also where the task that has written it is no more."""
    before, after = numbers
    job = job_in(tmp_path, sink="at-least-once", out=before)
    moments = FaultyFiles(MemoryFiles())
    Runner(job, moments).run()
    halves = 0
    for at in range(0, moments.moments, 9):
        job = job_in(tmp_path, sink="at-least-once", out=before)
        files = MemoryFiles()
        with pytest.raises(ProcessEnds):
            Runner(job, FaultyFiles(files, at)).run()
        halves += any(not files.read(n).endswith(b"\n") for n in files.under("output"))
        Runner(job_in(tmp_path, sink="at-least-once", out=after), files).run()
        assert is_covered(output(files), tmp_path)
    assert halves > 0


def is_covered(found: Counter[str], folder: Path) -> bool:
    """All came, and nothing that is no line."""
    wanted = expected(folder)
    return not wanted - found and found.keys() == wanted.keys()


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
            with suppress(ProcessEnds):
                runner.run()
            passed_on |= {t.name for t in runner.engine.tasks.values() if t.was_finished}
        assert output(files) == expected(tmp_path)
    assert "lines.1" in passed_on
