"""The folder of a hunt: one line for each setting that was searched, written at once.

A hunt that is ended goes on from there. A line of another version of the tool or of the rules does
not count: its key is another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from finale.checker.cache.plain_data import plain, typed
from finale.model.errors import FinaleError
from finale.model.journal import open_journal

from .signature import Signature

JOURNAL = "settings.ndjson"
#: The folder of the specs of new signatures.
FOUND = "found"


@dataclass(frozen=True)
class Violation:
    """A property that falls in a setting: the length of the counterexample, and its signature."""

    property: str
    steps: int
    signature: Signature


@dataclass(frozen=True)
class Searched:
    """A setting that was searched. `stopped` names a limit, `refused` says why it is no setting."""

    key: str
    name: str
    states: int = 0
    seconds: float = 0.0
    stopped: str = ""
    refused: str = ""
    violations: tuple[Violation, ...] = ()


class Journal:
    """The results of a hunt, open for more. Raises `hunt-folder`, `hunt-in-use`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, Searched] = {}
        path = folder / JOURNAL
        self._journal = open_journal("hunt", path, "--output", {"v": 1}, self._take)
        try:
            self._journal.subfolder(FOUND)
        except FinaleError:
            self._journal.close()
            raise

    def keep(self, searched: Searched) -> None:
        """Write down what was found in a setting."""
        self.known[searched.key] = searched
        self._journal.write(plain(searched))

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()

    def _take(self, record: Any) -> None:
        searched = typed(Searched, record)
        self.known[searched.key] = searched
