"""A journal: a file of lines in a folder of the user, which one process at a time goes on with.

The first line says what the journal is of. A line is whole or absent: half a last line, which was
being written when its process ended, is cut off. A folder with anything else is left as it is.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from .errors import FinaleError, Place
from .given import appended, json_of, whole_of

Take = Callable[[Any], None]
"""Takes the record of a line. Raises `ValueError`, `TypeError`, `KeyError` or `AttributeError` if
the record is none."""
_CHANGED = (ValueError, TypeError, KeyError, AttributeError)


class Journal:
    """The lines of a file, open for more. `open_journal` makes one."""

    def __init__(
        self, path: Path, of: str, unusable: Callable[[str], FinaleError], in_use: FinaleError
    ) -> None:
        self.folder, self._name = path.parent, path.name
        self._unusable = unusable
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _refuse_foreign(path, of, unusable)
            self._file: IO[bytes] = appended(path)
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise in_use from None

    def write(self, record: Mapping[str, object]) -> None:
        """Write a record as a line. Raises the error of the folder if that fails."""
        try:
            self._file.write(json.dumps(record).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from None

    def sync(self) -> None:
        """Wait until all that was written is on the disk. Raises the error of the folder."""
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._unwritable(error) from None

    def subfolder(self, name: str) -> Path:
        """Return a folder in that of the journal. Raises the error of the folder, also for a link:
        nothing is written outside."""
        folder = self.folder / name
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from None
        if folder.is_symlink():
            raise self._unusable(f"{name} in it is a link")
        return folder

    def close(self) -> None:
        """Close the file, which ends the lock."""
        with suppress(OSError):  # an error of a line was told when it was written
            os.fsync(self._file.fileno())
        with suppress(OSError):
            self._file.close()

    def begin(self, of: str, head: Mapping[str, object], take: Take, other: str) -> None:
        """Take the records that are there, or write the head of a new journal."""
        name = self._name
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]
        if not whole and not json.dumps(head).encode().startswith(data):
            raise self._unusable(f"{name} in it is no journal of a {of}")
        first, *lines = whole.splitlines() or [b""]
        if whole and (begun := _value(first)) != json.loads(json.dumps(head)):
            is_ours = isinstance(begun, dict) and begun.get("finale") == of
            raise self._unusable(other if is_ours else f"{name} in it is no journal of a {of}")
        for number, line in enumerate(lines, 2):
            try:
                take(json_of(line))
            except _CHANGED:
                raise self._unusable(f"line {number} of {name} in it was changed") from None
        self._file.truncate(len(whole))
        if not whole:
            self.write(head)

    def _unwritable(self, error: OSError) -> FinaleError:
        return self._unusable(f"it cannot be written: {error.strerror or error}")


def open_journal(
    of: str,
    path: Path,
    flag: str,
    head: Mapping[str, object],
    take: Take,
    other: str = "it is of another version",
) -> Journal:
    """Open the journal of a sweep, a hunt or a watch, and take its records.

    The first line is `head`; `other` says of what a journal is whose head differs, and `flag` is
    the option that names the folder. Raises the code of an error that ends with `-folder` if the
    folder cannot be used, or with `-in-use` if another process has the lock.
    """

    journal = Journal(
        path,
        of,
        lambda what: _not_usable(f"{of}-folder", path, f"the folder of the {of}", what, flag),
        _in_use(f"{of}-in-use", path, f"another {of}", flag),
    )
    try:
        journal.begin(of, {"finale": of, **head}, take, other)
    except BaseException:
        journal.close()
        raise
    return journal


def _not_usable(code: str, path: Path, folder: str, what: str, flag: str) -> FinaleError:
    return FinaleError(
        code,
        f"{folder} cannot be used: {what}",
        place=Place(str(path.parent)),
        advice=f"name another folder with {flag}",
    )


def _in_use(code: str, path: Path, other: str, flag: str) -> FinaleError:
    return FinaleError(
        code,
        f"{other} writes into this folder right now",
        place=Place(str(path.parent)),
        advice=f"wait for it, or name another folder with {flag}",
    )


def _refuse_foreign(path: Path, of: str, unusable: Callable[[str], FinaleError]) -> None:
    """Before anything is written: a folder in which no journal has begun has nothing in it."""
    others = any(each.name != path.name for each in path.parent.iterdir())
    # Looked at after the others: who begins right now writes its journal before anything else.
    if others and not (path.exists() and b"\n" in whole_of(path)):
        raise unusable(f"it has files, and no journal of a {of}")


def _value(line: bytes) -> Any:
    try:
        return json_of(line)
    except ValueError:
        return None


__all__ = ["Journal", "Take", "open_journal"]
