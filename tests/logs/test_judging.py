"""What `finale validate` says of logs that are changed: nothing that their lines do not show."""

from pathlib import Path

from .edits import (
    at_info,
    dropped,
    edited,
    found,
    inserted,
    moved,
    number,
    validated,
    without_threads,
)

_COORDINATOR = "org.apache.flink.streaming.runtime.tasks.SubtaskCheckpointCoordinatorImpl"
_TASK = "org.apache.flink.runtime.taskmanager.Task"
_RELEASE = r"\[{}\] - All pending checkpoints are finished"


def _completes(task: str, checkpoint: int) -> str:
    return (
        f"DEBUG {_COORDINATOR} [{task}] - Notification of checkpoint COMPLETE {checkpoint} "
        f"for task {task}"
    )


def test_a_task_that_hears_of_a_newer_checkpoint_was_released_by_its_savepoint(
    tmp_path: Path,
) -> None:
    """Between its release and the line that tells it a task may hear of more."""
    task = "Source: src0 (2/2)#0"
    heard = r"Notification of checkpoint COMPLETE 3 for task Source: src0 \(2/2\)#0"
    job, _ = validated(tmp_path, edited("H16-04", inserted(heard, _completes(task, 4))))
    assert "only-its-savepoint-releases" not in found(job)
    assert "only-its-savepoint-releases" not in job["decided"]


def test_a_task_that_is_canceled_was_not_released(tmp_path: Path) -> None:
    task = "map (1/2)#0"
    execution = "19bc282d2b6c714fdaf85349ac583ccb_23ab3a59b17e9c45f95cff4c728611fc_0_0"
    cancel = f"INFO  {_TASK} [x] - {task} ({execution}) switched from RUNNING to CANCELING."
    heard = r"Notification of checkpoint COMPLETE {} for task map \(1/2\)#0"
    begins = r"Starting checkpoint 3 .* on task map \(1/2\)#0"
    lines = edited(
        "H16-04",
        moved(heard.format(2), begins),
        inserted(heard.format(3), cancel),
        dropped(heard.format(3)),
    )
    job, _ = validated(tmp_path, lines)
    assert "only-its-savepoint-releases" not in found(job)


def test_a_release_by_another_checkpoint_shows(tmp_path: Path) -> None:
    """All that the task has heard of, since it began the savepoint and before, is another one."""
    heard = r"Notification of checkpoint COMPLETE {} for task map \(1/2\)#0"
    lines = edited(
        "H16-04",
        dropped(heard.format(1)),
        dropped(heard.format(2)),
        inserted(heard.format(3), _completes("map (1/2)#0", 4)),
        dropped(heard.format(3)),
    )
    job, _ = validated(tmp_path, lines)
    (each,) = found(job, "violated")["only-its-savepoint-releases"]
    assert each["binding"] == {"task": "map (1/2)"}
    assert each["line"] == number(lines, heard.format(4))


def test_what_completes_after_the_decision_to_restore_is_not_newer(tmp_path: Path) -> None:
    """Which checkpoint is restored is decided where it is told, not where a task runs again."""
    runs = r" map1 \(1/2\)(#1)? \(\w+_1\) switched from INITIALIZING to RUNNING"
    lines = edited("H2-08", moved(runs, r"Completed checkpoint 5 for job"))
    job, _ = validated(tmp_path, lines)
    assert "restores-newest" not in found(job)
    assert "restores-newest" in job["decided"]


def test_what_is_stuck_to_the_end_stays_so(tmp_path: Path) -> None:
    job, _ = validated(tmp_path, edited("H4-00"))
    assert set(found(job, "stuck")) == {"checkpoints-go-on", "waiting-task-closes"}


def test_what_recovers_is_not_stuck(tmp_path: Path) -> None:
    """Five aborts in a row are followed by a completion; a task still waits when the log ends."""
    job, told = validated(tmp_path, _recovered())
    assert set(found(job, "stuck")) == {"waiting-task-closes"}
    (each,) = found(job, "recovered")["checkpoints-go-on"]
    lines = _recovered()
    assert each["until"] == number(lines, "Completed checkpoint 7 for job")
    assert f"until line {each['until']}" in told.stdout
    assert "1 property stuck, 1 property stuck for a while" in told.stdout
    assert told.exit == 1


def _recovered() -> list[str]:
    """H4-00 where checkpoint 7 completes."""
    aborted = r"WARN .*CheckpointFailureManager \[.*Failed to trigger or complete checkpoint 7 for"
    lines = edited("H4-00")
    place = number(lines, aborted) - 1
    job = lines[place].rpartition(" for job ")[2].split()[0].rstrip(".")
    lines[place] = (
        f"{lines[place][:24]}INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator "
        f"[x] - Completed checkpoint 7 for job {job} (1 bytes, checkpointDuration=1 ms, "
        "finalizationTime=0 ms)."
    )
    return lines[: number(lines, r"Triggering checkpoint 9 ")]


# --- decided, and not -----------------------------------------------------------------------------


def test_at_info_the_row_says_which_level_would_decide(tmp_path: Path) -> None:
    """At DEBUG this log shows a task that ends without its final checkpoint; at INFO it cannot."""
    drop = dropped(r"finished synchronous part of checkpoint", "map")
    lines = edited("race-00", drop)
    job, _ = validated(tmp_path, lines)
    assert "closed-after-final-checkpoint" in found(job, "violated")
    job, told = validated(tmp_path, edited("race-00", drop, at_info))
    assert found(job, "violated", "stuck") == {}
    assert told.exit == 3, "as DEBUG shows, this log must not pass"
    assert told.stdout.startswith("? race-00: FINISHED\n")
    assert "not decided at this log level: closed-after-final-checkpoint" in told.stdout
    assert "this needs DEBUG of CheckpointCoordinator, DEBUG of StreamTask" in told.stdout
    levels = job["needs"]["closed-after-final-checkpoint"]
    assert "DEBUG of SubtaskCheckpointCoordinatorImpl" in levels
    assert not set(job["needs"]) & set(job["decided"])
    assert set(job["needs"]) <= set(job["undecided"])


def test_what_is_said_to_need_a_level_is_decided_at_that_level(tmp_path: Path) -> None:
    asked, decided = set[str](), set[str]()
    for name in ("race-00", "H16-04", "H4-01", "stop-race-06", "H2-08"):
        full, _ = validated(tmp_path, edited(name))
        less, _ = validated(tmp_path, edited(name, at_info))
        assert full["needs"] == {}
        decided |= set(full["decided"])
        asked |= set(less["needs"])
        assert set(less["decided"]) <= set(full["decided"])
    assert len(asked) == 8
    assert asked <= decided


def test_what_asks_for_more_with_the_other_value_is_undecided(tmp_path: Path) -> None:
    """Without threads a running task may be one that waits for a completion, and no line tells
    whether the completion releases the task."""
    job, _ = validated(tmp_path, edited("race-00", without_threads))
    assert "no-release-is-dropped" in job["undecided"]


def test_without_threads_the_row_says_so(tmp_path: Path) -> None:
    job, told = validated(tmp_path, edited("race-00", without_threads))
    assert job["needs"]["waiting-task-closes"] == ["thread names in the layout"]
    assert told.stdout.startswith("? race-00: FINISHED\n")


def test_a_job_in_which_no_task_waits_is_not_asked_for_final_checkpoints(tmp_path: Path) -> None:
    """As with checkpoints after tasks have finished disabled: `--accept` reads that, too.

    Whether the last checkpoint of a task came after its last record no line tells.
    """
    waits = r"Waiting for all the records|All pending checkpoints are finished"
    job, told = validated(tmp_path, edited("race-00", dropped(waits)))
    assert "closed-after-final-checkpoint" not in job["decided"]
    assert "closed-after-final-checkpoint" not in job["undecided"]
    assert told.exit == 3
    assert told.stdout.startswith("? race-00: FINISHED\n")
    assert "not decided by these lines: finish-before-close" in told.stdout


def test_a_property_that_was_undecided_once_is_not_decided(tmp_path: Path) -> None:
    """Of one task it is not told that it waited; of the others it is."""
    drop = dropped(r"\[Source: src0 \(1/\d\)#0\] - Waiting for all the records")
    job, _ = validated(tmp_path, edited("race-00", drop))
    assert "closed-after-final-checkpoint" not in job["decided"]


# --- what has not come yet ------------------------------------------------------------------------


def test_what_has_not_come_is_told_apart_from_what_is_overdue(tmp_path: Path) -> None:
    """Checkpoint 6 is pending when the log ends; and then also after checkpoint 7 has completed."""
    lines = _recovered()
    place = number(lines, r"WARN .*Failed to trigger or complete checkpoint 6 for")
    job, told = validated(tmp_path, lines[: place - 1])
    assert set(found(job)) == {"checkpoint-ends", "checkpoints-go-on", "waiting-task-closes"}
    assert {each["severity"] for each in job["findings"]} == {"open"}
    assert told.stdout.count("pending when the log ends") == 3
    assert told.exit == 0
    job, told = validated(tmp_path, lines[: place - 1] + lines[place:])
    (each,) = found(job, "overdue")["checkpoint-ends"]
    assert each["binding"] == {"checkpoint": "checkpoint 6"}
    completed = number(lines, "Completed checkpoint 7 for job") - 1
    assert each["why"] == f"checkpoint 7 has completed at line {completed}, which aborts it"
    assert told.exit == 1


def test_lines_at_debug_that_a_filter_has_removed_accuse_nobody(tmp_path: Path) -> None:
    """Lines at TRACE remain, and do not show that the lines at DEBUG are all there."""

    def filtered(lines: list[str]) -> list[str]:
        return [each for each in lines if each.split(maxsplit=3)[2:3] != ["DEBUG"]]

    lines = edited("bounded-01", filtered)
    assert any(" TRACE " in each for each in lines)
    job, ran = validated(tmp_path, lines)
    assert not found(job)
    assert "counted-finished-are-finished" not in job["decided"]
    assert "DEBUG of CheckpointCoordinator" in ran.stdout
