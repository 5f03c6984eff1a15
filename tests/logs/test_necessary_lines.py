"""`validate --accept` refuses a log that lacks a line which each run leaves.

The search explains the lines that are there, and would do without a step. So these lines are asked
for by themselves. A log that is cut, or whose loggers are silent, lacks lines and is not refused.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.peeling import Peeler
from finale.checker.logs.regularities.necessary_lines import lacking
from tests.cli.running import run

from .archive import FAILOVERS, REQUESTS, SAMPLES, archives, each_run, sample
from .edits import Edit, dropped, edited, found, moved, replaced, validated

_RESTORING = "Restoring job .* from Checkpoint 3 "
_LEARNED = r"ExecutionGraph .* Source: src0 \(1/1\) .* switched from RUNNING to FINISHED"
_RELEASED = r"\[sink: Writer.*All pending checkpoints are finished"

#: By run a change, and what is then refused, and why.
LACKING: dict[str, tuple[str, Edit, str]] = {
    "restored": ("H12-00", dropped(_RESTORING), "starts again, and no line tells from which"),
    "learned": ("H12-00", dropped(_LEARNED), "no line tells that Source: src0 (1/1) has fin"),
    "released": ("H12-00", dropped(_RELEASED), "no line tells that nothing holds sink: Writer"),
    "declined": ("bounded-01", dropped("Decline checkpoint 3 "), "which task has declined check"),
}


@pytest.mark.parametrize("what", LACKING)
def test_a_line_that_each_run_leaves_may_not_be_missing(what: str, tmp_path: Path) -> None:
    name, edit, why = LACKING[what]
    lines = edited(name, edit)
    job, told = validated(tmp_path, lines, "--accept")
    assert job["conforms"]["rejected"], told.stdout
    assert told.exit == 1
    plain, told = validated(tmp_path, lines)
    (finding,) = found(plain, "violated")["necessary-lines"]
    assert why in finding["why"]
    assert finding["binding"]
    assert (told.exit, "that line is missing" in told.stdout) == (1, True)
    cut, _ = validated(tmp_path, lines[: finding["line"] - 1], "--accept")
    assert not cut["conforms"]["rejected"], "what is missing may come"


def test_of_two_attempts_at_once_one_finishes() -> None:
    """Speculative execution of a batch job: the attempt that is behind is canceled."""
    (run,) = sample("H12-00")
    place = max(n for n, each in enumerate(run.events) if each.word == "task-learned")
    last = run.events[place]
    assert last.task is not None
    assert last.log_event.fields["to"] == "FINISHED"
    fields = {**last.log_event.fields, "to": "CANCELED"}
    other = replace(
        last,
        task=replace(last.task, attempt=(last.task.attempt or 0) - 1),
        log_event=replace(last.log_event, fields=fields),
    )
    both = [*run.events[: place + 1], other, *run.events[place + 1 :]]
    assert not [*lacking(replace(run, events=both), shows_release=True)]
    alone = [*run.events[:place], other, *run.events[place + 1 :]]
    assert [*lacking(replace(run, events=alone), shows_release=True)]


@pytest.mark.parametrize("missing", [_RESTORING, _RELEASED, _LEARNED])
def test_a_line_that_cannot_be_read_may_be_the_missing_one(missing: str, tmp_path: Path) -> None:
    """A log with a gap is explained as far as its lines go."""
    lines = edited("H12-00")
    broken = [f"{each[:24]}?" if re.search(missing, each) else each for each in lines]
    assert broken != lines
    job, told = validated(tmp_path, broken, "--accept")
    assert job["coverage"] == "gap"
    assert job["conforms"]["accepted"], told.stdout


def test_the_log_of_the_coordinator_alone_is_enough_to_reject(tmp_path: Path) -> None:
    theirs = dropped(r"\.(Task|TaskExecutor|StreamTask|SubtaskCheckpoint\w+|AsyncCheckpoint\w+) ")
    again = edited("H12-00", theirs)
    place = next(n for n, each in enumerate(again) if "Completed checkpoint 2 " in each)
    for lines in (
        [*again[: place + 1], again[place], *again[place + 1 :]],
        edited("H12-00", theirs, dropped(_RESTORING)),
    ):
        job, told = validated(tmp_path, lines, "--accept")
        assert job["conforms"]["rejected"], told.stdout


def test_a_subtask_that_a_restart_does_without_need_not_finish() -> None:
    """A restart can give a vertex fewer subtasks: the adaptive scheduler does."""
    (run,) = sample("H2-06")
    restarts = next(
        n for n, each in enumerate(run.events) if each.task and (each.task.attempt or 0) > 0
    )
    again = run.events[restarts].task
    assert again is not None
    event = next(
        each
        for each in run.events
        if each.word == "task-learned" and each.task and each.task.vertex == again.vertex
    )
    assert event.task is not None
    third = replace(event.task, subtask=event.task.parallelism, parallelism=99)
    more = replace(event, task=third)
    events = [*run.events[:restarts], more, *run.events[restarts:]]
    assert not [*lacking(replace(run, events=events), shows_release=True)]
    # Of a subtask that the job has at its end, a line must tell it.
    unlearned = replace(run, events=[*run.events[:-1], more, run.events[-1]])
    ((_, _, why),) = lacking(unlearned, shows_release=True)
    assert "has finished" in why


@pytest.mark.parametrize("lines", [5, 12, 100_000])
def test_an_old_coordinator_may_complete_what_a_new_one_restores(
    lines: int, tmp_path: Path
) -> None:
    """It has stored the checkpoint, and writes so late. While a log grows, the new coordinator's
    first line about a task may not be there yet."""
    restoring = "Restoring job .* from Checkpoint 1 "
    late = edited("failover-while-it-completes", moved("Completed checkpoint 1 ", restoring))
    place = next(n for n, each in enumerate(late) if re.search(restoring, each))
    job, _ = validated(tmp_path, late[: place + lines], "--accept")
    assert "restored-after-completion" not in found(job)
    assert not job["conforms"]["rejected"]


def test_a_job_without_a_coordinator_of_checkpoints_is_asked_about_its_requests(
    tmp_path: Path,
) -> None:
    checkpoints = "[Cc]heckpoint|Waiting for all the records"
    whole = edited("H7-00")
    none = [each for each in whole if not re.search(checkpoints, each)]
    job, told = validated(tmp_path, none)
    assert "stop-is-answered" in job["decided"], told.stdout
    # With a scheduler of checkpoints there is a coordinator, and its silent logger is named.
    scheduled = [
        each for each in whole if "DeActivator" in each or not re.search(checkpoints, each)
    ]
    job, told = validated(tmp_path, scheduled)
    assert "INFO of CheckpointCoordinator" in told.stdout


def test_a_job_is_not_restored_from_what_completes_later(tmp_path: Path) -> None:
    early = replaced("from Checkpoint 3 ", "from Checkpoint 4 ")
    job, _ = validated(tmp_path, edited("H12-00", early))
    assert "restored-after-completion" in found(job, "violated")
    # Nor from what nobody has completed, if no line names a checkpoint of another job.
    foreign = replaced("from Checkpoint 3 ", "from Checkpoint 99 ")
    job, _ = validated(tmp_path, edited("H12-00", foreign))
    assert "restored-after-completion" in found(job, "violated")


def test_an_acknowledgement_of_an_attempt_that_nobody_has_is_not_explained(tmp_path: Path) -> None:
    unknown = "0" * 32
    graph = replaced(
        "(Received acknowledge message for checkpoint 2 from task )[0-9a-f]{32}", rf"\g<1>{unknown}"
    )
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "flink.log").write_text("\n".join(edited("H16-04")))
    lines = edited("H12-00", graph)
    job, told = validated(tmp_path, lines, "--accept")
    line = next(n for n, each in enumerate(lines, 1) if unknown in each)
    assert f"line {line}, apply_acknowledgement: no line tells of which" in job["conforms"]["why"]
    assert not job["conforms"]["accepted"]
    assert told.exit == 3
    ran = run("validate flink.log other --accept", tmp_path)
    assert "2 jobs" in ran.stdout


def test_no_real_run_lacks_one() -> None:
    """A run without its beginning may lack them all."""
    jobs = 0
    for archive in (SAMPLES, FAILOVERS, REQUESTS, *archives()):
        for name, runs, _, _ in each_run(str(archive)):
            for each in runs:
                if each.begins:
                    jobs += 1
                    assert not [*lacking(each, shows_release=True)], name
    assert jobs > 20


#: Loggers that a job always has lines of at INFO or below.
_LOGGERS = ("CheckpointCoordinator", "ExecutionGraph", "JobMaster", "Task", "TaskExecutor")


@pytest.mark.parametrize("logger", [*_LOGGERS, "StreamTask", "SubtaskCheckpointCoordinatorImpl"])
@pytest.mark.parametrize(
    "name",
    [
        "H12-00",
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("H16-04", "stop-restore-01")),
    ],
)
def test_a_logger_that_is_silent_contradicts_nothing(
    logger: str, name: str, tmp_path: Path
) -> None:
    """Whether it was set to WARN, or a filter has removed its lines, no line tells."""
    whole, _ = validated(tmp_path, edited(name))
    lines = edited(name, dropped(rf"\.{logger} +\["))
    for flags in ("--accept", f"--accept --loggers {logger}=WARN"):
        job, _ = validated(tmp_path, lines, flags)
        assert {*found(job, "violated")} <= {*found(whole, "violated")}
        assert not job["conforms"]["rejected"]
    assert not {*job["decided"]} - {*whole["decided"]}


def test_tasks_whose_logger_is_off_are_not_called_sound(tmp_path: Path) -> None:
    """Why a task fails, it alone writes."""
    job, _ = validated(tmp_path, edited("stop-race-06"))
    assert "legal-never-fails" in found(job, "violated")
    job, told = validated(tmp_path, edited("stop-race-06", dropped(r"taskmanager\.Task ")))
    assert "legal-never-fails" not in job["decided"]
    assert "INFO of Task" in told.stdout
    assert told.exit == 3


def test_the_levels_that_are_missing_are_named(tmp_path: Path) -> None:
    lines = edited("H12-00", dropped(r"\.CheckpointCoordinator +\["))
    _, told = validated(tmp_path, lines)
    assert "this needs INFO of CheckpointCoordinator" in told.stdout
    assert told.exit == 3


@pytest.mark.parametrize(
    ("line", "thread", "message"),
    [
        ("[] - hello [x (1/1)#0] - bye", "", "hello [x (1/1)#0] - bye"),
        ("[pekko-5] - Executing: [m (1/2)#0] - hi", "pekko-5", "Executing: [m (1/2)#0] - hi"),
        ("[m [v2] - p (1/2)#0] - hi [x] - y", "m [v2] - p (1/2)#0", "hi [x] - y"),
        ("[m]x (1/2)#0] - hi", "m]x (1/2)#0", "hi"),
        ("[m[x (1/2)#0] - hi", "m[x (1/2)#0", "hi"),
    ],
)
def test_brackets_in_a_thread_come_in_pairs(line: str, thread: str, message: str) -> None:
    peeler = Peeler(table("flink-2.3").layouts)
    read = peeler.peel(f"2026-11-20 16:06:16,880 INFO  org.apache.Some {line}").record
    assert read is not None
    assert (read.thread, read.message) == (thread, message)


def test_a_vertex_may_be_called_like_the_end_of_a_thread(tmp_path: Path) -> None:
    whole, _ = validated(tmp_path, edited("H16-04"))
    renamed = re.compile(r"\bmap(?= \(\d/\d\))")
    lines = [renamed.sub("map [v2] - prod", each) for each in edited("H16-04")]
    assert lines != edited("H16-04")
    job, _ = validated(tmp_path, lines)
    assert found(job) == found(whole)
    assert job["decided"] == whole["decided"]


def test_a_byte_order_mark_is_no_part_of_a_line(tmp_path: Path) -> None:
    whole, _ = validated(tmp_path, edited("H12-00"))
    first, *rest = edited("H12-00")
    job, told = validated(tmp_path, [f"\ufeff{first}", *rest])
    assert job["decided"] == whole["decided"]
    assert "0 unparsable" in told.stdout


def test_a_file_is_read_once_whatever_it_is_called(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "flink.log").write_text("\n".join(edited("H12-00")))
    (logs / "current.log").symlink_to("flink.log")
    alone = run("validate logs/flink.log", tmp_path)
    for paths in (
        "logs",
        "logs/flink.log ./logs/flink.log",
        f"logs {logs}",
        "logs/../logs logs",
        "logs/current.log logs/flink.log",
    ):
        ran = run(f"validate {paths}", tmp_path)
        assert ran.exit == 0
        assert ran.stdout.splitlines()[-2:] == alone.stdout.splitlines()[-2:], paths
