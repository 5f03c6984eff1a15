"""The file in which worked-out things are kept: a table of texts by key, in SQLite.

The file may be deleted at any time. Several processes may use it at once, and each may be killed.
A file that another user owns, or may write to, is not used. If the file cannot be read or written,
the store behaves like an empty one, and `trouble` says why.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
import zlib
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from hashlib import blake2b
from pathlib import Path

from . import BEGAN

#: The environment variable that names the folder; if it is empty, nothing is kept.
VARIABLE = "FINALE_CACHE"
FILE = "finale.sqlite"
#: The layout of the table, and what its keys are made of. A file of another one is begun anew.
LAYOUT = 3
#: If the file grows beyond this, what was not used for longest is removed.
BYTES_MAX = 512 * 1024 * 1024
#: So long a process waits for another one that writes, in seconds.
WAIT_SECONDS = 2.0
#: By so much the clock of a file system may be behind that of the process.
SECONDS_OF_CLOCKS = 1.0
_FINALE = f"{Path(__file__).parents[2]}{os.sep}"
_CHECK_BYTES = 8


def cache_folder() -> Path | None:
    """Return the folder that the user names, else the usual one; None if there is none."""
    named = os.environ.get(VARIABLE, "").strip()
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        if named:
            return Path(named).expanduser()
        return Path(home) / "finale" if home else Path.home() / ".cache" / "finale"
    except RuntimeError:  # this user has no home, or the one who is named
        return None


def users_store() -> Store | None:
    """Return the store of this user; None if the user names a folder without a name."""
    named = os.environ.get(VARIABLE)
    return None if named is not None and not named.strip() else Store(cache_folder())


class Store:
    """Texts by key. What is put is written when the store is flushed or closed.

    Keys name the code of Finale by what its files say. So nothing is written if a file may have
    changed after it was loaded: another process would take it for the work of the new code.
    """

    def __init__(self, folder: Path | None) -> None:
        self.trouble = ""
        self._waiting: dict[bytes, str] = {}
        self._used: set[bytes] = set()
        self._file: sqlite3.Connection | None = None
        self._process = os.getpid()
        self._path = None if folder is None else folder / FILE
        if folder is not None:
            self._open(folder)

    def _open(self, folder: Path) -> None:
        try:
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700, parents=True)
            self.trouble = _distrusted(folder)
            if not self.trouble:
                self._file = _connected(folder / FILE)
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self.trouble = self.trouble or f"the cache in {self._path} is not used: {error}"
        self._file = None
        self._waiting.clear()

    @property
    def is_open(self) -> bool:
        """Whether there is a file to read from and write to."""
        return self._own_file() is not None

    def _own_file(self) -> sqlite3.Connection | None:
        """The connection of this process: SQLite's must not be carried over a fork."""
        if self._process != os.getpid():
            self._process, self._waiting, self._used, self._file = os.getpid(), {}, set(), None
            if self._path is not None and not self.trouble:
                self._open(self._path.parent)
        return self._file

    def texts(self, keys: Iterable[bytes]) -> Mapping[bytes, str]:
        """Return the texts that are kept under some of the keys."""
        wanted = list(keys)
        found = {key: self._waiting[key] for key in wanted if key in self._waiting}
        file = self._own_file()
        if file is None:
            return found
        try:
            for start in range(0, len(wanted), 500):
                some = wanted[start : start + 500]
                marks = ",".join("?" * len(some))
                query = (
                    f"SELECT key, text, day < unixepoch() / 86400 FROM kept WHERE key IN ({marks})"
                )
                for key, packed, is_old in file.execute(query, some):
                    text = _unpacked(key, packed)
                    if text is not None:
                        found[key] = text
                        self._used |= {key} if is_old else set()
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)
        return found

    def text(self, key: bytes) -> str | None:
        """Return the text that is kept under a key, or None."""
        return self.texts([key]).get(key)

    def put(self, key: bytes, text: str) -> None:
        """Keep a text from now on."""
        if self._own_file() is not None:
            self._waiting[key] = text

    def flush(self) -> None:
        """Write what was put. All of it is written, or nothing."""
        file = self._own_file()
        if file is None or not (self._waiting or self._used):
            return
        if _is_changed_since_loaded():
            self._waiting.clear()
        rows = [(key, _packed(key, text)) for key, text in self._waiting.items()]
        try:
            with file:
                file.execute("BEGIN IMMEDIATE")
                file.executemany(
                    "INSERT OR REPLACE INTO kept VALUES (?, ?, unixepoch() / 86400)", rows
                )
                file.executemany(
                    "UPDATE kept SET day = unixepoch() / 86400 WHERE key = ?",
                    [(key,) for key in self._used],
                )
            self._waiting.clear()
            self._used.clear()
            _shrink(file)
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def close(self) -> None:
        """Write what was put, and close the file."""
        self.flush()
        if self._file is not None and self._process == os.getpid():
            with suppress(sqlite3.Error):
                self._file.close()
        self._file = None


def _is_changed_since_loaded() -> bool:
    """Whether a file of Finale's that was loaded may have become another one, or is gone."""
    files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
    own = (Path(file) for file in files if file.startswith(_FINALE))
    try:
        return max(file.stat().st_mtime for file in own) > BEGAN - SECONDS_OF_CLOCKS
    except OSError:
        return True


def _distrusted(folder: Path) -> str:
    """Return why a folder is not trusted: who can write to it could change verdicts."""
    for each in (folder, folder / FILE):
        try:
            found = each.stat()
        except FileNotFoundError:
            continue
        if found.st_uid != os.getuid():
            return f"the cache in {folder} is not used: {each} belongs to another user"
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return f"the cache in {folder} is not used: others can write to {each}"
    return ""


def _connected(path: Path) -> sqlite3.Connection:
    try:
        return _prepared(path)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise  # it is locked, or cannot be written: it may be sound
        # What is no database, or a damaged one, is of no use to anybody.
        for end in ("", "-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        return _prepared(path)


def _prepared(path: Path) -> sqlite3.Connection:
    if not path.exists():
        path.touch(mode=0o600)
    file = sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)
    try:
        if _layout(file) != LAYOUT:
            file.execute("PRAGMA journal_mode = WAL")
            with file:
                file.execute("BEGIN IMMEDIATE")
                if _layout(file) != LAYOUT:  # nobody else has begun it in the meantime
                    file.execute("DROP TABLE IF EXISTS kept")
                    file.execute("CREATE TABLE kept (key BLOB PRIMARY KEY, text BLOB, day INTEGER)")
                    file.execute(f"PRAGMA user_version = {LAYOUT}")
        file.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        file.close()
        raise
    return file


def _layout(file: sqlite3.Connection) -> int:
    (layout,) = file.execute("PRAGMA user_version").fetchone()
    return int(layout)


def _shrink(file: sqlite3.Connection) -> None:
    """Remove what was not used for longest, if the file has become too large."""
    with closing(file.execute("PRAGMA page_count")) as counted:
        (pages,) = counted.fetchone()
    with closing(file.execute("PRAGMA page_size")) as sized:
        (bytes_of_page,) = sized.fetchone()
    if pages * bytes_of_page <= BYTES_MAX:
        return
    file.execute(
        "DELETE FROM kept WHERE key IN "
        "(SELECT key FROM kept ORDER BY day, rowid LIMIT (SELECT count(*) / 2 FROM kept))"
    )
    file.execute("VACUUM")


def _packed(key: bytes, text: str) -> bytes:
    packed = zlib.compress(text.encode(), 1)
    return _check(key, packed) + packed


def _unpacked(key: bytes, packed: object) -> str | None:
    """The text, or None if a bit of it has changed, or if it belongs to another key."""
    if not isinstance(packed, bytes):
        return None
    check, rest = packed[:_CHECK_BYTES], packed[_CHECK_BYTES:]
    return zlib.decompress(rest).decode() if _check(key, rest) == check else None


def _check(key: bytes, packed: bytes) -> bytes:
    """The check sum of a row. All keys have one length."""
    return blake2b(key + packed, digest_size=_CHECK_BYTES).digest()
