"""Event logs of engine runs, and ways to damage them."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from finale.model.topology import Job
from finale.reference.engine import Engine
from finale.reference.formats.eventlog import EventLog
from finale.reference.formats.files import MemoryFiles
from finale.reference.operators.program import Followed
from finale.reference.protocols import ENGINES
from finale.reference.settings import EngineSettings, Faults
from tests.engine_runs.schedulers import Seeded, run

CHAIN: dict[str, Any] = {
    "S": {"records": 3, "parallelism": 2},
    "D": {"from": ["S"], "parallelism": 2},
    "K": {"from": ["D"], "sink": "two-phase"},
}
PAIR: dict[str, Any] = {"S": {"records": 2}, "K": {"from": ["S"], "sink": "two-phase"}}


def engine_of(
    table: Mapping[str, Any],
    protocol: str = "final-checkpoint",
    faults: Faults | None = None,
    options: Mapping[str, Any] | None = None,
) -> Engine:
    job = Job.from_table(table)
    kind = ENGINES[protocol]
    settings = EngineSettings(buffer_size=1, keeps=True, faults=faults or Faults(checkpoints=3))
    chosen = replace(kind.usual, **(options or {}))
    return kind(job, Followed(job), MemoryFiles(), settings, chosen)


def log_of(engine: Engine, table: Mapping[str, Any], seed: int, steps_max: int = 400) -> list[str]:
    """The lines of a run of an engine, by a seed."""
    out = io.StringIO()
    log = EventLog(out.write, engine, Job.from_table(table), run="r", process=1)
    run(engine, Seeded(seed), log.took, steps_max)
    log.close()
    return out.getvalue().splitlines()


def changed(
    lines: list[str], change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
) -> list[str]:
    """The log after a change of its events, with new numbers: nothing seems to be missing."""
    start, *events, end = map(json.loads, lines)
    seq: Counter[str] = Counter()
    events = change(events)
    for event in events:
        event["seq"] = seq[event["clock"]]
        seq[event["clock"]] += 1
    return list(map(json.dumps, [start, *events, end | {"count": len(events)}]))


def without(lines: list[str], names: Collection[str]) -> list[str]:
    """The log of somebody who sees no steps of such names."""
    return changed(lines, lambda events: [e for e in events if e["event"] not in names])
