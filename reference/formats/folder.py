"""The folder of a run: it belongs to one job, and to one run at a time."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from model.errors import FinaleError, Place
from reference.formats.files import Files
from reference.formats.jobfile import JobFile

LOCK = "lock"
SHAPE = "job.json"


@contextmanager
def locked(folder: Path) -> Generator[None]:
    """Nobody else runs a job in this folder. Raises `folder-in-use`."""
    handle = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise FinaleError(
            "folder-in-use",
            "another run is using this folder",
            place=Place(str(folder)),
            advice="wait for its end, or name another folder",
        ) from None
    try:
        yield
    finally:
        os.close(handle)


def own(job: JobFile, files: Files, folder: Path) -> None:
    """The folder is new, or this job's. Raises `folder-of-another-job`."""
    shape = json.dumps(
        {
            "vertices": [[v.name, job.kind(v), v.parallelism] for v in job.job.vertices],
            "edges": [edge.name for edge in job.job.edges],
            "inputs": [job.inputs(v) for v in job.job.vertices],
        },
        indent=1,
    ).encode()
    if not files.exists(SHAPE):
        files.write(f".{SHAPE}", shape)
        files.sync(f".{SHAPE}")
        files.rename(f".{SHAPE}", SHAPE)
    elif files.read(SHAPE) != shape:
        raise FinaleError(
            "folder-of-another-job",
            "the folder has the checkpoints of a job with other operators or inputs",
            place=Place(str(folder)),
            advice="name another folder, or run that job",
        )
