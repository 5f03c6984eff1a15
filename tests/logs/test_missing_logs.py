"""Logs of which a file is missing: what only that file would tell is not held against the job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from finale.checker.logs.findings import Coverage, Severity
from finale.checker.logs.lines import OF_TASKS
from finale.checker.logs.read.job_runs import JobRun, runs_of
from finale.checker.logs.read.log_events import LineTally, events_of_lines
from finale.checker.logs.read.log_files import LogFile, LogLine, LogShelf, RawLog, holes_of
from finale.checker.logs.read.visibility import CLOCKS_OF_TASKS, LOG_OF
from finale.checker.logs.validate import JudgedCluster, judge_cluster

from .archive import SAMPLES
from .test_findings import TABLE

Logs = list[list[LogLine]]
PARTS = 6


@pytest.fixture(scope="module")
def lines() -> Mapping[str, Logs]:
    """The lines of each log of each sample."""
    found: dict[str, Logs] = {}
    with LogShelf() as shelf:
        for log in shelf.logs([str(SAMPLES)]):
            found.setdefault(log.folder.rpartition("!")[2], []).append(list(shelf.lines(log)))
    return found


NAMES = [
    "H12-00",
    "H12-01",
    "H16-00",
    "H16-04",
    "H2-06",
    "H2-08",
    "H4-00",
    "H4-01",
    "H6-01",
    "H6-02",
    "H7-00",
    "H7-03",
    "bounded-01",
    "concurrent-01",
    "defaultlayout-00",
    "multi-cancel-01",
    "race-00",
    "stop-race-06",
    "stop-restore-01",
]


#: One of each kind of run; the others in the slow run.
SOME = ("H12-00", "H16-04", "H4-01", "H6-01", "H7-00", "bounded-01", "multi-cancel-01", "race-00")
CASES = [name if name in SOME else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]


def shown(cluster: JudgedCluster) -> set[tuple[str, tuple[tuple[str, str], ...]]]:
    """What is found, but for what is merely open."""
    return {
        (each.property, each.binding)
        for job in cluster.jobs
        for each in job.verdict.findings
        if each.severity is not Severity.OPEN
    }


def runs_in(logs: Logs) -> list[JobRun]:
    tally = LineTally()
    each = (events_of_lines(log, TABLE, tally, place) for place, log in enumerate(logs))
    return runs_of([event for events in each for event in events])[0]


def told_by_processes(runs: Iterable[JobRun]) -> dict[tuple[str, int], set[tuple[int, int, int]]]:
    """By task the places of the lines that its own process has written."""
    found: dict[tuple[str, int], set[tuple[int, int, int]]] = {}
    for event in (event for run in runs for event in run.events):
        told, task = event.log_event, event.task
        if task and (told.word == OF_TASKS or told.clock.startswith(CLOCKS_OF_TASKS)):
            found.setdefault((task.vertex, task.subtask), set()).add(told.place)
    return found


def test_names_are_those_of_all_samples(lines: Mapping[str, Logs]) -> None:
    assert sorted(lines) == sorted(NAMES)


@pytest.mark.parametrize("name", CASES)
def test_a_process_without_log_is_accused_of_nothing(lines: Mapping[str, Logs], name: str) -> None:
    """Without all that a task's own process has written, nothing new is found."""
    logs = lines[name]
    whole = shown(judge_cluster(logs, TABLE))
    for task, places in told_by_processes(runs_in(logs)).items():
        fewer = [
            [each for each in log if (number, each.part, each.number) not in places]
            for number, log in enumerate(logs)
        ]
        found = judge_cluster(fewer, TABLE)
        assert shown(found) <= whole, task
        needs = {
            level for job in found.jobs for told in job.verdict.needs.values() for level in told
        }
        assert (
            any(each.startswith(f"{LOG_OF}{task[0]}") for each in needs)
            or not found.jobs[0].verdict.asked
        )


def test_the_log_of_one_task_manager_is_missing(lines: Mapping[str, Logs]) -> None:
    """It was called violated what only the other process has told."""
    whole = judge_cluster(lines["multi-cancel-01"], TABLE)
    assert not shown(whole)
    assert not whole.jobs[0].verdict.needs
    for missing in (1, 2):
        logs = [log for number, log in enumerate(lines["multi-cancel-01"]) if number != missing]
        (job,) = judge_cluster(logs, TABLE).jobs
        assert not [each for each in job.verdict.findings if each.severity is not Severity.OPEN]
        assert job.verdict.coverage is Coverage.COMPLETE
        assert {"finish-before-close", "closed-after-final-checkpoint"} <= job.verdict.needs.keys()
        levels = {level for told in job.verdict.needs.values() for level in told}
        assert {each.removeprefix(LOG_OF)[-5:] for each in levels} == {f"({missing}/2)"}


@pytest.mark.parametrize("name", CASES)
def test_a_missing_part_of_a_rotated_log_is_a_gap(lines: Mapping[str, Logs], name: str) -> None:
    """A gap of the jobs that it may belong to, and nothing new is found."""
    logs = lines[name]
    whole = shown(judge_cluster(logs, TABLE))
    for number, log in enumerate(logs):
        size = len(log) // PARTS
        for missing in range(1, PARTS - 1):
            cut = log[: missing * size] + log[(missing + 1) * size :]
            holes = [(number, 0, cut[missing * size].number)]
            found = judge_cluster([*logs[:number], cut, *logs[number + 1 :]], TABLE, holes=holes)
            assert shown(found) <= whole, missing
            assert Coverage.GAP in {job.verdict.coverage for job in found.jobs}


def raw_log(*names: str) -> RawLog:
    return RawLog(tuple(LogFile(f"/logs/{name}") for name in names))


@pytest.mark.parametrize(
    ("names", "holes"),
    [
        (("a.log",), {}),
        (("a.log.2", "a.log.1", "a.log"), {}),
        (("a.log.3", "a.log.1", "a.log"), {1: "2"}),
        (("a.log.9", "a.log.5", "a.log"), {1: "6 to 8", 2: "1 to 4"}),
        (("a.log.2.gz", "a.log"), {1: "1"}),
        # The oldest first: what is older than the first part was deleted.
        (("a.log.3", "a.log.4", "a.log"), {}),
        (("a.log.3", "a.log.5", "a.log"), {1: "4"}),
        # One part a day: of days in between nothing is there.
        (("a.log.2026-11-19", "a.log.2026-11-25", "a.log"), {1: "2026-11-20 to 2026-11-24"}),
        (("a.log-20261130", "a.log-20261201", "a.log"), {}),
        (("a.log.1", "a.log.1.gz", "a.log"), {}),
    ],
)
def test_holes_in_the_numbers_of_parts(names: tuple[str, ...], holes: dict[int, str]) -> None:
    log = raw_log(*names)
    assert log.holes == holes
    assert holes_of([raw_log("b.log"), log]) == [(1, part, 0) for part in holes]
