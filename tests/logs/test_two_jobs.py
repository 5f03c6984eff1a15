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

from .edits import edited, written

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
