"""Logs of a cluster in which two jobs have tasks of the same names.

The lines of a task's thread tell the name of the task alone, so at the same time they can be of
either job.
"""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

from tests.cli.running import Ran, run

from .edits import at, edited, found, number, replaced, written

_JOB, _OTHER = "95cf26e6833a8e236cc8a433e8ef9f68", "0" * 32
_IDS = {
    _JOB: _OTHER,
    "19bc282d2b6c714fdaf85349ac583ccb": "1" * 32,  # its graph of executions
}


def _validated(folder: Path, lines: list[str]) -> tuple[list[dict[str, Any]], Ran]:
    written(folder, lines)
    page = json.loads(run("validate flink.log --format json", folder).stdout)
    return page["results"], run("validate flink.log", folder, columns=200)


def _both() -> tuple[list[str], list[str]]:
    """A run, and the same run of another job."""
    one = edited("H16-04")
    ids = re.compile("|".join(_IDS))
    return one, [ids.sub(lambda found: _IDS[found[0]], each) for each in one]


def test_two_jobs_at_the_same_time_are_not_judged(tmp_path: Path) -> None:
    one, other = _both()
    lines = [each for both in itertools.zip_longest(one, other) for each in both if each]
    jobs, ran = _validated(tmp_path, lines)
    assert {job["job"] for job in jobs} == {_JOB, _OTHER}
    for job in jobs:
        assert job["findings"] == []
        assert "map (1/2)" in job["ambiguous"]
    told = '  not judged: several attempts or jobs have "map (1/2)"'
    assert ran.stdout.count(told) == len(jobs)
    assert ran.exit == 3


def test_one_job_after_the_other_is_judged_as_if_alone(tmp_path: Path) -> None:
    one, other = _both()
    (alone,), _ = _validated(tmp_path, one)
    jobs, _ = _validated(tmp_path, [*one, *other])
    assert {job["job"] for job in jobs} == {_JOB, _OTHER}
    for job in jobs:
        assert job["ambiguous"] == []
        assert job["events"] == alone["events"]
        assert job["checkpoints"] == alone["checkpoints"]
        assert len(job["findings"]) == len(alone["findings"])


# --- a job that starts from another one's savepoint -----------------------------------------------

_RESTORES = r"(Restoring job b4492d5d5063a45d5e769b438c1ada1b from Savepoint )3( @)"


def test_a_job_that_starts_from_a_savepoint_that_another_job_has_not_written(
    tmp_path: Path,
) -> None:
    """The path names the other job, whose log is there."""
    jobs, _ = _validated(tmp_path, edited("stop-restore-01"))
    assert all("restored-after-completion" not in found(each) for each in jobs)
    changed = edited("stop-restore-01", replaced(_RESTORES, r"\g<1>9\2"))
    jobs, ran = _validated(tmp_path, changed)
    (job,) = (each for each in jobs if each["name"].endswith("-restored"))
    (each,) = found(job, "violated")["restored-after-completion"]
    assert each["line"] == number(changed, "Restoring job b4492d5d")
    assert "no line tells that job stop-restore-01 has completed it" in each["why"]
    assert ran.exit == 1


def test_a_job_that_starts_where_another_job_counts_a_stopped_source_as_finished(
    tmp_path: Path,
) -> None:
    """The source was stopped while it read, and a checkpoint behind that counts it as finished."""
    job, graph = "8c3d8a3247990fa6cd9017fb893594f8", "0da5bf59f342b33daa45bda47fa652b5"
    lines = edited("stop-then-failover")
    first = lines[: at(lines, "Created execution graph 326e52342ae6d5129e3068e07bbc81e0")]
    start, until = at(lines, "Created execution graph"), at(lines, "Triggering stop-with-savepoint")
    second = [each.replace(job, "b" * 32).replace(graph, "c" * 32) for each in lines[start:until]]
    nothing = at(second, "No checkpoint found")
    head = second[nothing].partition("No checkpoint found")[0]
    second[nothing + 1 : nothing + 1] = [
        f"{head}Starting job {'b' * 32} from savepoint file:/cp/{job}/chk-2 ()",
        f"{head}Restoring job {'b' * 32} from Checkpoint 2 @ 0 for {'b' * 32} located at file:/cp.",
    ]
    jobs, _ = _validated(tmp_path, [*first, *second])
    (resumed,) = (each for each in jobs if each["job"] == "b" * 32)
    (each,) = found(resumed, "violated")["records-survive-restarts"]
    assert each["line"] == len(first) + number(second, "Restoring job")
    assert "checkpoint 2 of job Flink Streaming Job, triggered at line" in each["why"]
