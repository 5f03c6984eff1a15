"""Stores the results of cells in a folder: one line for each cell, written at once.

A process that is killed has lost what was being searched, and nothing else: half a last line is
dropped. One process at a time writes into a folder.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from finale.model.errors import FinaleError, Place
from finale.model.given import appended, whole_of

from .work import CellResult

JOURNAL = "cells.ndjson"
_HEAD = b'{"finale": "sweep", "v": 1}'


class SweepStore:
    """The journal of a folder, open for more. Raises `sweep-folder`, `sweep-in-use`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, CellResult] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _refuse_foreign(folder)
            self._file: IO[bytes] = appended(folder / JOURNAL)
        except OSError as error:
            raise _unusable(folder, f"it cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise FinaleError(
                "sweep-in-use",
                "another sweep writes into this folder right now",
                place=Place(str(folder)),
                advice="wait for it, or name another folder with --output",
            ) from None
        try:
            self._read()
        except FinaleError:
            self._file.close()
            raise

    def __enter__(self) -> SweepStore:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            os.fsync(self._file.fileno())
        self._file.close()

    def keep(self, done: CellResult) -> None:
        """Write down what became of a cell. One that raised an error is not kept: it is mended."""
        self.known[done.key] = done
        if not done.error:
            self._write(done.to_json())

    def seconds(self) -> dict[tuple[tuple[str, str], ...], float]:
        """Return the last search time of each setting, with any version of the code."""
        return {done.setting: done.seconds for done in self.known.values()}

    def _write(self, line: str) -> None:
        self._file.write(line.encode() + b"\n")
        self._file.flush()

    def _read(self) -> None:
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]
        head, *lines = whole.splitlines() or [data]
        if not (head == _HEAD if whole else _HEAD.startswith(head)):
            raise _unusable(self.folder, f"{JOURNAL} in it is no journal of a sweep")
        for done in self._lines(lines):
            self.known[done.key] = done
        self._file.truncate(len(whole))
        if not whole:
            self._write(_HEAD.decode())

    def _lines(self, lines: list[bytes]) -> Iterator[CellResult]:
        for number, line in enumerate(lines, 2):
            try:
                yield CellResult.from_json(line.decode())
            except (ValueError, TypeError, KeyError, AttributeError):
                what = f"line {number} of {JOURNAL} in it was changed"
                raise _unusable(self.folder, what) from None


def _refuse_foreign(folder: Path) -> None:
    """Before anything is written: a folder in which no sweep has begun has nothing in it."""
    others = any(each.name != JOURNAL for each in folder.iterdir())
    # Looked at after the others: who begins right now writes its journal before anything else.
    journal = folder / JOURNAL
    if others and not (journal.exists() and b"\n" in whole_of(journal)):
        raise _unusable(folder, "it has files, and no journal of a sweep")


def _unusable(folder: Path, what: str) -> FinaleError:
    return FinaleError(
        "sweep-folder",
        f"the folder of the sweep cannot be used: {what}",
        place=Place(str(folder)),
        advice="name another folder with --output",
    )
