"""A real run of Flink 2.3 in which a user's savepoint overtakes that of a stop: the stop hangs."""

import json
import tarfile
from pathlib import Path

from tests.cli.running import run

from .archive import REQUESTS
from .edits import found, number, validated

_HANGS = "had begun checkpoint 9 before savepoint 8 and drops its part of it"


def _lines(name: str) -> list[str]:
    with tarfile.open(REQUESTS) as archive:
        file = archive.extractfile(f"{name}/flink.log")
        assert file is not None
        return file.read().decode().splitlines()


def test_a_savepoint_that_overtakes_is_explained_and_the_stop_is_named(tmp_path: Path) -> None:
    job, ran = validated(tmp_path, _lines("savepoint-overtakes"), "--accept")
    assert job["conforms"]["accepted"]
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
    assert _HANGS in run("why flink.log", tmp_path, columns=2000).stdout


def test_a_run_with_a_savepoint_is_accepted(tmp_path: Path) -> None:
    folder = tmp_path / "savepoint"
    folder.mkdir()
    job, ran = validated(folder, _lines("savepoint-03"), "--accept")
    assert job["conforms"]["accepted"], json.dumps(job["conforms"])
    assert ran.exit == 0
