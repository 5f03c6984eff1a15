"""Saves what a search has seen in a folder, so that a killed search can continue.

    states.bin    all states in the order found, as packed words; only ever appended to
    search.json   how many of them count, and everything else; replaced after the states are written

The numbers of states do not depend on the threads, and the file holds plain words whatever the
storage in memory. So a search can continue with another number of threads or another storage. A
folder of another system, or with altered files, is refused and left unchanged.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false
from finale.checker.cache.plain_data import plain, typed
from finale.model.given import json_of, regular, whole_of

from .folder import SavedFolder
from .layout import Words

STATES, SEARCH = "states.bin", "search.json"
FORMAT = 1
#: States that are written, or read and checked, at a time.
CHUNK = 1 << 16


@dataclass(frozen=True)
class SavedSearch:
    """A search without its states. Arrays are those of `breadth_first.py`; `counts` have names.

    `checks` are checksums of the states, each with the number of states that it covers.
    """

    system: str
    width: int
    states: int
    seconds: float
    counts: Mapping[str, int]
    levels: Sequence[int]
    arrays: Mapping[str, Sequence[int]]
    checks: Sequence[tuple[int, int]] = ()


class ResumeFolder(SavedFolder):
    """A folder to resume from. Raises `resume-folder`, `resume-in-use`, `resume-foreign`."""

    def __init__(self, path: Path, system: str) -> None:
        super().__init__(path)
        self.system = system
        self._checks: list[tuple[int, int]] = []
        try:
            path.mkdir(parents=True, exist_ok=True)
            is_begun = (path / SEARCH).exists()
            begun = {SEARCH, f"{SEARCH}.part"}
            if (path / STATES).exists() and not (path / STATES).stat().st_size:
                begun.add(STATES)  # killed before anything was saved
            if not is_begun:
                self.refuse_others({each.name for each in path.iterdir()}, begun)
            if is_begun and not (path / STATES).exists():
                self.seen()  # may have a better reason
                raise self.corrupted(f'"{STATES}" is missing')
            # Nothing is written outside: what is called so may be a link.
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
            self._file = regular(os.open(path / STATES, flags, 0o644))
        except OSError as error:
            raise self.unusable(error) from error
        self.lock(self._file)

    def close(self) -> None:
        """Unlock the folder."""
        os.close(self._file)

    # --- reading ---------------------------------------------------------------------------------

    def seen(self) -> SavedSearch | None:
        """Return the saved search, if any. Raises `resume-corrupted`, `resume-foreign`."""
        file = self.path / SEARCH
        if not file.exists():
            return None
        try:
            content = whole_of(file)
        except OSError as error:
            raise self.unusable(error) from error
        try:
            table = cast(dict[str, object], json_of(content))
            check = table.pop("check")
            if table.pop("format") != FORMAT:
                raise self.other_version()
            seen = typed(SavedSearch, table)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise self.corrupted(f'"{SEARCH}" is not what was written') from error
        if check != _check_of(table):
            raise self.corrupted(f'"{SEARCH}" was changed')
        if seen.system != self.system:
            raise self.error(
                "resume-foreign",
                "a search of another system, or under another storage, is saved in this folder",
                "name the spec that it was saved for, with the same properties, hashed if it was; "
                "or another folder",
            )
        self._checks = [(end, total) for end, total in seen.checks]
        return seen

    def states(self, seen: SavedSearch) -> list[Words]:
        """Return the saved states in order, checked. Raises `resume-corrupted`."""
        found: list[Words] = []
        begin, size = 0, 8 * seen.width
        for end, total in seen.checks:
            data = os.pread(self._file, (end - begin) * size, begin * size)
            if len(data) < (end - begin) * size:
                raise self.corrupted(f'"{STATES}" was cut off')
            if zlib.crc32(data) != total:
                raise self.corrupted(f'"{STATES}" was changed before state {end}')
            found.append(np.frombuffer(data, np.uint64))
            begin = end
        if begin != seen.states:
            raise self.corrupted(f'"{SEARCH}" and "{STATES}" do not fit')
        return found

    # --- writing ---------------------------------------------------------------------------------

    @property
    def saved(self) -> int:
        """The number of states in the file."""
        return self._checks[-1][0] if self._checks else 0

    def save(self, seen: SavedSearch, words: Sequence[Words]) -> None:
        """Save a search: `words` are the states that are not in the file yet, in parts.

        Raises `disk-full`; then the previous save stays valid.
        """
        checks, size = list(self._checks), 8 * seen.width
        table: dict[str, object] = plain(seen)
        try:
            begin = self.saved
            for part in words:
                data = part.tobytes()
                self._write(data, begin * size)
                begin += len(data) // size
                checks.append((begin, zlib.crc32(data)))
            os.fsync(self._file)
            table["checks"] = checks
            table["check"] = _check_of(table)
            table["format"] = FORMAT
        except OSError as error:
            raise self.full(error) from error
        self.write(SEARCH, json.dumps(table))
        self.sync()
        self._checks = checks

    def _write(self, data: bytes, place: int) -> None:
        """All of it: the system may take a part, and say how much."""
        view = memoryview(data)
        while view:
            taken = os.pwrite(self._file, view, place)
            view, place = view[taken:], place + taken


def seconds_saved(path: Path) -> float:
    """Return how long the search in a folder took; 0 if there is none."""
    try:
        return float(json_of(whole_of(path / SEARCH))["seconds"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0.0  # if something is wrong with it, the search says so


def _check_of(table: Mapping[str, object]) -> int:
    content = {key: value for key, value in table.items() if key not in {"check", "format"}}
    return zlib.crc32(json.dumps(content, sort_keys=True).encode("ascii"))
