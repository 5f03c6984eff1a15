"""Logs of releases whose lines no table has: they are not judged, and the row names the release."""

import re
from pathlib import Path

from .edits import at, edited, validated

_VERSION = (
    "2026-11-20 15:00:00,000 INFO  org.apache.flink.runtime.entrypoint.ClusterEntrypoint [main] - "
    " Starting StandaloneSessionClusterEntrypoint (Version: {}, Scala: 2.12, Rev:c61162b, "
    "Date:2022-02-04T18:38:23+01:00)"
)


def older(lines: list[str]) -> list[str]:
    """As before 1.16: the id of an attempt does not tell of which vertex it is."""
    return [
        re.sub(r"([0-9a-f]{32})_[0-9a-f]{32}_(\d+)_(\d+)", lambda m: _id(m[0]), each)
        for each in lines
    ]


def _id(execution: str) -> str:
    return f"{sum(map(ord, execution)):032x}"


def test_the_ids_of_attempts_tell_an_older_release(tmp_path: Path) -> None:
    job, told = validated(tmp_path, edited("bounded-01", older), "--accept")
    assert (job["asked"], job["conforms"], job["findings"]) == (False, None, [])
    assert job["other_release"] == "before 1.16"
    assert "not judged: the log is of Flink before 1.16, and no table of lines fits" in told.stdout
    assert told.exit == 3


def test_the_line_of_a_start_tells_the_release(tmp_path: Path) -> None:
    lines = edited("bounded-01")
    first = at(lines, "Created execution graph")
    for version, is_older in (("1.14.6", True), ("1.16.0", False), ("2.3.0", False)):
        changed = [*lines[:first], _VERSION.format(version), *lines[first:]]
        job, told = validated(tmp_path, changed)
        assert job["other_release"] == (version if is_older else "")
        assert job["asked"] is not is_older
        assert told.exit == (3 if is_older else 0)
