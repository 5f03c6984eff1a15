"""Verdicts are plain data: what JSON carries comes back as it was."""

import json

import pytest

from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.log_files import LogShelf
from finale.checker.logs.validate import judge_cluster
from finale.checker.logs.verdicts import JobVerdict, verdict_of
from tests.logs.archive import SAMPLES


def verdicts(name: str) -> list[JobVerdict]:
    with LogShelf() as shelf:
        logs = [log for log in shelf.logs([str(SAMPLES)]) if f"{name}/" in str(log)]
        cluster = judge_cluster(map(shelf.lines, logs), table("flink-2.3"))
    return [verdict_of("here", job, logs) for job in cluster.jobs]


def test_what_json_carries_comes_back() -> None:
    (told,) = verdicts("H16-00")
    assert JobVerdict.from_table(json.loads(json.dumps(told.to_table()))) == told
    assert {each.property for each in told.shows} == {
        "legal-never-fails",
        "requests-do-not-defeat",
    }
    first = told.findings[0]
    assert first.place == f"{first.file}:{first.line}"
    assert told.to_table()["findings"][0]["where"] == first.place


def test_what_is_no_verdict_is_refused() -> None:
    (told,) = verdicts("bounded-01")
    for change in ({"coverage": "much"}, {"findings": [{"where": "x:1"}]}, {"odd": 1}):
        with pytest.raises((ValueError, KeyError, TypeError)):
            JobVerdict.from_table(told.to_table() | change)
