"""Logs that end within a stop: `finale validate` and `finale blocked` name what holds the stop.

The logs are those of a real run that was stopped with success (checkpoints 1 and 2, savepoint 3,
then checkpoint 4), changed where the protocol can go wrong.
"""

import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.running import run

from .edits import (
    Edit,
    at_info,
    dropped,
    edited,
    found,
    inserted,
    number,
    until,
    validated,
    without_threads,
)

_MAP = "map (1/2)#0"
_EXECUTION = "19bc282d2b6c714fdaf85349ac583ccb_23ab3a59b17e9c45f95cff4c728611fc_0_0"
_JOB = "95cf26e6833a8e236cc8a433e8ef9f68"
_COORDINATOR = "org.apache.flink.streaming.runtime.tasks.SubtaskCheckpointCoordinatorImpl"
_CHECKPOINTS = "org.apache.flink.runtime.checkpoint"
_HEARS = r"Notification of checkpoint COMPLETE 3 for task map \(1/2\)#0"
_BEGINS = r"Starting checkpoint 3 .* on task map \(1/2\)#0"
_COMPLETED = r"Completed checkpoint 3 for job"
#: What the task would do after its release, and all that waits for it.
_LEAVES = (
    r"(\[|- |for )map \(1/2\)(#0)?\]? .*(All pending|FINISHED|Waiting for all|Cleanup Stream)"
    r"|Finished (task|operators for task) map \(1/2\)"
    r"|(Freeing task resources|Release task|Closing channelStateWriter|are closed) .*map \(1/2\)"
)


def _notified(what: str, checkpoint: int) -> str:
    return (
        f"DEBUG {_COORDINATOR} [{_MAP}] - Notification of checkpoint {what} {checkpoint} "
        f"for task {_MAP}"
    )


def _hung(*edits: Edit) -> list[str]:
    """The run, in which one task does not leave, until all sources have."""
    finished = r"ExecutionGraph .* Source: src0 \(2/2\) .* switched from RUNNING to FINISHED"
    return edited("H16-04", *edits, dropped(_LEAVES, _COMPLETED), until(finished))


def _told(lines: list[str], folder: Path) -> str:
    """What `finale blocked` prints of a log, without line breaks."""
    job, _ = validated(folder, lines)
    assert job["coverage"] == "truncated"
    ran = run("blocked flink.log", folder, columns=2000)
    assert ran.exit == 0
    return ran.stdout


def test_a_confirmation_that_a_newer_one_has_overtaken(tmp_path: Path) -> None:
    lines = _hung(inserted(_HEARS, _notified("COMPLETE", 4)), dropped(_HEARS))
    newer = number(lines, r"COMPLETE 4 for task map \(1/2\)")
    job, told = validated(tmp_path, lines)
    (each,) = found(job, "stuck")["stop-is-answered"]
    assert each["line"] == number(lines, "Triggering stop-with-savepoint")
    assert f"savepoint 3 completed at line {number(lines, _COMPLETED)}" in each["why"]
    why = f"heard of the newer checkpoint 4 first (line {newer}), so it drops the confirmation of"
    assert f"map (1/2): {why} savepoint 3" in each["why"]
    assert told.exit == 1
    assert why in _told(lines, tmp_path)


def test_a_stop_that_a_restart_has_forgotten_takes_no_savepoint_of_another(tmp_path: Path) -> None:
    """The job restarts before the first stop has a savepoint. The savepoint is the second stop's,
    which hangs."""
    lines = _hung(inserted(_HEARS, _notified("COMPLETE", 4)), dropped(_HEARS))
    asked = number(lines, "Triggering stop-with-savepoint") - 1
    (runs,) = (each for each in lines if re.search("Job .* CREATED to RUNNING", each))
    restarts = (
        runs.replace("CREATED to RUNNING", each)
        for each in ("RUNNING to RESTARTING", "RESTARTING to RUNNING")
    )
    lines[asked:asked] = [lines[asked], *restarts]
    job, told = validated(tmp_path, lines)
    (each,) = found(job, "stuck")["stop-is-answered"]
    assert each["line"] == asked + 4
    assert told.exit == 1


def test_a_confirmation_that_the_mailbox_drops(tmp_path: Path) -> None:
    lost = (
        "DEBUG org.apache.flink.runtime.taskmanager.Task [x] - Notify checkpoint COMPLETE} 3 for "
        f"{_MAP} ({_EXECUTION}) was rejected by the mailbox."
    )
    lines = _hung(inserted(_HEARS, lost), dropped(_HEARS))
    why = "its mailbox dropped the confirmation of savepoint 3 at line "
    why += str(number(lines, r"Notify checkpoint COMPLETE\} 3"))
    job, _ = validated(tmp_path, lines)
    assert f"map (1/2): {why}" in found(job, "stuck")["stop-is-answered"][0]["why"]
    assert why in _told(lines, tmp_path)


def _later(lines: list[str], seconds: int) -> str:
    """A line of no event, so many seconds after the savepoint completed."""
    (completed,) = (each for each in lines if re.search(_COMPLETED, each))
    time = datetime.fromisoformat(completed[:23].replace(",", ".")) + timedelta(seconds=seconds)
    stamp = time.isoformat(" ", "milliseconds").replace(".", ",")
    return f"{stamp} INFO  org.example.Other [main] - still here"


def test_a_confirmation_that_is_lost_on_its_way(tmp_path: Path) -> None:
    """Others have heard and left since, and a call does not take so long: it is overdue."""
    arrives = rf"Confirm completed checkpoint 3@.* for {_EXECUTION}"
    lines = _hung(dropped(_HEARS), dropped(arrives))
    why = "no line tells that the confirmation of savepoint 3 has arrived"
    lines.append(_later(lines, 10))
    job, told = validated(tmp_path, lines)
    assert f"map (1/2): {why}" in found(job, "overdue")["stop-is-answered"][0]["why"]
    assert told.exit == 1
    assert why in _told(lines, tmp_path)


def test_a_confirmation_that_comes_after_others_have_left_is_not_overdue(tmp_path: Path) -> None:
    """A log of a run without faults can end there, and says what is still missing."""
    arrives = rf"Confirm completed checkpoint 3@.* for {_EXECUTION}"
    lines = _hung(dropped(_HEARS), dropped(arrives))
    lines.append(_later(lines, 9))
    job, told = validated(tmp_path, lines)
    assert found(job, "violated", "stuck", "overdue") == {}
    why = "map (1/2): no line tells that the confirmation of savepoint 3 has arrived"
    assert why in found(job, "open")["stop-is-answered"][0]["why"]
    assert told.exit == 0


def test_digits_that_are_no_time_say_nothing_of_how_long_a_stop_waits(tmp_path: Path) -> None:
    arrives = rf"Confirm completed checkpoint 3@.* for {_EXECUTION}"
    lines = _hung(dropped(_HEARS), dropped(arrives))
    lines.append("9999-99-99 99:99:99,999" + _later(lines, 10)[23:])
    job, _ = validated(tmp_path, lines)
    assert "overdue" not in {each["severity"] for each in job["findings"]}
    assert found(job, "open")["stop-is-answered"]


def test_an_abort_that_comes_before_its_stop(tmp_path: Path) -> None:
    aborted = (
        f"WARN  {_CHECKPOINTS}.CheckpointFailureManager [x] - Failed to trigger or complete "
        f"checkpoint 3 for job {_JOB}. (0 consecutive failed attempts so far)"
    )
    refuses = (
        f"INFO  {_COORDINATOR} [{_MAP}] - Checkpoint 3 has been notified as aborted, would not "
        "trigger any checkpoint."
    )
    before = r"Triggering checkpoint 3 "
    others = r"Starting checkpoint 3 .* on task (?!map \(1/2\))"
    lines = edited(
        "H16-04",
        inserted(_BEGINS, refuses),
        inserted(before, _notified("ABORT", 3)),
        inserted(before, aborted),
        until("would not trigger any checkpoint"),
    )
    job, _ = validated(tmp_path, lines)
    assert found(job, "stuck") == {}, "other tasks had begun it: they fail, and the job restarts"
    lines = [each for each in lines if re.search(others, each) is None]
    why = (
        f"heard of the abort of savepoint 3 (line {number(lines, 'ABORT 3 for task')}) before its "
        f"stop (line {number(lines, _BEGINS)}), so it waits for a savepoint that never completes"
    )
    job, told = validated(tmp_path, lines)
    assert f"map (1/2): {why}" in found(job, "stuck")["failed-stop-leaves-a-job"][0]["why"]
    assert told.exit == 1
    assert why in _told(lines, tmp_path)
    _at_info(lines, tmp_path)


def _at_info(lines: list[str], folder: Path) -> None:
    """Whether another task fails by the abort is not told at INFO; that checkpoints go on is."""
    (trigger,) = (each for each in lines if "Triggering checkpoint 2 (" in each)
    on = trigger.replace("Triggering checkpoint 2 ", "Triggering checkpoint 4 ")
    for change, name in (
        (at_info, "map (1/2)"),
        (lambda e: without_threads(at_info(e)), "some task"),
    ):
        told = f"{name}: begins savepoint 3 of the stop after its abort (line "
        job, _ = validated(folder, change(lines))
        (each,) = found(job, "open")["failed-stop-leaves-a-job"]
        assert told in each["why"]
        job, _ = validated(folder, change([*lines, lines[-1][:24] + on[24:]]))
        (each,) = found(job, "overdue")["failed-stop-leaves-a-job"]
        assert told in each["why"]


@pytest.mark.parametrize("name", ["map (1/2)", "some task"])
def test_a_savepoint_that_a_newer_checkpoint_has_overtaken(name: str, tmp_path: Path) -> None:
    overtaken = (
        f"INFO  {_COORDINATOR} [{_MAP}] - Out of order checkpoint barrier (aborted previously?): "
        "4 >= 3"
    )
    lines = edited("H16-04", inserted(_BEGINS, overtaken), until("Out of order checkpoint"))
    lines = lines if name != "some task" else without_threads(at_info(lines))
    why = "had begun checkpoint 4 before savepoint 3 and drops its part of it (line "
    why += f"{number(lines, 'Out of order')}, out of order), so the savepoint can only expire"
    job, told = validated(tmp_path, lines)
    assert f"{name}: {why}" in found(job, "stuck")["stop-is-answered"][0]["why"]
    assert told.exit == 1
    assert why in _told(lines, tmp_path)


def test_a_log_that_is_cut_within_a_stop_is_not_hung(tmp_path: Path) -> None:
    """Wherever that is: it is said how far the stop has come, and that nothing is wrong."""
    lines = edited("H16-04")
    first = number(lines, "Triggering stop-with")
    last = number(lines, "Job .* RUNNING to FINISHED")
    for end in range(first, last - 1, 12):
        job, told = validated(tmp_path, lines[:end])
        assert found(job, "violated", "stuck", "overdue") == {}, end
        assert told.exit == (3 if job["needs"] else 0)
        (each,) = found(job, "open")["stop-is-answered"]
        assert each["line"] == first
        assert "savepoint" in each["why"]
        assert "pending when the log ends" in told.stdout


def test_at_info_the_log_says_what_would_tell_more(tmp_path: Path) -> None:
    lines = at_info(_hung(inserted(_HEARS, _notified("COMPLETE", 4)), dropped(_HEARS)))
    job, _ = validated(tmp_path, lines)
    (each,) = found(job, "open")["stop-is-answered"]
    assert f"savepoint 3 completed at line {number(lines, _COMPLETED)}" in each["why"]
    assert "who has heard of it is not decided at this log level" in each["why"]
    told = _told(lines, tmp_path)
    assert "not decided at this log level (needs DEBUG of SubtaskCheckpointCoordinatorImpl" in told
    assert "has not come to the end" not in told
    assert "not all of its inputs" not in told


def test_a_stop_that_hung_until_the_job_was_cancelled_is_named(tmp_path: Path) -> None:
    switched = (
        "INFO  org.apache.flink.runtime.executiongraph.ExecutionGraph [x] - Job H16-04 "
        f"({_JOB}) switched from state "
    )
    lines = _hung(inserted(_HEARS, _notified("COMPLETE", 4)), dropped(_HEARS))
    time = lines[-1][:24]
    lines += [f"{time}{switched}RUNNING to CANCELLING."]
    lines += [f"{time}{switched}CANCELLING to CANCELED."]
    job, told = validated(tmp_path, lines)
    assert job["state"] == "CANCELED"
    assert "drops the confirmation" in found(job, "stuck")["stop-is-answered"][0]["why"]
    assert told.exit == 1


def test_at_info_a_stop_whose_savepoint_completed_has_no_answer(tmp_path: Path) -> None:
    """No task has ended since, and the log ends: the row says so, and which logger tells why."""
    lines = at_info(edited("H16-04", until(_COMPLETED)))
    job, told = validated(tmp_path, lines)
    (each,) = found(job, "unanswered")["stop-is-answered"]
    assert each["line"] == number(lines, "Triggering stop-with")
    assert f"savepoint 3 completed at line {number(lines, _COMPLETED)}" in each["why"]
    assert "(needs DEBUG of SubtaskCheckpointCoordinatorImpl)" in each["why"]
    assert "No task has ended since, and nothing else goes on" in each["why"]
    assert "RUNNING, 1 property unanswered" in told.stdout
    assert told.exit == 3


def _slowly(pattern: str, minutes: int) -> Edit:
    """All that follows the first line that fits comes so many minutes later."""

    def later(line: str) -> str:
        if not re.match(r"\d{4}-\d\d-\d\d ", line):
            return line
        time = datetime.fromisoformat(line[:23].replace(",", ".")) + timedelta(minutes=minutes)
        return time.isoformat(" ", "milliseconds").replace(".", ",") + line[23:]

    def edit(lines: list[str]) -> list[str]:
        first = number(lines, pattern)
        return [*lines[:first], *map(later, lines[first:])]

    return edit


@pytest.mark.parametrize("behind", [_COMPLETED, "Triggering checkpoint 3 "])
def test_a_stop_that_takes_ten_minutes_is_not_hung(behind: str, tmp_path: Path) -> None:
    for change in (list, at_info):
        job, _ = validated(tmp_path, change(edited("H16-04", _slowly(behind, 10))))
        assert job["state"] == "FINISHED"
        assert "stop-is-answered" not in found(job)


_SWITCHED = (
    "INFO  org.apache.flink.runtime.executiongraph.ExecutionGraph [x] - Job H16-04 "
    f"({_JOB}) switched from state "
)


def _expires(*states: str) -> list[str]:
    """The savepoint of the stop expires, and the job goes through some states."""
    lines = edited("H16-04", until(r"finished synchronous part of checkpoint 3"))
    time = lines[-1][:24]
    lines += [
        f"{time}INFO  {_CHECKPOINTS}.CheckpointCoordinator [Checkpoint Timer] - "
        f"Checkpoint 3 of job {_JOB} expired before completing.",
        f"{time}WARN  {_CHECKPOINTS}.CheckpointFailureManager [Checkpoint Timer] - Failed to "
        f"trigger or complete checkpoint 3 for job {_JOB}. (0 consecutive failed attempts so far)",
        f"{_CHECKPOINTS}.CheckpointException: Checkpoint expired before completing.",
    ]
    return [*lines, *(f"{time}{_SWITCHED}{each}." for each in states)]


def test_a_stop_that_hung_until_its_savepoint_expired_is_named(tmp_path: Path) -> None:
    lines = _expires("RUNNING to RESTARTING")
    for change in (list, at_info):
        changed = change(lines)
        job, told = validated(tmp_path, changed)
        (each,) = found(job, "recovered")["stop-is-answered"]
        assert each["until"] == number(changed, "Failed to trigger or complete checkpoint 3")
        assert f"has expired at line {number(changed, 'expired before')}" in each["why"]
        assert told.exit == 1


def test_a_stop_that_ends_with_the_failure_of_the_job_has_not_recovered(tmp_path: Path) -> None:
    job, _ = validated(tmp_path, _expires("RUNNING to FAILING", "FAILING to FAILED"))
    assert job["state"] == "FAILED"
    assert "stop-is-answered" in found(job, "stuck")
    assert found(job, "recovered") == {}
