"""Lets one process of a user compile the inner loops, while the others wait for what it keeps.

The lock is on the folder in which compiled loops are kept: the system releases it if the process
ends. A folder that cannot be made or locked, or that is another user's, locks nothing: then each
process compiles for itself. This module loads nothing that compiles: whoever shows the progress of
other processes asks it.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from finale.checker.cache.store import VARIABLE, cache_folder
from finale.checker.search.limits import TimeOver

#: A process that waits looks up so often, in seconds.
SECONDS_BETWEEN_LOOKS = 0.1


def folders() -> Iterator[Path]:
    """Yield where compiled loops are kept, the best place first."""
    folder = cache_folder()
    if folder is not None:
        yield folder
    if not os.environ.get(VARIABLE):
        yield Path(tempfile.gettempdir()) / f"finale-{os.getuid()}"


@contextmanager
def alone(seconds: float) -> Generator[None]:
    """Keep other processes from compiling. Raises `TimeOver` if another one compiles too long."""
    until, handle = monotonic() + seconds, _opened(makes=True)
    try:
        while handle is not None and not _locks(handle, fcntl.LOCK_EX):
            if monotonic() >= until:
                raise TimeOver
            sleep(SECONDS_BETWEEN_LOOKS)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def is_compiling() -> bool:
    """Return whether a process of this user compiles the loops now."""
    handle = _opened(makes=False)
    if handle is None:
        return False
    try:
        return not _locks(handle, fcntl.LOCK_SH)
    finally:
        os.close(handle)


def _opened(*, makes: bool) -> int | None:
    """The first folder that can be used, opened. `makes`: make it if it is not there."""
    for folder in folders():
        with suppress(OSError):
            if makes:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            if os.fstat(handle).st_uid == os.getuid():
                return handle
            os.close(handle)
    return None


def _locks(handle: int, kind: int) -> bool:
    """Whether the folder is locked for this process, or cannot be locked at all."""
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


__all__ = ["alone", "folders", "is_compiling"]
