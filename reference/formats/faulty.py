"""Files that crash or run out of space at a chosen write.

A moment is before each operation that changes something, and in the midst of each that writes
bytes, when some of them are there. `moments` counts those that have passed. Or it happens when so
many bytes are written.
"""

from __future__ import annotations

import enum
import threading
from collections.abc import Iterator

from finale.reference.formats.files import Files, disk_full


class DiskFault(enum.Enum):
    """The kind of fault."""

    CUT = "cut"
    """The process ends. What is written stays, synced or not."""
    FULL = "full"
    """The disk has no room for anything, until files are removed."""


class ProcessEnds(BaseException):
    """The process ends here, and nothing handles that."""


class FaultyFiles:
    """Other files, at one moment of which something happens."""

    def __init__(
        self,
        files: Files,
        at: int | None = None,
        fault: DiskFault = DiskFault.CUT,
        room: int | None = None,
    ) -> None:
        self.files = files
        self.at: int | None = at
        """The number of the moment, from zero on; None to count them only."""
        self.fault = fault
        self.room = room
        """So many more bytes are written; None for any number."""
        self.moments: int = 0
        self.struck: bool = False
        """It has happened,"""
        self._goes_on: bool = False
        """and does so yet."""
        self._counting = threading.Lock()
        """Several threads write, and each moment is one's."""

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
        """Return the bytes of one write: all of them, or half of them before the fault."""
        self._pass(name)
        with self._counting:
            left = len(data) // 2
            if self.room is not None and len(data) > self.room:
                self.at, left = self.moments, self.room
            elif self.room is not None:
                self.room -= len(data)
            amid = self.moments == self.at
            strikes = self._strikes()
        if amid:
            yield data[:left]
        if strikes:
            raise self._reason(name)
        yield data

    def _pass(self, name: str, *, frees: bool = False) -> None:
        with self._counting:
            if self.fault is DiskFault.FULL and frees:
                self._goes_on = False
                return
            strikes = self._strikes()
        if strikes:
            raise self._reason(name)

    def _strikes(self) -> bool:
        """Whether something happens at this moment, which is over."""
        strikes = self._goes_on or self.moments == self.at
        self.moments += 1
        self.struck, self._goes_on = self.struck or strikes, strikes
        return strikes

    def _reason(self, name: str) -> BaseException:
        return ProcessEnds() if self.fault is DiskFault.CUT else disk_full(name)
