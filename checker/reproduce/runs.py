"""The folder of the driven runs of many orders: a line for each order that was taken.

A command that is interrupted goes on from there. The log of a run is judged again.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

from finale.checker.cache.plain_data import plain, typed
from finale.model.journal import open_journal
from finale.reference.flink.director import Taken
from finale.reference.flink.order import ORDER_FILE, Order
from finale.reference.flink.outcome import RunOutcome
from finale.reference.flink.releases import Release
from finale.reference.flink.run import Run, add_script, write_file

JOURNAL = "runs.ndjson"
OTHER = "it is of another release of Flink"


@dataclass(frozen=True)
class Done:
    """A run that has ended: the order, the folder in that of all runs, and what happened."""

    order: str
    folder: str
    taken: Taken
    outcome: RunOutcome


class DrivenRuns:
    """The runs of many orders. Raises `reproduction-folder`, `reproduction-in-use`."""

    def __init__(self, folder: Path, release: Release) -> None:
        self.folder, self._release = folder, release
        self._known: dict[str, Done] = {}
        head = {"v": 1, "flink": release.version}
        self._journal = open_journal(
            "reproduction", folder / JOURNAL, "--output", head, self._take, OTHER
        )

    def known(self, order: Order) -> Run | None:
        """The run of an order, if the order was taken before."""
        done = self._known.get(_key(order))
        if done is None:
            return None
        return Run(self.folder / done.folder, self._release, done.taken, done.outcome)

    def prepare(self, order: Order, name: str) -> Path:
        """Write an order into a folder of its own. Returns the folder of its next run."""
        folder = self._journal.subfolder(name)
        write_file(folder / ORDER_FILE, order.to_json())
        add_script(folder)
        runs = (folder / f"run-{number}" for number in range(1, 1 + len(list(folder.iterdir()))))
        return next(each for each in runs if not each.exists())

    def keep(self, order: Order, run: Run) -> None:
        """Write down that a run has ended."""
        folder = str(run.folder.relative_to(self.folder))
        self._journal.write(plain(Done(_key(order), folder, run.taken, run.outcome)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()

    def _take(self, record: Any) -> None:
        done = typed(Done, record)
        if not (self.folder / done.folder).is_dir():
            raise ValueError(f"{done.folder} is gone")
        self._known[done.order] = done


def _key(order: Order) -> str:
    return blake2b(order.to_json().encode(), digest_size=16).hexdigest()


__all__ = ["DrivenRuns"]
