"""The folder of a run. It belongs to one job, and to one run at a time."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from finale.model.errors import FinaleError, Place
from finale.model.given import json_of
from finale.reference.formats.files import AGAIN, DiskFiles, Files, told
from finale.reference.formats.jobfile import JobFile

LOCK = "lock"
JOB = "job.json"
END = "ended.json"
"""How the job was ended, for good or to go on; not where a run was killed."""
CONTROL = "control"
"""Where a run is asked for something, in a folder of its name."""
ENDS = ("finished", "drained")
"""After these nothing is left to do."""


#: For so long a lock is tried: who only looks at it has it for a moment.
PATIENCE = 0.3


def is_new(folder: Path) -> bool:
    """Whether no run has ever begun in a folder, which may not be there."""
    return not (folder / JOB).exists()


@contextmanager
def locked(folder: Path) -> Generator[str]:
    """Nobody else runs a job in this folder; the run's name. Raises `folder-in-use`."""
    handle = _open(folder)
    try:
        until = time.monotonic() + PATIENCE
        while not _is_taken(handle, fcntl.LOCK_EX):
            if time.monotonic() > until:
                raise FinaleError(
                    "folder-in-use",
                    "another run is using this folder",
                    place=Place(str(folder)),
                    advice="wait for its end, or name another folder",
                )
            time.sleep(PATIENCE / 10)
        name = uuid.uuid4().hex
        with told(str(folder / LOCK)):
            os.ftruncate(handle, 0)
        DiskFiles(folder).secure()
        make_control(folder, name)
        with told(str(folder / LOCK)):
            os.pwrite(handle, name.encode(), 0)
        yield name
    finally:
        os.close(handle)


def make_control(folder: Path, run: str) -> Path:
    """Make the folder for requests, and remove requests of earlier runs."""
    place = folder / CONTROL / run
    with told(str(place)):
        if not place.exists():
            shutil.rmtree(folder / CONTROL, ignore_errors=True)
            place.mkdir(parents=True)
    return place


def name_of_run(folder: Path) -> str | None:
    """The name of the run that is using a folder, if there is one, and it can be asked already."""
    try:
        handle = os.open(folder / LOCK, os.O_RDONLY)
    except OSError:
        return None
    try:
        free = _is_taken(handle, fcntl.LOCK_SH)
        return None if free else os.pread(handle, 100, 0).decode() or None
    finally:
        os.close(handle)


def _open(folder: Path) -> int:
    """The lock of a folder, which may be new. Raises `not-a-folder`, `unwritable`."""
    try:
        DiskFiles(folder).make_root()
        return os.open(folder / LOCK, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW)
    except (FileExistsError, NotADirectoryError):
        raise FinaleError(
            "not-a-folder",
            "this is a file, but a run needs a folder",
            place=Place(str(folder)),
            advice="name a folder, which may be new",
        ) from None
    except OSError as reason:
        raise FinaleError(
            "unwritable",
            f"a run cannot write here: {reason.strerror}",
            place=Place(str(folder)),
            advice="name a folder that you may write to",
        ) from None


def _is_taken(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def own(job: JobFile, files: Files, folder: Path) -> None:
    """The folder is new, or this job's. Raises `folder-of-another-job`, `owner-unreadable`.

    A job is known by the name that it gives itself, and where it gives none by its file.
    """
    now = {"name": job.name, "file": str(job.file.resolve()), "folder": uuid.uuid4().hex}
    if not files.exists(JOB):
        _write(files, JOB, json.dumps(now).encode())
        return
    before = _told(_read(files, JOB))
    if "name" not in before:
        raise FinaleError(
            "owner-unreadable",
            "the file that names the job of this folder cannot be read",
            place=Place(files.told(JOB)),
            advice=f"if the folder is this job's, write {json.dumps({'name': job.name})} into it, "
            f"and {AGAIN}",
        )
    # Folders of earlier versions have only a name.
    file = before.get("file", now["file"])
    if before.get("name") != job.name:
        raise FinaleError(
            "folder-of-another-job",
            f'the folder has the checkpoints of another job than "{job.name}"',
            place=Place(str(folder)),
            advice="name another folder, or run that job; if it is this one, say its name in the "
            "job, as job.json in the folder has it",
        )
    if not job.is_named and file != now["file"]:
        raise FinaleError(
            "folder-of-another-job",
            f'the folder belongs to the job "{job.name}" in {file}, and this one may be another',
            place=Place(str(folder)),
            advice=f'name another folder; or, if the job has moved, write name = "{job.name}" in '
            "it, by which it is known from then on",
        )
    if id_of(files) is None:
        _write(files, JOB, json.dumps(before | {"folder": now["folder"]}).encode())


def id_of(files: Files) -> str | None:
    """By which event logs know a folder, wherever it is moved; None where no run has begun."""
    said = _told(_read(files, JOB)).get("folder") if files.exists(JOB) else None
    return said if isinstance(said, str) else None


def _read(files: Files, name: str) -> bytes:
    """Return the content of a file of the folder; empty if it cannot be read."""
    try:
        return files.read(name)
    except OSError:
        return b""


def _told(data: bytes) -> dict[str, Any]:
    """Return the values in a file of the folder; none if the file was damaged."""
    try:
        said = json_of(data)
    except ValueError:
        return {}
    return cast("dict[str, Any]", said) if isinstance(said, dict) else {}


def end_of(files: Files) -> str | None:
    """Return how the job ended for good, if it has ended. Raises `end-unreadable`."""
    if not files.exists(END):
        return None
    data = _read(files, END)
    for end in ENDS:
        if data == _said_of(end):
            return end
    if left_with(files) is not None:
        return None
    raise FinaleError(
        "end-unreadable",
        "the file that says how the job ended cannot be read",
        place=Place(files.told(END)),
        advice=f"remove it, and {AGAIN}",
    )


def left_with(files: Files) -> int | None:
    """The checkpoint that there was when a run ended, and the job was to go on from there."""
    said = _told(_read(files, END)).get("checkpoint") if files.exists(END) else None
    return said if isinstance(said, int) else None


def mark_end(files: Files, end: str, checkpoint: int | None) -> None:
    """Mark the job as ended for good, or as to be continued from a checkpoint."""
    if end in ENDS:
        _write(files, END, _said_of(end))
    elif checkpoint is not None:
        _write(files, END, json.dumps({"end": end, "checkpoint": checkpoint}).encode())


def lines_in(files: Files, folder: str) -> int:
    """Return the number of lines in the files of a folder."""
    return sum(files.read(name).count(b"\n") for name in files.under(folder))


def _said_of(end: str) -> bytes:
    return json.dumps({"end": end}).encode()


def _write(files: Files, name: str, data: bytes) -> None:
    files.write(f".{name}", data)
    files.sync(f".{name}")
    files.rename(f".{name}", name)
