"""The folder of a hunt: one line for each setting that was searched, written at once.

A hunt that is ended goes on from there. A line of another version of the tool or of the rules does
not count: its key is another one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from model.errors import FinaleError, Place
from model.given import appended

from .signature import Signature

JOURNAL = "settings.ndjson"
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
            self._file: IO[bytes] = appended(folder / JOURNAL)
            lines = (folder / JOURNAL).read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise self._unusable(f"it cannot be used: {error.strerror}") from None
        if not lines:
            self._write(_HEAD)
        for searched in self._read(lines):
            self.known[searched.key] = searched

    def keep(self, searched: Searched) -> None:
        """Write down what was found in a setting."""
        self.known[searched.key] = searched
        self._write(asdict(searched))

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def _refuse_foreign(self) -> None:
        others = {each.name for each in self.folder.iterdir()} - {JOURNAL, "found"}
        if others and not (self.folder / JOURNAL).exists():
            raise self._unusable("it has other files, and no hunt")

    def _write(self, value: Mapping[str, object]) -> None:
        self._file.write(json.dumps(value).encode() + b"\n")
        self._file.flush()

    def _read(self, lines: list[str]) -> Iterator[Searched]:
        for number, line in enumerate(lines, 1):
            try:
                told = json.loads(line)
                if told != _HEAD:
                    yield _searched(told)
            except (ValueError, TypeError, KeyError):
                if number < len(lines):  # half a last line is what was being written
                    raise self._unusable(f"line {number} of {JOURNAL} cannot be read") from None

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


__all__ = ["Journal", "Searched", "Violation"]
