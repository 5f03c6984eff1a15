"""Stores the results of cells in a folder: one line for each cell, written at once.

A process that is killed has lost what was being searched, and nothing else.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from finale.model.journal import open_journal

from .work import CellResult

JOURNAL = "cells.ndjson"


class SweepStore:
    """The journal of a folder, open for more. Raises `sweep-folder`, `sweep-in-use`."""

    def __init__(self, folder: Path) -> None:
        self.known: dict[str, CellResult] = {}
        path = folder / JOURNAL
        self._journal = open_journal("sweep", path, "--output", {"v": 1}, self._take)

    def __enter__(self) -> SweepStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()

    def keep(self, done: CellResult) -> None:
        """Write down what became of a cell. One that raised an error is not kept: it is mended."""
        self.known[done.key] = done
        if not done.error:
            self._journal.write(asdict(done))

    def seconds(self) -> dict[tuple[tuple[str, str], ...], float]:
        """Return the last search time of each setting, with any version of the code."""
        return {done.setting: done.seconds for done in self.known.values()}

    def _take(self, record: Any) -> None:
        done = CellResult.from_table(record)
        self.known[done.key] = done
