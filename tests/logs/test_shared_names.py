"""Jobs in which several vertices have one name, as `Map`, Flink's default.

Lines that have the id of an execution tell which vertex is meant. Lines with the name alone do not,
and are left out: what rests on them is undecided.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from .edits import Edit, at_info, dropped, edited, found, inserted, lines_of, validated
from .test_failovers import killed

_VERTEX = re.compile(r"\] - (?:Task )?([^\s].*?) \(\d+/\d+\)#?\d* \(\w{32}_")


def named(name: str, *, sources: bool) -> Edit:
    """All vertices have one name: the sources, or all others."""

    def edit(lines: list[str]) -> list[str]:
        told = {each[1] for line in lines if (each := _VERTEX.search(line)) is not None}
        own = [each for each in told if each.startswith("Source: ") == sources and "'" not in each]
        own = sorted((each for each in own if not each.startswith("Task ")), key=len, reverse=True)
        pattern = re.compile("|".join(map(re.escape, own)))
        return [pattern.sub(name, each) for each in lines]

    return edit


@pytest.mark.parametrize("name", ["bounded-01", "concurrent-01", "H2-08"])
@pytest.mark.parametrize("edits", [(), (at_info,)])
def test_a_healthy_job_has_no_finding(name: str, edits: tuple[Edit, ...], tmp_path: Path) -> None:
    job, ran = validated(tmp_path, edited(name, named("Map", sources=False), *edits))
    assert found(job, "violated", "stuck", "overdue", "recovered") == {}
    assert (job["asked"], job["ambiguous"]) == (True, [])
    assert "several vertices have one name: " in ran.stdout
    assert '"Map" (' in ran.stdout


def test_findings_that_ids_tell_stay(tmp_path: Path) -> None:
    whole, _ = validated(tmp_path, list(lines_of("H2-06")))
    job, _ = validated(tmp_path, edited("H2-06", named("Map", sources=False)))
    (before,), (now,) = found(whole, "violated").values(), found(job, "violated").values()
    assert [_about(each) for each in now] == [_about(each) for each in before]
    assert sum(each["binding"]["task"].startswith("Source: src1 (") for each in now) == 2


def _about(finding: dict[str, Any]) -> tuple[object, ...]:
    return finding["property"], finding["line"], finding["binding"]["checkpoint"]


def test_findings_name_the_vertex_by_its_id(tmp_path: Path) -> None:
    job, _ = validated(tmp_path, edited("H2-06", named("Source: S", sources=True)))
    (findings,) = found(job, "violated").values()
    tasks = sorted(each["binding"]["task"] for each in findings)
    tasks = [each for each in tasks if each.startswith("Source: ")]
    ids = [re.fullmatch(r"Source: S \[([0-9a-f]{4})\] \(\d/2\)", each) for each in tasks]
    (vertex,) = {each and each[1] for each in ids}
    assert vertex is not None
    assert any(f"_{vertex}" in each for each in lines_of("H2-06"))


def test_what_does_not_depend_on_names_is_still_judged(tmp_path: Path) -> None:
    """A checkpoint that completes twice is wrong, whatever vertices are called."""
    twice = next(each for each in lines_of("bounded-01") if "Completed checkpoint 1 for" in each)
    again = inserted("Completed checkpoint 1 for", twice[24:])
    job, _ = validated(tmp_path, edited("bounded-01", named("Map", sources=False), again))
    assert "ended-once" in found(job, "violated")


def test_such_a_job_is_neither_accepted_nor_rejected(tmp_path: Path) -> None:
    edits = named("Map", sources=False)
    job, ran = validated(tmp_path, edited("bounded-01", edits), "--accept")
    assert (job["conforms"]["accepted"], job["conforms"]["rejected"]) == (False, False)
    assert 'several vertices are called "Map"' in job["conforms"]["why"]
    assert ran.exit == 3


@pytest.mark.parametrize("name", ["failover-in-a-stop", "failover-while-it-completes", "failover"])
@pytest.mark.parametrize("logger", ["ExecutionGraph", "CheckpointCoordinator", "Task", "JobMaster"])
def test_a_failover_of_which_one_logger_is_silent(name: str, logger: str, tmp_path: Path) -> None:
    """The graph of a new coordinator is known by the ids of its executions."""
    silent = dropped(rf"^\S+ \S+ +\w+ +\S+\.{logger} \[")
    job, _ = validated(tmp_path, edited(name, killed, silent))
    assert found(job, "violated", "stuck", "overdue", "recovered") == {}
