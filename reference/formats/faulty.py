"""Files that end a run, or have no room, at any moment at which they are written.

A moment is before each operation that changes something, and in the midst of each that writes
bytes, when some of them are there. `moments` counts those that have passed. Or it happens when so
many bytes are written.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator

from reference.formats.files import Files, disk_full


class Fault(enum.Enum):
    """What happens."""

    CUT = "cut"
    """The process ends. What is written stays, synced or not."""
    FULL = "full"
    """The disk has no room for anything, until files are removed."""


class Cut(BaseException):
    """The process ends here, and nothing handles that."""


class FaultyFiles:
    """Other files, at one moment of which something happens."""

    def __init__(
        self,
        files: Files,
        at: int | None = None,
        fault: Fault = Fault.CUT,
        room: int | None = None,
    ) -> None:
        self.files = files
        self.at = at
        """The number of the moment, from zero on; None to count them only."""
        self.fault = fault
        self.room = room
        """So many more bytes are written; None for any number."""
        self.moments = 0
        self.struck = False
        """It has happened,"""
        self._goes_on = False
        """and does so yet."""

    def write(self, name: str, data: bytes) -> None:
        for part in self._parts(name, data):
            self.files.write(name, part)

    def append(self, name: str, data: bytes) -> None:
        for part in self._parts(name, data):
            self.files.append(name, part)

    def truncate(self, name: str, size: int) -> None:
        self._pass(name)
        self.files.truncate(name, size)

    def sync(self, name: str) -> None:
        self._pass(name)
        self.files.sync(name)

    def rename(self, old: str, new: str) -> None:
        self._pass(new)
        self.files.rename(old, new)

    def remove(self, name: str) -> None:
        self._pass(name, frees=True)
        self.files.remove(name)

    def read(self, name: str) -> bytes:
        return self.files.read(name)

    def exists(self, name: str) -> bool:
        return self.files.exists(name)

    def under(self, folder: str) -> list[str]:
        return self.files.under(folder)

    def told(self, name: str) -> str:
        return self.files.told(name)

    def _parts(self, name: str, data: bytes) -> Iterator[bytes]:
        """What is written at once: all, or half of it before what happens."""
        self._pass(name)
        if self.room is not None:
            if len(data) > self.room:
                self.at = self.moments
                yield data[: self.room]
                self._pass(name)
            self.room -= len(data)
        if self.moments == self.at:
            yield data[: len(data) // 2]
            self._pass(name)
        else:
            self._pass(name)
            yield data

    def _pass(self, name: str, *, frees: bool = False) -> None:
        if self.fault is Fault.FULL and frees:
            self._goes_on = False
            return
        strikes = self.moments == self.at
        self.moments += 1
        if not strikes and not self._goes_on:
            return
        self.struck = self._goes_on = True
        raise Cut if self.fault is Fault.CUT else disk_full(name)
