"""Savepoints: they stay, runs start from them when told to, and going back is refused."""

from __future__ import annotations

import shutil
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from finale.checker.logs.event_log.reading import read_log
from finale.model.errors import FinaleError
from finale.reference.coordinator import CheckpointKind
from finale.reference.formats.faulty import FaultyFiles, ProcessEnds
from finale.reference.formats.files import DiskFiles, MemoryFiles
from finale.reference.formats.folder import end_of
from finale.reference.formats.jobfile import JobFile, read_job
from finale.reference.formats.logfile import LOG
from finale.reference.formats.resuming import to_go_on_from
from finale.reference.formats.snapshots import CheckpointStore
from finale.reference.runner import Orders, RunEnd, Runner, run
from finale.reference.steps import StepId
from tests.reference.small_jobs import (
    copy_of,
    damage,
    expected,
    job_in,
    on_disk,
    output,
    refused,
    words_in,
)
from tests.reference.watched import WatchedFiles


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 40)


def with_savepoint(job: JobFile) -> tuple[MemoryFiles, int]:
    """A run that was asked for a savepoint midway, and went on; the savepoint's number."""
    files = MemoryFiles()
    runner = Runner(job, files)
    runner.run(lambda _: ask_for_savepoint(runner))
    kinds = runner.engine.store.known
    return files, next(number for number, kind in kinds.items() if kind == "savepoint")


def ask_for_savepoint(runner: Runner) -> None:
    coordinator = runner.engine.coordinator
    known = coordinator.checkpoints.values()
    asked = "savepoint" in runner.engine.store.known.values()
    if (
        coordinator.newest_completed
        and not asked
        and all(c.kind is not CheckpointKind.SAVEPOINT for c in known)
    ):
        coordinator.trigger(CheckpointKind.SAVEPOINT)


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
    begun = MemoryFiles()
    begun.write(f"pending/out-{number}", b"of a run that had completed nothing\n")
    assert refused(job, begun, savepoint).code == "folder-not-new"
    shutil.rmtree(tmp_path / "old")
    assert refused(job, MemoryFiles(), savepoint).code == "no-checkpoint"
    Runner(job, cut).run()
    assert output(cut) == output(whole)


def test_a_savepoint_whose_transactions_were_dropped_is_not_used_there(tmp_path: Path) -> None:
    job = job_in(tmp_path, records=60)
    files = CutAtKind("savepoint")
    runner = Runner(job, files)
    with pytest.raises(ProcessEnds):
        runner.run(lambda _: ask_for_savepoint(runner))
    used, left = (on_disk(files, tmp_path / name) for name in ("used", "left"))
    number = max(CheckpointStore(files).complete_ones())
    assert (used / "pending" / f"out-{number}").exists()
    Runner(job, DiskFiles(used), Orders(savepoint=used / "checkpoints" / str(number))).run()
    assert words_in(used) == expected(tmp_path)

    Runner(job, DiskFiles(left)).run()
    assert words_in(left) == expected(tmp_path)
    for file in (left / "output").iterdir():
        if int(file.name.split("-")[1]) >= number:
            file.unlink()
    with pytest.raises(FinaleError) as caught:
        Runner(job, DiskFiles(left), Orders(savepoint=left / "checkpoints" / str(number)))
    assert caught.value.code == "savepoint-left"


def test_going_back_leaves_what_came_between(tmp_path: Path) -> None:
    """Two savepoints, nothing of which is committed; the start from the first drops the second."""
    job = job_in(tmp_path, records=1000)
    state = tmp_path / "state"
    runner = Runner(job, DiskFiles(state))

    def twice(_: object) -> None:
        if len(runner.engine.store.known) == 2:
            raise ProcessEnds
        if not runner.engine.coordinator.pending:
            runner.engine.coordinator.trigger(CheckpointKind.SAVEPOINT)

    with pytest.raises(ProcessEnds):
        runner.run(twice)
    first, second = (state / "checkpoints" / str(number) for number in (1, 2))
    assert (state / "pending" / "out-2").exists()
    before = words_in(state) if (state / "output").exists() else Counter[str]()
    assert not before
    back = Runner(job, DiskFiles(state), Orders(savepoint=first))
    assert back.engine.store.known == {1: "savepoint", 2: "savepoint", 3: "checkpoint"}
    with pytest.raises(FinaleError) as caught:
        Runner(job, DiskFiles(state), Orders(savepoint=second))
    assert caught.value.code == "savepoint-left"
    Runner(job, DiskFiles(state)).run()
    assert words_in(state) == expected(tmp_path)
    assert first.exists()
    assert second.exists()


def test_a_savepoint_is_left_only_by_what_is_complete(tmp_path: Path) -> None:
    """Cut at each moment of a start from the first of two savepoints, before it has its copy."""
    job = job_in(tmp_path, records=1000)
    saved = MemoryFiles()
    runner = Runner(job, saved)

    def thrice(_: object) -> None:
        if len(runner.engine.store.known) == 2:
            raise ProcessEnds
        if not runner.engine.coordinator.pending:
            runner.engine.coordinator.trigger(CheckpointKind.SAVEPOINT)

    with pytest.raises(ProcessEnds):
        runner.run(thrice)
    first, second = (on_disk(saved, tmp_path / "given") / "checkpoints" / n for n in "12")
    moments = FaultyFiles(copy_of(saved))
    Runner(job, moments, Orders(savepoint=first))
    seen: Counter[bool] = Counter()
    for at in range(moments.moments + 1):
        files = copy_of(saved)
        with suppress(ProcessEnds):
            Runner(job, FaultyFiles(files, at), Orders(savepoint=first))
        store = CheckpointStore(files)
        has_gone_on = 3 in store.complete_ones()
        seen[has_gone_on] += 1
        assert store.is_left(2) == has_gone_on
        if has_gone_on:
            assert refused(job, files, second).code == "savepoint-left"
        else:
            again = Runner(job, files, Orders(savepoint=second))
            assert not CheckpointStore(files).is_left(2)
            again.run()
            assert (at, output(files)) == (at, expected(tmp_path))
    assert min(seen[False], seen[True]) > 0


def ask_at_once(runner: Runner) -> None:
    runner.engine.coordinator.trigger(CheckpointKind.SAVEPOINT)


def gone_back(tmp_path: Path) -> tuple[JobFile, MemoryFiles]:
    """A start from savepoint 1, which has left 2: a checkpoint that had committed nothing."""
    job = job_in(tmp_path, records=1000)
    files = CutAtKind("checkpoint")
    runner = Runner(job, files)

    def then(_: object) -> None:
        known, pending = runner.engine.store.known, runner.engine.coordinator.pending
        if not pending:
            runner.engine.coordinator.trigger(
                CheckpointKind.CHECKPOINT if known else CheckpointKind.SAVEPOINT
            )

    with pytest.raises(ProcessEnds):
        runner.run(then)
    left = copy_of(files)
    assert left.exists("pending/out-2")
    first = on_disk(left, tmp_path / "given") / "checkpoints" / "1"
    again = Runner(job, left, Orders(savepoint=first))
    assert again.start.checkpoint == 3
    again.mover.take(StepId("restore", (("task", name),)) for name in again.engine.tasks)
    assert not left.exists("pending/out-2")
    return job, left


@pytest.mark.parametrize("damaged", ["3/out.json", "3/metadata.json"])
def test_what_was_left_takes_nothing_s_place(tmp_path: Path, damaged: str) -> None:
    job, files = gone_back(tmp_path)
    assert to_go_on_from(files) == 3
    damage(files, f"checkpoints/{damaged}")
    assert refused(job, files).code == "checkpoint-altered"
    if "metadata" in damaged:
        assert to_go_on_from(files) is None


def test_what_was_left_stays_so_when_what_came_of_it_is_gone(tmp_path: Path) -> None:
    job, files = gone_back(tmp_path)
    for name in files.under("checkpoints/3"):
        files.remove(name)
    assert to_go_on_from(files) is None
    error = refused(job, files)
    assert (error.code, str(error.place)) == ("savepoint-left", "checkpoints/2")


def test_a_savepoint_that_is_left_does_not_hinder_a_job_that_has_begun_anew(tmp_path: Path) -> None:
    job = job_in(tmp_path, records=60)
    cut = CutAtKind("savepoint")
    runner = Runner(job, cut)
    with pytest.raises(ProcessEnds):
        runner.run(lambda _: ask_at_once(runner))
    files = copy_of(cut)
    assert Runner(job, files).start.checkpoint is None
    assert CheckpointStore(files).is_left(1)
    Runner(job, files).run()
    assert output(files) == expected(tmp_path)


def test_a_copy_of_a_copy_tells_of_both(tmp_path: Path) -> None:
    """Two processes were killed before they could tell of theirs."""
    job = job_in(tmp_path, retained=1)
    files, number = with_savepoint(job)
    savepoint = on_disk(files, tmp_path / "old") / "checkpoints" / str(number)
    state = tmp_path / "state"
    first = Runner(job, DiskFiles(state), Orders(savepoint=savepoint)).start.last_number
    for words in (3, 1):
        job = job_in(tmp_path, retained=1, words=words)
        again = Runner(job, DiskFiles(state))
    number_now = again.start.last_number
    assert number_now == first + 2
    run(job, state)
    log = read_log((state / LOG).read_text().splitlines())
    assert log.sections[0].start["copied"] == {
        "of": first + 1,
        "why": "shape",
        "chain": [[first, number, "elsewhere"], [first + 1, first, "shape"]],
    }


def test_a_job_that_is_started_again_is_not_over_when_power_is_lost(tmp_path: Path) -> None:
    """The mark of its end was removed, and must not come back."""
    job = job_in(tmp_path, records=1000)
    state = tmp_path / "state"
    number = run(job, state, None, Orders(CheckpointKind.DRAIN)).checkpoint
    files = WatchedFiles(state)
    files.safe = {name: len(files.read(name)) for name in files.under("")}
    ends = []
    files.look = lambda _: ends.append(end_of(files))
    Runner(job, files, Orders(savepoint=state / "checkpoints" / str(number)))
    assert ends[0] == "drained"
    files.lose_power(state)
    assert end_of(files) is None
    assert run(job, state).end is RunEnd.FINISHED
    assert words_in(state) == expected(tmp_path)


def test_a_savepoint_that_cannot_be_read_stays(tmp_path: Path) -> None:
    """It may have been written by a later version."""
    job = job_in(tmp_path, retained=1, records=60)
    files = CutAtKind("savepoint")
    runner = Runner(job, files)
    with pytest.raises(ProcessEnds):
        runner.run(lambda _: ask_for_savepoint(runner))
    number = max(CheckpointStore(files).complete_ones())
    name = f"checkpoints/{number}/metadata.json"
    files.write(name, files.read(name).replace(b'"format": 2', b'"format": 3'))
    saved = {each: files.read(each) for each in files.under(f"checkpoints/{number}")}
    rest = copy_of(files)
    Runner(job, rest, Orders(stop=CheckpointKind.SUSPEND)).run()
    Runner(job_in(tmp_path, retained=1, records=10), rest).run()
    assert len(CheckpointStore(rest).complete_ones()) > 1
    kept = {each: rest.read(each) for each in rest.under(f"checkpoints/{number}")}
    assert kept in (
        saved,
        {each.replace("metadata", "metadata.refused"): saved[each] for each in saved},
    )


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
    assert words_in(state.root) == expected(tmp_path)


def test_after_a_drain_nothing_more_is_read(tmp_path: Path) -> None:
    """The run ends when the savepoint is complete, and before its transactions are committed."""
    job = job_in(tmp_path, records=1000)
    wanted = expected(tmp_path)
    files = CutAtKind("drain")
    with pytest.raises(ProcessEnds):
        Runner(job, files, Orders(stop=CheckpointKind.DRAIN)).run()
    assert files.under("pending")
    with (tmp_path / "texts" / "a").open("a") as text:
        text.write("more\n")
    Runner(job, rest := copy_of(files)).run()
    assert output(rest) == wanted


KEEPING = """
seconds = 1000

[operators.rows]
kind = "ndjson"
path = "rows/*"
on-bad = "keep"
parallelism = {}

[operators.out]
kind = "exactly-once"
from = ["rows"]
"""


@pytest.mark.parametrize("later", [2, 1])
def test_what_was_kept_of_bad_lines_outlives_a_drain_that_is_cut(
    tmp_path: Path, later: int
) -> None:
    """The sources are at their end, and what they had put aside is not committed yet."""
    (tmp_path / "rows").mkdir()
    for name in "ab":
        (tmp_path / "rows" / name).write_text(
            f'{{"{name}": 1}}\nbad {name}\n{{"{name}": 2}}\nbad\n'
        )
    (tmp_path / "job.toml").write_text(KEEPING.format(2))
    before = read_job(tmp_path / "job.toml")
    (tmp_path / "job.toml").write_text(KEEPING.format(later))
    after = read_job(tmp_path / "job.toml")
    moments = FaultyFiles(MemoryFiles())
    Runner(before, moments, Orders(stop=CheckpointKind.DRAIN)).run()
    assert moments.moments > 30
    for at in range(moments.moments):
        files = MemoryFiles()
        with pytest.raises(ProcessEnds):
            Runner(before, FaultyFiles(files, at), Orders(stop=CheckpointKind.DRAIN)).run()
        Runner(after, files).run()
        bad = [line for name in files.under("bad") for line in files.read(name).splitlines()]
        assert (at, len(bad), output(files).total()) == (at, 4, 4)


class CutAtKind(MemoryFiles):
    """The process ends when a savepoint of a kind is complete."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def rename(self, old: str, new: str) -> None:
        super().rename(old, new)
        if f'"kind": "{self.kind}"'.encode() in self.contents[new]:
            raise ProcessEnds
