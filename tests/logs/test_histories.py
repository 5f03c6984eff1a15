"""Histories of checkpoints that are read off logs agree with what the coordinator itself kept."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from finale.checker.logs.read.job_runs import JobRun
from finale.checker.logs.replay.checkpoint_history import JobHistory, history_of
from finale.model.protocols.coordinator.checkpoints import ABORTED, COMPLETED, PENDING

from .archive import SAMPLES, archives, each_run, needs_archives, sample, samples, truths
from .edits import edited, replaced, validated

_FATES = {"COMPLETED": COMPLETED, "FAILED": ABORTED, "IN_PROGRESS": PENDING}
#: Ids that were given away and of whose begin no line tells: the run, and the ids.
UNSEEN = {"bounded-01": {6}, "race-conc-03": {4}}


def differences(name: str, history: JobHistory, job: Mapping[str, Any]) -> list[object]:
    """Where a history is not what the coordinator's own one says."""
    found: list[object] = []
    if history.state != job["final_state"]:
        found.append(("state", history.state, job["final_state"]))
    rest = job.get("checkpoints_rest")
    told = rest["counts"] if rest else job["checkpoints"]
    listed = rest["history"] if rest else job["checkpoints"]["history"]
    for word, fate in _FATES.items():
        ids = {each["id"] for each in listed if each["status"] == word} - UNSEEN.get(name, set())
        own = set(history.with_fate(fate))
        # The history that is asked for over the network has the newest ten.
        if own != ids and not (rest and ids <= own and len(listed) >= 10):
            found.append((word, own, ids))
    counts = (len(history.with_fate(COMPLETED)), history.failed, len(history.restored))
    if counts != (told["completed"], told["failed"], told["restored"]):
        found.append((counts, told))
    kinds = {each["id"]: each["type"] for each in listed if "type" in each}
    for point in history.checkpoints.values():
        if point.kind not in (None, kinds.get(point.number, point.kind)):
            found.append(("kind", point.number, point.kind))
    return found


def compared(name: str, runs: list[JobRun], truth: Mapping[str, Any]) -> list[object]:
    histories = {run.job: history_of(run) for run in runs}
    jobs = {job["job_id"]: job for job in truth["jobs"]}
    if set(histories) != set(jobs):
        return [("jobs", set(histories), set(jobs))]
    return [each for job, history in histories.items() for each in
            differences(name, history, jobs[job])]  # fmt: skip


def test_the_samples_agree() -> None:
    known = truths(str(SAMPLES))
    assert len(samples()) == 19
    for name, (runs, _, _) in samples().items():
        assert compared(name, runs, known[name]) == [], name


@pytest.mark.slow
@needs_archives
def test_all_runs_agree() -> None:
    number = 0
    for path in archives():
        known = truths(path)
        for name, runs, homeless, tally in each_run(path):
            assert compared(name, runs, known[name]) == [], name
            assert tally.unparsable == 0, name
            assert len(homeless) <= 1, name
            number += 1
    assert number == 140


def test_two_jobs_of_one_log_are_two_runs() -> None:
    first, second = map(history_of, sample("stop-restore-01"))
    assert first.job != second.job
    (savepoint,) = (each for each in first.checkpoints.values() if "Savepoint" in (each.kind or ""))
    assert savepoint.fate is COMPLETED
    assert second.restored == (savepoint.number,)
    assert min(second.checkpoints) == savepoint.number + 1


def test_logs_of_three_processes_are_one_run() -> None:
    (run,) = sample("multi-cancel-01")
    assert {event.log_event.log for event in run.events} == {0, 1, 2}
    assert history_of(run).state == "CANCELED"


def test_a_checkpoint_that_is_given_up_twice_is_one_checkpoint() -> None:
    (run,) = sample("concurrent-01")
    history = history_of(run)
    assert history.given_up == len(history.with_fate(ABORTED)) + 1


def test_events_without_a_name_are_of_the_task_whose_thread_it_was() -> None:
    (run,) = sample("H7-00")
    waiting = {event.task.vertex for event in run.events if event.word == "waits" and event.task}
    assert waiting == {"Source: src0", "Source: src1", "slow"}


def test_without_threads_they_are_of_none() -> None:
    (run,) = sample("defaultlayout-00")
    waits = [event for event in run.events if event.word == "waits"]
    assert waits
    assert all(event.task is None for event in waits)


def test_a_restart_from_nothing_is_a_restart(tmp_path: Path) -> None:
    """The line at the start of a job, before its tasks, tells of none."""
    for name, restarts in (("H16-04", 0), ("H12-00", 1)):
        job, ran = validated(tmp_path, edited(name))
        assert job["restarts"] == restarts
        assert ("1 restart" in ran.stdout) == bool(restarts)
    from_nothing = replaced("Restoring job .*", "No checkpoint found during restore.")
    job, ran = validated(tmp_path, edited("H12-00", from_nothing))
    assert (job["restored"], job["restarts"]) == ([], 1)
    assert "1 restart" in ran.stdout
