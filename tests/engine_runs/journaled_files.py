"""Files in memory that record each write, so that a test can crash between two writes.

What is not synced may be there after the power was lost, or not, each file for itself: a file that
was written may be as it was. Names that were changed or removed are safe, for their folders are
synced with them; amid that both names of a file may be there, or one that is being removed. The
bytes behind a name are no safer by that.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from finale.reference.formats.files import MemoryFiles

Contents = dict[str, bytes]
Frozen = frozenset[tuple[str, bytes]]

#: What an engine can do to files: no micro-step is of another name.
MICRO_STEPS = ("write", "append", "truncate", "sync", "rename", "remove")


@dataclass(frozen=True)
class Disk:
    """The files on a disk, and the files that are synced."""

    contents: Frozen
    safe: Frozen

    @classmethod
    def of(cls, contents: Contents, safe: Contents) -> Disk:
        return cls(frozenset(contents.items()), frozenset(safe.items()))

    def left(self) -> Iterator[Frozen]:
        """Return the possible contents of a disk after a loss of power."""
        now, then = dict(self.contents), dict(self.safe)
        unsure = sorted(n for n in now.keys() | then.keys() if now.get(n) != then.get(n))
        for chosen in itertools.product((now, then), repeat=len(unsure)):
            kept = self.contents & self.safe
            ways = zip(unsure, chosen, strict=True)
            yield kept | {(name, way[name]) for name, way in ways if name in way}


class JournaledFiles(MemoryFiles):
    """Files that remember what is synced, and each moment since `begin`."""

    def __init__(self) -> None:
        super().__init__()
        self.safe: Contents = {}
        self.done: list[str] = []
        """The micro-steps since then, by name."""
        self.moments: list[tuple[str, Disk]] = []
        """The disk after each of them, and amid each that has several parts; and which it is."""

    @property
    def disk(self) -> Disk:
        return Disk.of(self.contents, self.safe)

    def begin(self) -> None:
        self.done, self.moments = [], []

    def put_back(self, contents: Mapping[str, bytes] | Frozen) -> None:
        """Start with a disk as found: all its files count as synced."""
        self.contents = dict(contents)
        self.safe = dict(contents)
        self.begin()

    def write(self, name: str, data: bytes) -> None:
        self._write(name, data[: len(data) // 2], data)
        self._did("write", name)

    def append(self, name: str, data: bytes) -> None:
        before = self.contents.get(name, b"")
        self._write(name, before + data[: len(data) // 2], before + data)
        self._did("append", name)

    def truncate(self, name: str, size: int) -> None:
        super().truncate(name, size)
        self._did("truncate", name)

    def sync(self, name: str) -> None:
        self.safe[name] = self.contents[name]
        self._sync_removals(name)
        self._did("sync", name)

    def rename(self, old: str, new: str) -> None:
        super().rename(old, new)
        self.safe[new] = self.safe.get(old, b"")
        self._sync_removals(new)
        if _folder(old) != _folder(new):
            self.moments.append((f"amid {new}", self.disk))
        self.safe.pop(old, None)
        self._sync_removals(old)
        self._did("rename", new)

    def remove(self, name: str) -> None:
        if name in self.contents:
            super().remove(name)
            self.moments.append((f"amid {name}", self.disk))
            self._sync_removals(name)
            self._did("remove", name)

    def _write(self, name: str, half: bytes, whole: bytes) -> None:
        self.contents[name] = half
        self.moments.append((f"amid {name}", self.disk))
        self.contents[name] = whole

    def _sync_removals(self, name: str) -> None:
        """With a folder's names those that are gone from it are."""
        for each in [n for n in self.safe if n not in self.contents]:
            if _folder(each) == _folder(name):
                del self.safe[each]

    def _did(self, what: str, name: str) -> None:
        self.done.append(what)
        self.moments.append((f"{what} {name}", self.disk))


def _folder(name: str) -> str:
    return name.rpartition("/")[0]


__all__ = ["MICRO_STEPS", "Contents", "Disk", "Frozen", "JournaledFiles"]
