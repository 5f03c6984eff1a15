"""The folder of a distributed search: leader and workers share all that they know through files.

    program.json                  the system, as workers see it
    lock                          held by the leader
    manifest.json                 how far the search is: replaced when a level is complete
    search/                       the search in one process, before it was outgrown (`resume.py`)
    levels/00012-003.states       the states of level 12 that owner 3 has
    levels/00012.json             the contents of these files, of all owners, with checksums
    mail/00013-003.states         candidates for level 13, found by owner 3, for all owners
    mail/00013.json               the recipients of the candidates, with checksums

A file gets its name when it is complete. Only files that the manifest lists count, so a killed
search continues from the manifest. Two workers that do the same work write the same files.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from uuid import uuid4

import numpy as np

from finale.checker.cache.plain_data import plain, typed
from finale.checker.search.native.folder import SavedFolder
from finale.checker.search.native.layout import Words

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false
from finale.model.given import json_of

LOCK, MANIFEST, PROGRAM, SEARCH, LEVELS, MAIL, CLAIMS = (
    "lock", "manifest.json", "program.json", "search", "levels", "mail", "claims",
)  # fmt: skip
FORMAT = 1
#: States that are written, or read and checked, at a time.
CHUNK = 1 << 16

Chunk = tuple[int, int, int]
"""Some states one after the other in a file: for whom they are, how many, their checksum."""

Chunks = list[Chunk]


@dataclass(frozen=True)
class Manifest:
    """How far a search is.

    `levels` are the numbers of states of the complete levels; the next level is in the mail. For
    each topic, `first` has the first level whose states, or steps, settle it. `visited` and `seen`
    are the taken leaves and branches, as hexadecimal digits.
    """

    identity: str
    owners: int
    levels: tuple[int, ...]
    transitions: int
    first: dict[str, int]
    visited: str
    seen: str
    seconds: float
    is_complete: bool = False


class SearchFolder(SavedFolder):
    """The folder of a search. Raises `resume-folder`, `resume-corrupted`, `disk-full`."""

    @contextmanager
    def led(self) -> Generator[None]:
        """Lock the folder for this leader. Raises `resume-foreign`, `resume-in-use`.

        The folder is created if it does not exist.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            found = {each.name for each in self.path.iterdir() if each.suffix != ".part"}
            self.refuse_others(found, (LOCK, MANIFEST, PROGRAM, SEARCH, LEVELS, MAIL, CLAIMS))
            for name in (LEVELS, MAIL, CLAIMS):
                (self.path / name).mkdir(exist_ok=True)
            lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        except OSError as error:
            raise self.unusable(error) from error
        self.lock(lock)
        try:
            yield
        finally:
            os.close(lock)

    # --- small files -----------------------------------------------------------------------------

    def manifest(self, identity: str) -> Manifest | None:
        """Return how far the search is, if it was distributed.

        Raises `resume-foreign`, `resume-corrupted`.
        """
        if not (self.path / MANIFEST).exists():
            return None
        table = self._checked(MANIFEST)
        if table.pop("format", None) != FORMAT:
            raise self.other_version()
        found = typed(Manifest, table)
        if found.identity != identity:
            raise self.error(
                "resume-foreign",
                "a search of another system is saved in this folder",
                "name the spec that it was saved for, with the same properties; or another folder",
            )
        return found

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest; all files that it lists are on the disk. Raises `disk-full`."""
        for name in (LEVELS, MAIL):
            self.sync(name)
        table: dict[str, object] = plain(manifest)
        self._write_checked(MANIFEST, table | {"format": FORMAT})
        self.sync()

    def program(self) -> str:
        """Return the text of the program."""
        return (self.path / PROGRAM).read_text(encoding="utf-8")

    def write_program(self, text: str) -> None:
        """Write the text of the program. Raises `disk-full`."""
        self.write(PROGRAM, text)

    def chunks(self, kind: str, level: int) -> list[Chunks]:
        """Return the contents of a level's files, by author. Raises `resume-corrupted`."""
        found = cast(list[list[Sequence[int]]], self._checked(f"{kind}/{level:05}.json")["chunks"])
        return [[(each[0], each[1], each[2]) for each in chunks] for chunks in found]

    def write_chunks(self, kind: str, level: int, chunks: Sequence[Chunks]) -> None:
        """Record the contents of a level's files. Raises `disk-full`."""
        self._write_checked(f"{kind}/{level:05}.json", {"chunks": chunks})

    def _checked(self, name: str) -> dict[str, object]:
        try:
            table = cast(dict[str, object], json_of((self.path / name).read_bytes()))
            check = table.pop("check")
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise self.corrupted(f'"{name}" is not what was written') from error
        if check != _check_of(table):
            raise self.corrupted(f'"{name}" was changed')
        return table

    def _write_checked(self, name: str, table: dict[str, object]) -> None:
        self.write(name, json.dumps(table | {"check": _check_of(table)}))

    # --- states ----------------------------------------------------------------------------------

    def states_file(self, kind: str, level: int, owner: int) -> Path:
        """Return the path of the states of a level that one owner has, or has found."""
        return self.path / kind / f"{level:05}-{owner:03}.states"

    def read(
        self, kind: str, level: int, owner: int, width: int, chunks: Chunks, whose: int | None
    ) -> Iterator[Words]:
        """Yield the states of a file, or those for one owner. Raises `resume-corrupted`."""
        file = self.states_file(kind, level, owner)
        if not any(whose in (None, chunk[0]) for chunk in chunks):
            return
        try:
            with file.open("rb", buffering=0) as handle:
                begin = 0
                for receiver, count, check in chunks:
                    size = count * width * 8
                    if whose in (None, receiver):
                        data = os.pread(handle.fileno(), size, begin)
                        if len(data) != size or zlib.crc32(data) != check:
                            raise self.corrupted(f'"{file.name}" is not what was written')
                        yield np.frombuffer(data, np.uint64)
                    begin += size
        except OSError as error:
            raise self.corrupted(f'"{file.name}" cannot be read: {error.strerror}') from error

    # --- what does not count ---------------------------------------------------------------------

    def forget_after(self, levels: int) -> None:
        """Remove levels after these, which were not completed, and mail that was read."""
        for kind, is_kept in ((LEVELS, range(levels)), (MAIL, range(levels, levels + 1))):
            for file in (self.path / kind).iterdir():
                number = file.name[:5]
                if file.suffix == ".part" or not number.isdigit() or int(number) not in is_kept:
                    file.unlink(missing_ok=True)

    def forget_mail(self, level: int, owners: int) -> None:
        """Remove mail that all owners have read."""
        for owner in range(owners):
            self.states_file(MAIL, level, owner).unlink(missing_ok=True)
        (self.path / MAIL / f"{level:05}.json").unlink(missing_ok=True)


class StatesFile:
    """A file of states that is being written. It gets its name when it is complete."""

    def __init__(self, folder: SearchFolder, kind: str, level: int, owner: int, width: int) -> None:
        self.chunks: Chunks = []
        self._folder, self._width = folder, width
        self._file = folder.states_file(kind, level, owner)
        self._part = self._file.with_suffix(f".{uuid4().hex}.part")
        try:
            self._handle = self._part.open("wb", buffering=0)
        except OSError as error:
            raise folder.full(error) from error

    def __enter__(self) -> StatesFile:
        return self

    def write(self, words: Words, receiver: int) -> None:
        """Write states for a recipient. Raises `disk-full`."""
        size = CHUNK * self._width
        for begin in range(0, len(words), size):
            part = words[begin : begin + size]
            data = memoryview(part.data).cast("B")
            self.chunks.append((receiver, len(part) // self._width, zlib.crc32(data)))
            try:
                while data:
                    data = data[self._handle.write(data) :]
            except OSError as error:
                raise self._folder.full(error) from error

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._handle:
            if kind is None and self.chunks:
                os.fsync(self._handle.fileno())
        if kind is None and self.chunks:
            self._part.replace(self._file)
        else:
            self._part.unlink(missing_ok=True)


def _check_of(table: dict[str, object]) -> int:
    return zlib.crc32(json.dumps(table, sort_keys=True).encode())


__all__ = [
    "CHUNK",
    "CLAIMS",
    "LEVELS",
    "MAIL",
    "SEARCH",
    "Chunks",
    "Manifest",
    "SearchFolder",
    "StatesFile",
]  # fmt: skip
