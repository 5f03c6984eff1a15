"""Appends to the file of an event log."""

from __future__ import annotations

from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from typing import cast

from finale.model.errors import FinaleError, Place
from finale.model.events import START
from finale.model.given import json_of
from finale.reference.formats.files import DiskFiles, told
from finale.reference.formats.folder import id_of, is_new

#: What it is called in a run's folder, if nothing else is said.
LOG = "events.ndjson"
COMPLETE = b'{"event":"complete"'


def opened(path: Path) -> tuple[FileIO, bytes]:
    """A log that is to be added to, and what it has so far."""
    try:
        with told(str(path)):
            known = path.read_bytes() if path.is_file() else b""
            return FileIO(path, "a"), known
    except FileNotFoundError:
        raise FinaleError(
            "unwritable",
            "the folder is not there",
            place=Place(str(path)),
            advice="make it, or name another for the event log",
        ) from None


def check_log(given: Path | None, run: str, folder: Path, savepoint: Path | None = None) -> None:
    """A log that is to be written can be. Raises `unwritable`, `log-of-another-folder`.

    One that a run in another folder has added to last may be gone on with where that run's
    `savepoint` is gone on from: what comes then is justified by it. Earlier versions did not tell
    their folder: such a log is taken, unless the run has begun nowhere yet.
    """
    path = given or folder / LOG
    if path.resolve().parent == folder.resolve() and not folder.is_dir():
        return
    was_there = path.exists()
    file, known = opened(path)
    file.close()
    if not was_there:
        path.unlink()
    starts = (_read(line) for line in known.splitlines() if line.startswith(START))
    of_run = [start for start in starts if start.get("run") == run]
    if not of_run:
        return
    those = (folder, *([savepoint.absolute().parent.parent] if savepoint is not None else ()))
    last = of_run[-1].get("folder")
    fits = not is_new(folder) or savepoint is not None
    if last is not None:
        fits = last in [id_of(DiskFiles(each)) for each in those]
    if not fits:
        raise FinaleError(
            "log-of-another-folder",
            f'the log has runs of "{run}" in a folder that is not this one, or is gone: in one log '
            "they would read as one run",
            place=Place(str(path)),
            advice="name another file by --log, or move this one away",
        )


def newest_in(known: bytes) -> int:
    """The newest number that a log tells as given: somebody may have moved that checkpoint away."""
    lines = (_read(line) for line in known.splitlines() if line.startswith((START, COMPLETE)))
    numbers = (line.get("last", line.get("checkpoint")) for line in lines)
    return max((number for number in numbers if isinstance(number, int)), default=0)


def _read(line: bytes) -> Mapping[str, object]:
    """Return the first line of a section; None if the line is incomplete."""
    try:
        return cast("dict[str, object]", json_of(line))
    except ValueError:
        return {}
