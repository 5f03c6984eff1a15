"""All runs of the archives, judged as they come: in the end the same is said as at once."""

from __future__ import annotations

import json
import random
import tarfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from finale.checker.logs.findings import Finding, Severity
from finale.pipeline.watch import cluster
from finale.pipeline.watch.cluster import GrowingCluster, JobState, WatchSetting
from tests.logs.archive import archives, needs_archives

from .test_watch_judging import TABLE, News, news, whole


def cut(lines: bytes, chance: random.Random, count: int) -> Iterator[bytes]:
    """A log in parts of any size."""
    places = sorted(chance.choices(range(len(lines) + 1), k=count - 1))
    for begin, end in zip([0, *places], [*places, len(lines)], strict=True):
        yield lines[begin:end]


Said = set[tuple[str, Finding]]
"""By job what is shown."""


def is_kept(early: Said, late: Said) -> bool:
    """Whether what was shown still is. What was stuck may recover; what was overdue may come."""
    recovered = {
        (job, each.property, each.binding)
        for job, each in late
        if each.severity is Severity.RECOVERED
    }
    return all(
        each.severity is Severity.OVERDUE
        or (each.severity is Severity.STUCK and (job, each.property, each.binding) in recovered)
        for job, each in early - late
    )


@pytest.mark.slow
@needs_archives
def test_all_runs_in_parts_of_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And of a job with one log nothing is withdrawn, but what was overdue and came."""
    monkeypatch.setattr(cluster, "PAUSE", 0.0)
    chance, count = random.Random(1), 0
    for path in archives():
        with tarfile.open(path) as archive:
            archive.extractall(tmp_path / Path(path).name, filter="data")
    for folder in sorted({file.parent for file in tmp_path.rglob("*.log")}):
        logs = {file.name: cut(file.read_bytes(), chance, 4) for file in folder.glob("*.log")}
        growing = GrowingCluster(".", WatchSetting(str(folder), TABLE))
        said: list[Said] = []
        states: list[JobState] = []
        for parts in zip(*logs.values(), strict=True):
            new: News = {}
            for number, (name, part) in enumerate(zip(logs, parts, strict=True)):
                new |= news(part, name, number=number)
            growing.add(json.loads(json.dumps(growing.grown(new))))
            states = growing.judged()
            said.append(
                {(each.verdict.job, found) for each in states for found in each.verdict.shows}
            )
        assert [each.verdict for each in states] == whole(folder), folder
        if len(logs) == 1:
            assert all(is_kept(early, late) for early, late in pairwise(said)), folder
        count += 1
    assert count >= 140
