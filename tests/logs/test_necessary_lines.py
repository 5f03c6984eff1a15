"""`validate --accept` refuses a log that lacks a line which each run leaves.

The search explains the lines that are there, and would do without a step. So these lines are asked
for by themselves. A log that is cut, or whose loggers are silent, lacks lines and is not refused.
"""

import re
from pathlib import Path

import pytest

from checker.logs.flink.necessary_lines import lacking
from checker.logs.flink.run_job import job_of
from tests.cli.running import run

from .archive import FAILOVERS, REQUESTS, SAMPLES, archives, each_run
from .edits import Edit, dropped, edited, found, replaced, validated

_RESTORING = "Restoring job .* from Checkpoint 3 "
_LEARNED = r"ExecutionGraph .* Source: src0 \(1/1\) .* switched from RUNNING to FINISHED"
_RELEASED = r"\[sink: Writer.*All pending checkpoints are finished"

#: By run a change, and what is then refused, and why.
LACKING: dict[str, tuple[str, Edit, str]] = {
    "restored": ("H12-00", dropped(_RESTORING), "starts again, and no line tells from which"),
    "learned": ("H12-00", dropped(_LEARNED), "no line tells that Source: src0 has finished"),
    "released": ("H12-00", dropped(_RELEASED), "no line tells that nothing holds sink: Writer"),
    "declined": ("bounded-01", dropped("Decline checkpoint 3 "), "which task has declined check"),
    "restored early": (
        "H12-00",
        replaced("from Checkpoint 3 ", "from Checkpoint 4 "),
        "checkpoint 4 completes at line",
    ),
}


@pytest.mark.parametrize("what", LACKING)
def test_a_line_that_each_run_leaves_may_not_be_missing(what: str, tmp_path: Path) -> None:
    name, edit, why = LACKING[what]
    lines = edited(name, edit)
    job, told = validated(tmp_path, lines, "--accept")
    assert job["conforms"]["rejected"], told.stdout
    assert why in job["conforms"]["why"]
    assert told.exit == 1
    if len(lines) < len(edited(name)):
        first = next(place for place, each in enumerate(edited(name)) if each != lines[place])
        cut, _ = validated(tmp_path, lines[: first + 1], "--accept")
        assert not cut["conforms"]["rejected"], "what is missing may come"


def test_a_job_is_not_restored_from_what_completes_later(tmp_path: Path) -> None:
    early = replaced("from Checkpoint 3 ", "from Checkpoint 4 ")
    job, _ = validated(tmp_path, edited("H12-00", early))
    assert "restored-after-completion" in found(job, "violated")
    # Of a checkpoint of another job no line tells that it has completed.
    foreign = replaced("from Checkpoint 3 ", "from Checkpoint 99 ")
    job, _ = validated(tmp_path, edited("H12-00", foreign))
    assert "restored-after-completion" not in found(job, "violated")


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
                job = job_of(each)
                if job is not None and each.begins:
                    jobs += 1
                    assert lacking(each, job, None) is None, name
    assert jobs > 20


#: Loggers that a job always has lines of at INFO or below.
_LOGGERS = ("CheckpointCoordinator", "ExecutionGraph", "JobMaster", "Task", "TaskExecutor")


@pytest.mark.parametrize("logger", [*_LOGGERS, "StreamTask", "SubtaskCheckpointCoordinatorImpl"])
@pytest.mark.parametrize("name", ["H12-00", "H16-04", "stop-restore-01"])
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


def test_the_levels_that_are_missing_are_named(tmp_path: Path) -> None:
    lines = edited("H12-00", dropped(r"\.CheckpointCoordinator +\["))
    _, told = validated(tmp_path, lines)
    assert "this needs INFO of CheckpointCoordinator" in told.stdout
    assert told.exit == 3


def test_a_vertex_may_be_called_like_the_end_of_a_thread(tmp_path: Path) -> None:
    whole, _ = validated(tmp_path, edited("H16-04"))
    for called in ("map [v2] - prod", "a] - [b"):
        lines = [re.sub(r"\bmap(?= \(\d/\d\))", called, each) for each in edited("H16-04")]
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
