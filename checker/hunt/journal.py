"""The folder of a hunt: one line for each setting that was searched, written at once.

A hunt that is ended goes on from there. A line of another version of the tool or of the rules does
not count: its key is another one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from finale.model.errors import FinaleError, Place
from finale.model.given import appended

from .signature import Signature

JOURNAL = "settings.ndjson"
#: The folder of the specs of new signatures.
FOUND = "found"
_HEAD = {"finale": "hunt", "v": 1}


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
    """The results of a hunt, open for more. Raises `hunt-folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, Searched] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._refuse_foreign()
            (folder / FOUND).mkdir(exist_ok=True)
            self._file: IO[bytes] = appended(folder / JOURNAL)
            lines = self._whole_lines()
        except OSError as error:
            raise self._unusable(f"it cannot be used: {error.strerror}") from None
        if not lines:
            self._write(_HEAD)
        try:
            for number, line in enumerate(lines, 1):
                searched = self._read(number, line)
                if searched is not None:
                    self.known[searched.key] = searched
        except FinaleError:
            self._file.close()
            raise

    def _whole_lines(self) -> list[bytes]:
        """The lines of the file. Half a last line, which was being written, is cut off."""
        self._file.seek(0)
        data = self._file.read()
        end = data.rfind(b"\n") + 1
        if end < len(data):
            self._file.truncate(end)
        return data[:end].splitlines()

    def keep(self, searched: Searched) -> None:
        """Write down what was found in a setting."""
        self.known[searched.key] = searched
        self._write(asdict(searched))

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _refuse_foreign(self) -> None:
        others = {each.name for each in self.folder.iterdir()} - {JOURNAL, FOUND}
        if others and not (self.folder / JOURNAL).exists():
            raise self._unusable("it has other files, and no hunt")

    def _write(self, value: Mapping[str, object]) -> None:
        self._file.write(json.dumps(value).encode() + b"\n")
        self._file.flush()

    def _read(self, number: int, line: bytes) -> Searched | None:
        """What a line says; the first one says what the file is."""
        try:
            told = json.loads(line)
            if number > 1:
                return _searched(told)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise self._unusable(f"line {number} of {JOURNAL} cannot be read") from None
        if told != _HEAD:
            raise self._unusable(f"line 1 of {JOURNAL} is of no hunt that this version can read")
        return None

    def _unusable(self, why: str) -> FinaleError:
        return FinaleError(
            "hunt-folder",
            f"this folder cannot hold a hunt: {why}",
            place=Place(str(self.folder)),
            advice="name another folder with --output",
        )


def _searched(told: dict[str, Any]) -> Searched:
    violations = [
        Violation(each["property"], each["steps"], _signature(each["signature"]))
        for each in told.pop("violations")
    ]
    return Searched(**told, violations=tuple(violations))


def _signature(told: dict[str, Any]) -> Signature:
    return Signature(told["property"], tuple(told["environment"]), tuple(told["decisive"]))
