"""Files on a disk, or in memory for runs that are forked and compared.

Few operations, so that each is a point at which a run may be cut off: what is written is not safe
before it is synced, and a name not before its folder is.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from finale.model.errors import FinaleError, Place
from finale.model.given import opened

#: The end of an advice. From where the job goes on then, whoever knows its folder may add.
AGAIN = "run the job again"


class Files(Protocol):
    """A folder, with names relative to it."""

    def write(self, name: str, data: bytes) -> None:
        """Make a file anew."""

    def append(self, name: str, data: bytes) -> None:
        """Add to the end of a file, which may be new."""

    def truncate(self, name: str, size: int) -> None:
        """Cut a file to its first bytes."""

    def sync(self, name: str) -> None:
        """Make sure that a file's bytes survive, and its name."""

    def rename(self, old: str, new: str) -> None:
        """Give a file another name, in place of what had it; the folders are synced."""

    def remove(self, name: str) -> None:
        """Remove a file, if it is there; its folder is synced."""

    def read(self, name: str) -> bytes:
        """Raises FileNotFoundError."""
        ...

    def exists(self, name: str) -> bool: ...

    def under(self, folder: str) -> list[str]:
        """The names of the files in a folder and those below it, sorted."""
        ...

    def told(self, name: str) -> str:
        """What a file is called where its folder is not known."""
        ...


class MemoryFiles:
    """Files that live and are copied with the run that writes them."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}

    def write(self, name: str, data: bytes) -> None:
        self.contents[name] = data

    def append(self, name: str, data: bytes) -> None:
        self.contents[name] = self.contents.get(name, b"") + data

    def truncate(self, name: str, size: int) -> None:
        self.contents[name] = self.contents[name][:size]

    def sync(self, name: str) -> None:
        """Nothing here outlives the run."""

    def rename(self, old: str, new: str) -> None:
        self.contents[new] = self.contents.pop(old)

    def remove(self, name: str) -> None:
        self.contents.pop(name, None)

    def read(self, name: str) -> bytes:
        if name not in self.contents:
            raise FileNotFoundError(name)
        return self.contents[name]

    def exists(self, name: str) -> bool:
        return name in self.contents

    def under(self, folder: str) -> list[str]:
        prefix = f"{folder}/" if folder else ""
        return sorted(name for name in self.contents if name.startswith(prefix))

    def told(self, name: str) -> str:
        return name


class DiskFiles:
    """Files below a folder of the machine. Raises `disk-full` and `unwritable`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._known: set[Path] = set()
        """Folders whose names are safe."""

    def write(self, name: str, data: bytes) -> None:
        with self._told(name):
            self._path(name).write_bytes(data)

    def append(self, name: str, data: bytes) -> None:
        with self._told(name), self._path(name).open("ab") as file:
            file.write(data)

    def truncate(self, name: str, size: int) -> None:
        with self._told(name):
            os.truncate(self.root / name, size)

    def sync(self, name: str) -> None:
        path = self.root / name
        with self._told(name):
            _sync(path)
            self.sync_folder(path.parent)

    def rename(self, old: str, new: str) -> None:
        with self._told(new):
            source, target = self.root / old, self._path(new)
            source.replace(target)
            # In this order: at no time a loss of power can take away both names.
            for folder in dict.fromkeys((target.parent, source.parent)):
                self.sync_folder(folder)

    def remove(self, name: str) -> None:
        path = self.root / name
        with self._told(name):
            if not path.exists():
                return
            path.unlink(missing_ok=True)
            folder = path.parent
            # Folders of one checkpoint go with it; in those above, others may be writing.
            below = folder.parent.is_relative_to(self.root) and folder.parent != self.root
            if below and not any(folder.iterdir()):
                folder.rmdir()
                folder = folder.parent
            self.sync_folder(folder)

    def sync_folder(self, folder: Path) -> None:
        """Make sure that the names in a folder survive, and that those do not that are gone."""
        _sync(folder)

    def read(self, name: str) -> bytes:
        with opened(self.root / name) as file:
            return file.read()

    def exists(self, name: str) -> bool:
        return (self.root / name).exists()

    def under(self, folder: str) -> list[str]:
        found = (path for path in (self.root / folder).rglob("*") if path.is_file())
        return sorted(path.relative_to(self.root).as_posix() for path in found)

    def told(self, name: str) -> str:
        return str(self.root / name)

    def _path(self, name: str) -> Path:
        path = self.root / name
        self._make(path.parent)
        return path

    def make_root(self) -> None:
        """The folder itself, and those above it that are new. Raises what the machine does."""
        self._make(self.root)

    def secure(self) -> None:
        """Sync the files of an earlier process, which may have been killed before its sync.

        A name that is seen is built upon: those in the root, its own, and those of the folders
        above it. No run has made any on another device, or where it may not write.
        """
        root = self.root.resolve()
        with self._told(""):
            device = root.stat().st_dev
            for folder in (*root.parents, root, *root.rglob("*/")):
                if folder.stat().st_dev == device and os.access(folder, os.R_OK | os.W_OK):
                    self.sync_folder(folder)

    def _make(self, folder: Path) -> None:
        """A folder, and its name in the one above: a file in it is no safer than that.

        That it is there is not enough: who has made it may not have come to the sync.
        """
        if (folder in self._known or self.root not in folder.parents) and folder.exists():
            return
        self._make(folder.parent)
        folder.mkdir(exist_ok=True)
        self.sync_folder(folder.parent)
        self._known.add(folder)

    def _told(self, name: str) -> AbstractContextManager[None]:
        return told(self.told(name))


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def told(name: str) -> Generator[None]:
    """What the machine refuses is told by its code and the file's name."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as reason:
        if reason.errno in (errno.ENOSPC, errno.EDQUOT):
            raise disk_full(name) from reason
        raise FinaleError(
            "unwritable",
            f"it cannot be written: {reason.strerror}",
            place=Place(name),
            advice=f"check the permissions, and {AGAIN}",
        ) from reason


def disk_full(name: str) -> FinaleError:
    """The disk has no room."""
    return FinaleError(
        "disk-full",
        "the disk has no room for it",
        place=Place(name),
        advice=f"make room, and {AGAIN}",
    )
