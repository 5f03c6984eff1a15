"""One run of an order on a Flink, and the folder that it leaves: order, logs, what happened."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from .director import REQUESTS, Director, Taken
from .order import Order
from .outcome import Outcome, taken_to_end
from .releases import Release
from .session import LOG, Session


@dataclass(frozen=True)
class Run:
    """A run: how far the order was taken, and what became of the job."""

    folder: Path
    release: Release
    taken: Taken
    outcome: Outcome

    @property
    def log(self) -> Path:
        return self.folder / LOG


def run_order(order: Order, release: Release, folder: Path) -> Run:
    """Run a job along an order. Raises what `Session` raises."""
    asked = tuple(
        step.about.get("request") or f"request {step.number}"
        for step in order.steps
        if step.name in REQUESTS
    )
    with Session(release, order.job, order.settings, folder) as session:
        director = Director(session, order)
        taken = director.take()
        outcome = taken_to_end(session, director, asked)
    page = {
        "format": "finale-run/1",
        "release": release.version,
        "taken": taken.missed is None,
        "missed": None if taken.missed is None else str(taken.missed),
        "ids": taken.ids,
        "outcome": asdict(outcome),
        "moments": [asdict(each) for each in taken.moments],
    }
    (folder / "outcome.json").write_text(json.dumps(page, indent=1) + "\n", encoding="utf-8")
    return Run(folder, release, taken, outcome)


__all__ = ["Run", "run_order"]
