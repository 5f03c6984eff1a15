"""Files on a disk of which somebody looks at each moment, and what a loss of power leaves of them.

A rename is one thing to the disk, and what had one of the names is never without one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from finale.reference.formats.files import DiskFiles


class WatchedFiles(DiskFiles):
    """Somebody looks before each operation and each sync of a folder, and amid each write."""

    def __init__(self, root: Path, look: Callable[[str], None] = lambda _: None) -> None:
        super().__init__(root)
        self.look = look
        self.safe: dict[str, int] = {}
        """How much of each file has been synced."""
        self.before: dict[str, bytes | None] = {}
        """What has a name again when power is lost, since its folder is not synced; None: nothing
        has."""

    def write(self, name: str, data: bytes) -> None:
        self.safe.pop(name, None)
        super().write(name, data[: len(data) // 2])
        self.look("write")
        super().write(name, data)

    def append(self, name: str, data: bytes) -> None:
        super().append(name, data[: len(data) // 2])
        self.look("append")
        super().append(name, data[len(data) // 2 :])

    def sync(self, name: str) -> None:
        self.look("sync")
        size = (self.root / name).stat().st_size
        super().sync(name)
        self.safe[name] = size

    def rename(self, old: str, new: str) -> None:
        self.look("rename")
        self.before[new] = self._safe_part(new)
        self.before[old] = self._safe_part(old)
        self.safe[new] = self.safe.pop(old, 0)
        super().rename(old, new)

    def remove(self, name: str) -> None:
        self.look("remove")
        if self.exists(name):
            self.before[name] = self._safe_part(name)
        self.safe.pop(name, None)
        super().remove(name)

    def sync_folder(self, folder: Path) -> None:
        self.look("folder")
        super().sync_folder(folder)
        for name in list(self.before):
            # A folder that is gone is so for good when the one above is synced.
            parent = (self.root / name).parent
            if folder == parent or (folder == parent.parent and not parent.exists()):
                del self.before[name]

    def lose_power(self, copy: Path) -> None:
        """In a copy, what was not synced is gone, and what is gone comes back unless that was."""
        for name in DiskFiles(copy).under(""):
            if name in self.safe:
                os.truncate(copy / name, self.safe[name])
            else:
                (copy / name).unlink()
        for name, data in self.before.items():
            if data is None:
                (copy / name).unlink(missing_ok=True)
            else:
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                (copy / name).write_bytes(data)

    def _safe_part(self, name: str) -> bytes | None:
        """What power cannot take from a file whose name is safe, or was since its last sync."""
        if name in self.before:
            return self.before[name]
        return self.read(name)[: self.safe[name]] if name in self.safe else None
