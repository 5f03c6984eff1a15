"""`finale validate` gives a tick only where something was asked, and says what stays undecided."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.running import run

from .edits import edited, found, lines_of, until, validated, written

_SWITCH = r"Job .* switched from state"


def only_the_job(lines: list[str]) -> list[str]:
    """The lines that tell the states of the job, and name no task."""
    return [each for each in lines if re.search(_SWITCH, each)]


def from_the_middle(lines: list[str]) -> list[str]:
    """The log after its first completed checkpoint."""
    first = next(n for n, each in enumerate(lines) if "Completed checkpoint" in each)
    return lines[first:]


def test_a_job_without_a_task_gets_no_tick(tmp_path: Path) -> None:
    job, told = validated(tmp_path, edited("race-00", only_the_job))
    assert told.exit == 3, told
    assert told.stdout.startswith("? race-00: FINISHED\n")
    assert "not judged: no line names a task of the job" in told.stdout
    assert job["asked"] is False


def test_a_job_with_tasks_was_asked(tmp_path: Path) -> None:
    job, told = validated(tmp_path, edited("race-00"))
    assert job["asked"] is True
    assert told.stdout.startswith("✓ race-00: FINISHED\n")


def test_a_job_without_a_task_is_no_job_that_waits_for_nothing(tmp_path: Path) -> None:
    written(tmp_path, edited("race-00", only_the_job))
    told = run("blocked flink.log", tmp_path).stdout
    assert "nothing can be said: no line names a task of the job" in told
    assert "no task is waited for" not in told


def test_what_no_line_of_flink_tells_is_named(tmp_path: Path) -> None:
    job, told = validated(tmp_path, edited("race-00"))
    assert "plan-is-a-partition" in job["undecided"]
    assert "plan-is-a-partition" in job["untold"]
    text = " ".join(told.stdout.split()).partition("no line of any level tells what these ask: ")[2]
    assert "plan-is-a-partition" in text.partition(" 1 job ")[0].split(", ")
    assert not set(job["untold"]) & {*job["needs"], *job["decided"]}


def test_what_all_levels_leave_undecided_takes_the_tick(tmp_path: Path) -> None:
    """The levels are there, but the beginning of the log is not."""
    job, told = validated(tmp_path, edited("race-00", from_the_middle))
    open_ = [name for name, levels in job["needs"].items() if not levels]
    assert open_, job
    assert told.stdout.startswith("? race-00: FINISHED\n")
    assert f"not decided by these lines: {', '.join(open_)}" in told.stdout
    assert {*job["needs"], *job["untold"]} == set(job["undecided"])


def coverages(folder: Path, lines: list[str]) -> list[str]:
    page = json.loads(run("validate flink.log --format json", written(folder, lines)).stdout)
    return [job["coverage"] for job in page["results"]]


def test_a_line_that_cannot_be_read_is_a_gap_of_the_jobs_of_its_time_alone(tmp_path: Path) -> None:
    """The second job begins after the first one has ended."""
    lines = list(lines_of("stop-restore-01"))
    assert coverages(tmp_path, lines) == ["complete", "complete"]
    place = next(n for n, each in enumerate(lines) if "Completed checkpoint" in each)
    broken = lines[place][:32]
    early = coverages(tmp_path, [*lines[: place + 1], broken, *lines[place + 1 :]])
    assert early == ["gap", "complete"]
    ends = [n for n, each in enumerate(lines) if re.search(rf"{_SWITCH}.* to FINISHED", each)]
    later = next(
        n for n, each in enumerate(lines) if n > ends[0] and "Completed checkpoint" in each
    )
    late = coverages(tmp_path, [*lines[: later + 1], broken, *lines[later + 1 :]])
    assert late == ["complete", "gap"]
    assert coverages(tmp_path, [broken, *lines]) == ["gap", "complete"]


def only_info(lines: list[str]) -> list[str]:
    """What somebody keeps who looks for lines at INFO: warnings are gone, too."""
    return [each for each in lines if " INFO " in each]


@pytest.mark.parametrize("name", ["H16-00", "H4-00"])
def test_without_warnings_no_end_of_a_checkpoint_is_known(name: str, tmp_path: Path) -> None:
    """An abort is told at WARN. Each process of Flink writes some warning."""
    job, told = validated(tmp_path, edited(name, only_info))
    assert not found(job, "violated", "stuck", "overdue"), job["findings"]
    assert {"checkpoint-ends", "one-sync-savepoint", "stop-report-is-true"} <= {*job["needs"]}
    assert "WARN of CheckpointFailureManager" in told.stdout
    assert "aborted" not in job["checkpoints"] or not job["checkpoints"]["aborted"]


def test_what_the_beginning_would_tell_is_told_by_some_line(tmp_path: Path) -> None:
    job, _ = validated(tmp_path, edited("H16-04", lambda lines: lines[len(lines) // 2 :]))
    whole, _ = validated(tmp_path, [*lines_of("H16-04")])
    assert not set(job["untold"]) & set(whole["decided"])


def test_a_finding_is_compared_with_the_hazard_of_its_cause(tmp_path: Path) -> None:
    job, _ = validated(tmp_path, [*lines_of("H4-00")])
    assert {each["property"] for each in job["findings"]} >= {"checkpoints-go-on"}
    for each in job["findings"]:
        assert each["hazards"] == (["H4"] if "UnionListState" in (each["why"] or "") else [])


def test_what_is_only_open_is_like_no_hazard(tmp_path: Path) -> None:
    job, _ = validated(tmp_path, edited("H16-04", until("Triggering checkpoint 3 ")))
    assert found(job, "open")
    assert not any(each["hazards"] for each in job["findings"])
