"""Has `finale validate` judge changed copies of runs, and counts what it says of them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.running import run

from .changes import Changed, Logs

Found = frozenset[tuple[str, tuple[tuple[str, str], ...]]]
"""Findings that are not merely open: their properties, and for whom."""


@dataclass
class Row:
    """What became of the copies of one kind."""

    copies: int = 0
    wrong: int = 0
    """Those with a finding that the run does not have."""
    open: int = 0
    """Those of which more is undecided than of the run."""
    accepted: int = 0
    undecided: int = 0
    rejected: int = 0

    def note(self, jobs: Sequence[Any], of_run: Found, *, was_open: bool) -> None:
        """Count what is said of a copy."""
        self.copies += 1
        self.wrong += not found(jobs) <= of_run
        self.open += is_open(jobs) and not was_open
        told = [job["conforms"] for job in jobs if job["conforms"] is not None]
        self.accepted += bool(told) and all(each["accepted"] for each in told)
        self.rejected += any(each["rejected"] for each in told)
        self.undecided += any(not (each["accepted"] or each["rejected"]) for each in told)


def found(jobs: Iterable[Any]) -> Found:
    """The findings about some jobs."""
    return frozenset(
        (each["property"], tuple(each["binding"].items()))
        for job in jobs
        for each in job["findings"]
        if each["severity"] != "open"
    )


def is_open(jobs: Iterable[Any]) -> bool:
    """Whether some property is undecided."""
    return any(job["needs"] for job in jobs)


def judged(folders: Path, flags: str = "") -> dict[str, list[Any]]:
    """The jobs as JSON has them, by the folder of their logs: one command judges all folders."""
    told: dict[str, list[Any]] = defaultdict(list)
    for job in json.loads(run(f"validate {folders} --format json {flags}").stdout)["results"]:
        told[Path(job["logs"]).name].append(job)
    return told


def rows_of(
    name: str, logs: Logs, copies: Sequence[Changed], folder: Path, flags: str = ""
) -> dict[str, Row]:
    """What is said of copies of one run, by their kind."""
    Changed(name, "", "", logs).write(folder / "run" / "as-it-was")
    for number, copy in enumerate(copies):
        copy.write(folder / "copies" / f"{number:04}")
    own = judged(folder / "run", flags)["as-it-was"]
    told = judged(folder / "copies", flags)
    rows: dict[str, Row] = defaultdict(Row)
    for number, copy in enumerate(copies):
        rows[copy.kind].note(told[f"{number:04}"], found(own), was_open=is_open(own))
    return rows
