"""A real run of Flink 2.3 in which a user's savepoint overtakes that of a stop: the stop hangs."""

import json
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.logs.flink.observations import observations_of
from finale.checker.logs.lines import Observed
from tests.cli.running import run
from tests.conformance.corrupted import clusters, originals

from .archive import REQUESTS
from .edits import found, number, validated

_HANGS = "had begun checkpoint 9 before savepoint 8 and drops its part of it"


def _lines(name: str) -> list[str]:
    with tarfile.open(REQUESTS) as archive:
        file = archive.extractfile(f"{name}/flink.log")
        assert file is not None
        return file.read().decode().splitlines()


@pytest.mark.parametrize("accepts", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_savepoint_that_overtakes_is_explained_and_the_stop_is_named(
    tmp_path: Path, *, accepts: bool
) -> None:
    flags = ["--accept"] if accepts else []
    job, ran = validated(tmp_path, _lines("savepoint-overtakes"), *flags)
    assert not accepts or job["conforms"]["accepted"]
    assert ran.exit == 1
    (stop,) = found(job, "recovered")["stop-is-answered"]
    assert _HANGS in stop["why"]


def test_a_log_that_ends_while_the_stop_hangs_is_stuck(tmp_path: Path) -> None:
    lines = _lines("savepoint-overtakes")
    job, ran = validated(tmp_path, lines[: number(lines, "Out of order") + 5], "--accept")
    assert job["coverage"] == "truncated"
    assert job["conforms"]["accepted"]
    assert ran.exit == 1
    (stop,) = found(job, "stuck")["stop-is-answered"]
    assert _HANGS in stop["why"]
    assert _HANGS in run("blocked flink.log", tmp_path, columns=2000).stdout


def test_only_the_task_that_finds_a_newer_one_has_not_begun() -> None:
    """Another task begins the same savepoint before the line that takes a begin back."""
    own = next(o for o in originals(clusters(str(REQUESTS))) if o.name == "savepoint-overtakes")
    events = own.run.events
    at = next(n for n, each in enumerate(events) if each.word == "trigger-overtaken")
    source, sink = events[at], events[at - 2]
    assert source.task != sink.task
    events.insert(at, replace(events[at - 1], task=sink.task))
    begun = [s for s in observations_of(own.run, own.job).all if s.seen is Observed.BEGUN]
    assert [each.event.task for each in begun if each.checkpoint == 8] == [sink.task]


def test_a_run_with_a_savepoint_is_accepted(tmp_path: Path) -> None:
    folder = tmp_path / "savepoint"
    folder.mkdir()
    job, ran = validated(folder, _lines("savepoint-03"), "--accept")
    assert job["conforms"]["accepted"], json.dumps(job["conforms"])
    assert ran.exit == 0
