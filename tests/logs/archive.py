"""Runs of a real engine for tests, with what is known of them from elsewhere.

`samples.tar.xz` has a few. All of them are read where the environment names their archives:
FINALE_RUNS=runs.tar.xz:hazards.tar.xz.
"""

import json
import os
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from finale.checker.logs.read.job_runs import JobRun, runs_of
from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.log_events import LineTally, LogEvent, events_of_lines
from finale.checker.logs.read.log_files import LogShelf, RawLog

SAMPLES = Path(__file__).parent / "samples.tar.xz"
#: A run with a savepoint, and one in which a savepoint overtakes that of a stop, which hangs.
REQUESTS = Path(__file__).parent / "requests.tar.xz"
#: Runs in which another JobMaster takes the job over.
FAILOVERS = Path(__file__).parent / "failovers.tar.xz"
NAMED = os.environ.get("FINALE_RUNS", "")

#: For tests that go through everything.
needs_archives = pytest.mark.skipif(not NAMED, reason="FINALE_RUNS names no archives of runs")


def archives() -> list[str]:
    return [path for path in NAMED.split(":") if path]


@cache
def truths(path: str) -> dict[str, Any]:
    """What the driver of each run knows of it, by the name of the run."""
    with tarfile.open(path) as archive:
        found = {
            PurePosixPath(each.name).parent.name: json.load(file)
            for each in archive
            if each.name.endswith("scenario.json") and (file := archive.extractfile(each))
        }
        others = [each.name for each in archive if PurePosixPath(each.name).name == "index.json"]
        for name in others:
            file = archive.extractfile(name)
            assert file is not None
            for row in json.load(file):
                found[row["run"]] |= {
                    key: row[key] for key in ("hazard", "control", "shows_hazard")
                }
    return found


def each_run(path: str) -> Iterator[tuple[str, list[JobRun], list[LogEvent], LineTally]]:
    """The runs of an archive one after the other: name, runs of jobs, events of none, the count."""
    with LogShelf() as shelf:
        by_folder: dict[str, list[RawLog]] = {}
        for log in shelf.logs([path]):
            by_folder.setdefault(log.folder, []).append(log)
        for folder, logs in by_folder.items():
            tally = LineTally()
            events = [
                event
                for place, log in enumerate(logs)
                for event in events_of_lines(shelf.lines(log), table("flink-2.3"), tally, place)
            ]
            yield (folder.rpartition("!")[2].rpartition("/")[2], *runs_of(events), tally)


@cache
def samples() -> dict[str, tuple[list[JobRun], list[LogEvent], LineTally]]:
    return {name: (runs, homeless, tally) for name, runs, homeless, tally in each_run(str(SAMPLES))}


def sample(name: str) -> list[JobRun]:
    return samples()[name][0]
