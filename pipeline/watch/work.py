"""The work of one worker in a batch: it adds new lines to its logs, and judges them.

A process keeps the folders that it has seen. Spark gives a folder to any process that is free; one
that has not seen the last batches of a folder reads what they have added.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from finale.checker.cache.plain_data import plain

from .cluster import GrowingCluster, WatchSetting
from .kept import FolderBatches

#: What a worker tells: a row a folder, as JSON.
TOLD = "told string"
#: So many folders stay in the memory of a process; those that were not asked for longest go.
HELD_MAX = 256

_HELD: dict[tuple[str, str], _Held] = {}


@dataclass
class _Held:
    """A folder as this process knows it."""

    cluster: GrowingCluster
    kept: FolderBatches


@dataclass(frozen=True)
class WatchOrder:
    """The work that all folders of a batch share. `state` is the folder of additions."""

    state: str
    batch: int
    setting: WatchSetting


def work(order: WatchOrder, batches: Iterable[Any]) -> Iterator[Any]:
    """The folders whose news are in these rows, all of each. Batches are those of Arrow."""
    arrow: Any = import_module("pyarrow")  # it comes without types
    news: dict[str, dict[str, list[tuple[Mapping[str, Any], bytes]]]] = {}
    for batch in batches:
        columns: dict[str, list[Any]] = batch.to_pydict()
        for told, data in zip(columns["range"], columns["data"], strict=True):
            table: dict[str, Any] = json.loads(told)
            logs = news.setdefault(table["folder"], {})
            logs.setdefault(table["log"], []).append((table, data))
    for folder in list(news):
        row = json.dumps(judged(order, folder, news.pop(folder)))
        yield arrow.record_batch({"told": [row]})


def judged(
    order: WatchOrder, folder: str, news: Mapping[str, list[tuple[Mapping[str, Any], bytes]]]
) -> dict[str, Any]:
    """Add what is new of one folder, and tell what is said of its jobs then."""
    held = _held(order, folder)
    for each in news.values():
        each.sort(key=lambda told: told[0]["number"])  # stable: bytes of a piece are in order
    more = held.cluster.grown(news)
    held.kept.append(order.batch, more)
    held.cluster.add(more)
    states = held.cluster.judged()
    # What fails halfway has something in memory that is not so: it was taken out until here.
    _HELD[order.state, folder] = held
    lines, unparsable = held.cluster.lines
    return {
        "folder": folder,
        "lines": lines,
        "unparsable": unparsable,
        "logs": len(held.cluster.logs),
        "troubles": held.cluster.troubles,
        "states": [{"word": each.word, "verdict": plain(each.verdict)} for each in states],
    }


def _held(order: WatchOrder, folder: str) -> _Held:
    held = _HELD.pop((order.state, folder), None)
    if held is None or held.kept.batch >= order.batch:
        cluster = GrowingCluster(folder, order.setting)
        held = _Held(cluster, FolderBatches(Path(order.state), folder))
        for key in list(_HELD)[: max(0, len(_HELD) + 1 - HELD_MAX)]:
            del _HELD[key]
    for more in held.kept.before(order.batch):
        held.cluster.add(more)
    return held
