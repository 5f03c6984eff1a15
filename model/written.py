"""Writes files of the user: whole or not at all, and never through a link of a folder.

The text goes into a new file beside the old one, which takes the name when all of it is on the
disk. A reader never sees half a text, and a full disk leaves the old file as it was.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

#: The permissions that a new file has, less those that the user's mask takes away.
NEW_FILE = 0o666
#: A name is at most 255 bytes long; the one of the new file has so much of it.
NAME_MAX = 100


def write_whole(path: Path, data: bytes | str, draft: str = "") -> None:
    """Write a file as a whole. Raises `OSError`.

    If the name is a link, the link is replaced by the file: what it leads to is not written.
    `draft` is the name of the new file until then, if one process alone writes into the folder:
    after a process that was killed, the next one replaces it.
    """
    made = path.with_name(draft) if draft else draft_of(path)
    if draft:
        made.unlink(missing_ok=True)
    try:
        with made.open("xb" if draft else "wb") as stream:
            stream.write(data.encode() if isinstance(data, str) else data)
            stream.flush()
            os.fsync(stream.fileno())
        made.chmod(mode_of(path))
        made.replace(path)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def write_through(path: Path, text: str) -> None:
    """Write a file that the user named as a whole; of a link, the file that it leads to.

    Raises `OSError`, also if the user may not write the file itself.
    """
    target = path.resolve()
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(0, "you may not write this file")
    write_whole(target, text)


def draft_of(path: Path) -> Path:
    """Return a new empty file beside a file, with a name that nobody has. Raises `OSError`."""
    number, name = tempfile.mkstemp(".part", f".{path.name[:NAME_MAX]}.", path.parent)
    os.close(number)
    return Path(name)


def mode_of(path: Path) -> int:
    """Return the permissions of a file, or those of a new one."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return NEW_FILE & ~mask


__all__ = ["draft_of", "mode_of", "write_through", "write_whole"]
