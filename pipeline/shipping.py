"""Packs the code and folders that Spark workers need.

Spark unpacks the archive beside the files of each executor, where `PYTHONPATH` finds it: unpacked,
since rules are read from their source and machine code is kept beside its module.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import finale

#: The folder into which executors unpack the archive, and where a user's folders are in it.
UNPACKED = "finale-code"
FOLDERS = "folders"
#: The package as it was loaded.
_HOME = Path(finale.__file__).parent
#: What a compiler leaves beside sources: a worker makes it again. And specs: no worker reads them.
_LEFT_OUT = ("__pycache__", "specs")
#: The same sources make the same archive: a zip has the times of its files in it.
_TIME = (1980, 1, 1, 0, 0, 0)


def packed(folders: Sequence[Path], into: Path) -> Path:
    """An archive with the code and these folders, which are found again by `shipped`."""
    archive = into / f"{UNPACKED}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as found:
        for part in sorted(each for each in _HOME.iterdir() if each.name not in _LEFT_OUT):
            _add(found, part, f"{_HOME.name}/{part.name}")
        for folder in folders:
            _add(found, folder, f"{FOLDERS}/{_name(folder)}/{folder.name}")
    return archive


def shipped(folder: Path) -> Path:
    """Return the path of a packed folder on this machine: the original, or the unpacked copy."""
    unpacked = _HOME.parent / FOLDERS / _name(folder) / folder.name
    return unpacked if unpacked.is_dir() else folder


def _name(folder: Path) -> str:
    """Folders of one name are kept apart; a worker may lack the path, so no link is followed."""
    return hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:16]


def _add(archive: zipfile.ZipFile, folder: Path, name: str) -> None:
    for file in _files(folder):
        inside = "" if file == folder else f"/{file.relative_to(folder).as_posix()}"
        entry = zipfile.ZipInfo(f"{name}{inside}", _TIME)
        archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)


def _files(folder: Path) -> Iterator[Path]:
    for file in [folder] if folder.is_file() else sorted(folder.rglob("*")):
        if file.is_file() and not any(part in _LEFT_OUT for part in file.parts):
            yield file
