"""Runs that have it hard: checkpoints all the time, ends amid a start, calls that never come."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.reference.coordinator import CheckpointKind
from finale.reference.formats.faultlist import PlannedFault
from finale.reference.formats.files import MemoryFiles
from finale.reference.formats.jobfile import read_job
from finale.reference.runner import Orders, RunEnd, Runner, RunProgress, run
from tests.reference.small_jobs import cut_off, expected, job_in, output, words_in


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 40)


@pytest.mark.parametrize(
    ("kind", "end"),
    [(CheckpointKind.DRAIN, RunEnd.DRAINED), (CheckpointKind.SUSPEND, RunEnd.SUSPENDED)],
)
def test_a_stop_comes_though_a_checkpoint_is_always_due(
    tmp_path: Path, kind: CheckpointKind, end: RunEnd
) -> None:
    job, files, turns = replace(job_in(tmp_path), seconds=0.0), MemoryFiles(), 0

    def look(_: RunProgress) -> None:
        nonlocal turns
        turns += 1
        assert turns < 2_000, "it never ends"

    ended = Runner(job, files, Orders(kind)).run(look)
    assert ended.end is end
    assert ended.completed > 1
    assert output(files) == expected(tmp_path)


def test_a_start_from_a_savepoint_that_is_killed_is_still_one(tmp_path: Path) -> None:
    """The next process starts from it as long as its copy is not complete, and from that then."""
    job = job_in(tmp_path)
    stopped = run(job, tmp_path / "first", orders=Orders(CheckpointKind.SUSPEND))
    newest = tmp_path / "first" / "checkpoints" / str(stopped.checkpoint)
    (tmp_path / "texts" / "later").write_text("later and later\n" * 30)
    job = read_job(tmp_path / "job.toml")
    wanted = Counter({"later": 60, "and": 30})
    for nth in (1, 3, 6, 8, 10, 11, 12, 14):
        state, fault = tmp_path / f"{nth}", PlannedFault("killed", nth=nth)
        ended = run(job, state, orders=Orders(savepoint=newest, faults=(fault,)))
        assert ended.end is RunEnd.FINISHED
        assert ended.struck == (1,)
        assert words_in(state) == wanted, nth


def test_a_job_that_waits_for_what_was_lost_is_told_so(tmp_path: Path) -> None:
    job, state = job_in(tmp_path), tmp_path / "state"
    lost = PlannedFault("lost", message="confirmation", after="request_stop", task="out")
    with pytest.raises(FinaleError) as caught:
        run(job, state, orders=Orders(CheckpointKind.SUSPEND, faults=(lost,)))
    assert caught.value.code == "job-stuck"
    assert "out (finishing)" in str(caught.value)
    assert run(job, state).end is RunEnd.FINISHED
    assert words_in(state) == expected(tmp_path)


def test_what_a_task_wrote_that_is_no_more_is_dropped(tmp_path: Path) -> None:
    """No checkpoint was ever complete: what two sinks had pending is nobody's."""
    files = cut_off(job_in(tmp_path, out=2), "pending/out.1-1")
    assert files.under("pending")
    ended = Runner(job_in(tmp_path, out=1), files).run()
    assert ended.uncommitted == 0
    assert not files.under("pending")
    assert not files.under("staging")
    assert output(files) == expected(tmp_path)
