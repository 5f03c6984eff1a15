"""Verdicts are plain data: what JSON carries comes back as it was."""

import json

import pytest

from finale.checker.cache.plain_data import plain, typed
from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.log_files import LogShelf
from finale.checker.logs.validate import judge_cluster
from finale.checker.logs.verdicts import JobVerdict, named_in
from tests.logs.archive import SAMPLES


def verdicts(name: str) -> list[JobVerdict]:
    with LogShelf() as shelf:
        logs = [log for log in shelf.logs([str(SAMPLES)]) if f"{name}/" in str(log)]
        cluster = judge_cluster(map(shelf.lines, logs), table("flink-2.3"))
    return [named_in(job.verdict, "here", logs) for job in cluster.jobs]


def test_what_json_carries_comes_back() -> None:
    (told,) = verdicts("H16-00")
    assert typed(JobVerdict, json.loads(json.dumps(plain(told)))) == told
    assert {each.property for each in told.shows} == {
        "legal-never-fails",
        "requests-do-not-defeat",
    }
    first = told.findings[0]
    assert first.place == f"{first.file}:{first.line}"
    assert plain(told)["findings"][0]["where"] == first.place


def test_what_is_no_verdict_is_refused() -> None:
    (told,) = verdicts("bounded-01")
    for change in ({"coverage": "much"}, {"findings": [{"where": "x:1"}]}, {"odd": 1}):
        with pytest.raises((ValueError, KeyError, TypeError)):
            typed(JobVerdict, plain(told) | change)
