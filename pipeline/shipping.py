"""Packs the code and folders that Spark workers need.

Spark unpacks the archive beside the files of each executor, where `PYTHONPATH` finds it: unpacked,
since rules are read from their source and machine code is kept beside its module.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import model

#: The folder into which executors unpack the archive, and where a user's folders are in it.
UNPACKED = "finale-code"
FOLDERS = "folders"
PACKAGES = ("model", "checker", "reference", "pipeline", "cli")
#: What a compiler leaves beside sources: made again by whoever needs it.
_LEFT_OUT = ("__pycache__",)
#: The same sources make the same archive: a zip has the times of its files in it.
_TIME = (1980, 1, 1, 0, 0, 0)


def packed(folders: Sequence[Path], into: Path) -> Path:
    """An archive with the code and these folders, which are found again by `shipped`."""
    root = Path(model.__file__).parent.parent
    archive = into / f"{UNPACKED}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as found:
        for name in PACKAGES:
            _add(found, root / name, name)
        for folder in folders:
            _add(found, folder, f"{FOLDERS}/{_name(folder)}/{folder.name}")
    return archive


def shipped(folder: Path) -> Path:
    """Return the path of a packed folder on this machine: the original, or the unpacked copy."""
    root = Path(model.__file__).parent.parent
    unpacked = root / FOLDERS / _name(folder) / folder.name
    return unpacked if unpacked.is_dir() else folder


def _name(folder: Path) -> str:
    """Folders of one name are kept apart; a worker may lack the path, so no link is followed."""
    return hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:16]


def _add(archive: zipfile.ZipFile, folder: Path, name: str) -> None:
    for file in _files(folder):
        entry = zipfile.ZipInfo(f"{name}/{file.relative_to(folder).as_posix()}", _TIME)
        archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)


def _files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not any(part in _LEFT_OUT for part in file.parts):
            yield file
