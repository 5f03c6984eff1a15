"""The file of an event log: it is added to, and runs of one name in one folder share it."""

from __future__ import annotations

import json
from io import FileIO
from pathlib import Path

from model.errors import FinaleError, Place
from reference.formats.files import told

#: How a section begins.
START = b'{"event":"log-start"'


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


def check_log(path: Path, run: str, *, new: bool) -> None:
    """A log that is to be written can be. Raises `unwritable`, `log-of-another-folder`.

    `new`: the run has begun nowhere yet, and what a log has of one of its name is not of it.
    """
    file, known = opened(path)
    file.close()
    starts = (line for line in known.splitlines() if line.startswith(START))
    if new and any(_run_of(line) == run for line in starts):
        raise FinaleError(
            "log-of-another-folder",
            f'the log has runs of "{run}" in a folder that is not this one, or is gone: in one log '
            "they would read as one run",
            place=Place(str(path)),
            advice="name another file by --log, or move this one away",
        )


def _run_of(line: bytes) -> object:
    """Whose section begins with a line; None where the line is not whole."""
    try:
        return json.loads(line).get("run")
    except ValueError:
        return None
