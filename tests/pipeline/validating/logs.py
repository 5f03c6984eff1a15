"""Logs for tests: of Flink, with what a file can have in it, and of many runs of the engine."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import pyarrow.parquet

from tests.engine_runs.random_runs import RandomRun, lines_of
from tests.logs.archive import SAMPLES

ODD = (
    b"before any entry \xff\xfe\n"
    b"2026-11-20 15:24:04,069 INFO  org.apache.flink.Other [main] - caf\xe9 \x80\n"
    b"\tat some.Frame(\xff)\r\n"
    b"\r\n"
    b"2026-11-20 15:24:04,070 INF"
)
PAIR: dict[str, Any] = {"S": {"records": 1}, "K": {"from": ["S"], "sink": "two-phase"}}


def unpacked(folder: Path, *names: str) -> Path:
    """The logs of some samples, a folder each."""
    with tarfile.open(SAMPLES) as archive:
        for each in archive.getmembers():
            if each.name.partition("/")[0] in names and each.name.endswith(".log"):
                archive.extract(each, folder, filter="data")
    return folder


def engine_runs(count: int) -> list[bytes]:
    """Event logs of runs of the engine: some end well, and some do not."""
    logs: list[bytes] = []
    for seed in range(count):
        faults = {"checkpoints": 3, "failures": 1}
        chosen = RandomRun("final-checkpoint", PAIR, faults=faults, seed=seed, steps_max=200,
                           crashes=(40,) if seed % 3 == 0 else ())  # fmt: skip
        text = "".join(f"{line}\n" for line in lines_of(chosen))
        logs.append(text.replace('"run":"random"', f'"run":"r{seed}"').encode())
    return logs


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    """A table, in the order of files and lines; without numbers of pieces."""
    table = pyarrow.parquet.read_table(folder / f"{name}.parquet").to_pylist()
    found = [{key: value for key, value in row.items() if key != "piece"} for row in table]
    return sorted(found, key=lambda row: (row.get("file", ""), row.get("line", 0), str(row)))


def files_in(folder: Path) -> dict[str, bytes]:
    """What the tables have of each file, put together."""
    lines = [*rows(folder, "events"), *rows(folder, "rest")]
    found: dict[str, bytes] = {}
    for row in sorted(lines, key=lambda row: (row["file"], row["line"])):
        found[row["file"]] = found.get(row["file"], b"") + row["raw"] + row["end"]
    return found
