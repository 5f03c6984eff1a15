"""What came of each stop with a savepoint, as `finale validate` and its page tell it."""

from pathlib import Path
from typing import Any

from tests.cli.running import run

from .edits import dropped, edited, inserted, lines_of, number, until, validated, written

REQUEST = "Triggering stop-with-savepoint for job"
SUSPENDING = "failed, its savepoint was aborted: Checkpoint Coordinator is suspending."


def told(job: dict[str, Any]) -> list[str]:
    return [each["says"] for each in job["stops"]]


def test_a_stop_that_succeeds_is_told_with_its_savepoint(tmp_path: Path) -> None:
    lines = [*lines_of("H16-04")]
    job, text = validated(tmp_path, lines)
    (says,) = told(job)
    assert says == (
        "stop with savepoint 3: succeeded, the savepoint has completed, and the job has become "
        "FINISHED"
    )
    at = number(lines, REQUEST)
    assert job["stops"][0]["line"] == at
    assert f"flink.log:{at} {says}" in text.stdout


def test_two_stops_that_defeat_each_other_have_both_failed(tmp_path: Path) -> None:
    job, _ = validated(tmp_path, [*lines_of("H16-00")])
    first, second = told(job)
    assert first == f"stop with savepoint 3: {SUSPENDING}"
    assert second.startswith("stop with savepoint 4: failed, its savepoint was aborted: ")


def test_a_stop_has_no_end_while_no_line_tells_one(tmp_path: Path) -> None:
    job, _ = validated(tmp_path, edited("H16-04", until("Completed checkpoint 3 for job")))
    assert told(job) == ["stop with savepoint 3: no line tells its end"]


def test_a_stop_whose_job_restarts_behind_its_savepoint_has_failed(tmp_path: Path) -> None:
    graph = "INFO  org.apache.flink.runtime.executiongraph.ExecutionGraph"
    lines = edited("H16-04", until("Completed checkpoint 3 for job"))
    job_id = lines[-1].split(" for job ")[1].split()[0]
    restarts = f"{graph} [x] - Job H16-04 ({job_id}) switched from state RUNNING to RESTARTING."
    job, _ = validated(tmp_path, inserted("Completed checkpoint 3 for job", restarts)(lines))
    assert told(job) == [
        "stop with savepoint 3: failed, the savepoint has completed, and the job has become "
        "RESTARTING"
    ]


def test_a_stop_that_triggers_nothing_has_failed_with_its_job(tmp_path: Path) -> None:
    job, _ = validated(tmp_path, edited("H16-04", dropped("(Triggering|Completed) checkpoint 3 ")))
    assert told(job) == ["stop: failed, the job has become FINISHED without its savepoint"]


def test_the_bar_of_a_stop_that_failed_ends_with_its_savepoint(tmp_path: Path) -> None:
    lines = [*lines_of("H16-00")]
    page = run("validate flink.log --format html", written(tmp_path, lines)).stdout
    begins, ends = number(lines, REQUEST), number(lines, "complete checkpoint 3 for job")
    assert f"<title>stop with savepoint 3: {SUSPENDING} (line {begins} to {ends}; " in page


def test_of_two_stops_that_wait_no_line_tells_whose_the_savepoint_is(tmp_path: Path) -> None:
    lines = [*lines_of("H16-04")]
    again = lines[number(lines, REQUEST) - 1][24:]
    job, _ = validated(tmp_path, inserted(REQUEST, again)(lines))
    assert told(job) == ["stop: no line tells its end"] * 2
