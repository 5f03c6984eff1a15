"""Assigns the files of a folder to logs, and remembers how far each log was handed on.

A log grows at the end of one file, until it is gone on with in another. The file may be renamed and
a new one begun, or copied and cut to nothing, or compressed; it is the same piece all the while,
known by its inode, and where that has changed by its first bytes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any

from finale.checker.logs.read.log_files import LogFile, LogShelf, stem_of
from finale.checker.logs.read.unpacking import DAMAGED, unpacked
from finale.model.errors import FinaleError
from finale.model.given import opened

#: By so many first bytes a piece is known again; by less than the second number it is not.
HEAD_MAX, HEAD_MIN = 1024, 64
#: A log that has not grown for so long has paused: what was put off is done.
SECONDS_TO_PAUSE = 1.0
_CHUNK = 1 << 20
#: What is called otherwise is read as it is.
_COMPRESSED = (".gz", ".xz", ".lzma", ".bz2", ".zst")

GROWS, PAUSES, SILENT = 0, 1, 2


@dataclass(frozen=True)
class GrowingPiece:
    """The part of a log in one file, and the part of it that was handed on."""

    number: int
    """Pieces of a log follow each other by their numbers."""
    log: str
    """The path of the log in the folder that is watched, as that of its first file."""
    path: str
    """Where it is now; empty when it is gone."""
    inode: str
    head: str
    headed: int
    """So many bytes the digest `head` is of."""
    byte: int = 0
    quiet: int = GROWS
    closed: bool = False
    """The log goes on in another piece: where this one ends in half a line, that is its end."""
    gap: bool = False
    """Something may be missing before it."""
    trouble: str = ""
    """Why it cannot be read."""

    def to_table(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if key != "number"}

    @classmethod
    def from_table(cls, number: str, table: Mapping[str, Any]) -> GrowingPiece:
        return cls(int(number), **table)


@dataclass(frozen=True)
class _File:
    """A file as it is now. Of a compressed one the size is that of what is in it."""

    path: str
    inode: str
    size: int
    changed: int
    """When, in nanoseconds."""
    log: str


class LogFolder:
    """A folder of growing logs. What it remembers saves reading, and decides nothing."""

    def __init__(self, root: Path, silent_after: float) -> None:
        self.root, self.silent_after = root, silent_after
        self._heads: dict[tuple[str, int, int, int], str] = {}
        self._sizes: dict[tuple[str, int, int], int | None] = {}
        self._frozen: tuple[list[_File], float] | None = None

    @property
    def is_frozen(self) -> bool:
        """Whether what comes later is not looked at."""
        return self._frozen is not None

    def freeze(self, now: float) -> None:
        """From here on the folder is as it is now."""
        self._frozen = list(self._files()), now

    def advanced(
        self, pieces: Sequence[GrowingPiece], number: int, bytes_max: int | None, now: float
    ) -> tuple[list[GrowingPiece], int]:
        """The pieces as they are now, of which so many more bytes are to be handed on at most.

        `number` is that of the next new piece, and comes back as such.
        """
        files = list(self._files()) if self._frozen is None else self._frozen[0]
        now = now if self._frozen is None else self._frozen[1]
        housed, free, gaps = self._housed(pieces, files)
        by_log: dict[str, list[_File]] = {}
        for file in free:
            if not self._is_copy(file, housed):
                by_log.setdefault(file.log, []).append(file)
        for log, found in by_log.items():
            # What was found before and has given nothing may be later than what is found now.
            blank = [each for each in housed if each.log == log and each.path and not each.byte]
            gap = log in gaps or any(each.gap for each in blank)
            paths = {each.path for each in blank}
            found += [file for file in files if file.path in paths]
            # What is gone has a successor, which knows that something may be missing.
            housed = [
                replace(each, closed=True) if each.log == log and not each.path else each
                for each in housed
                if each not in blank
            ]
            for file in self._in_order(found):
                head, headed = self._head(file, HEAD_MAX)
                housed.append(
                    GrowingPiece(number, log, file.path, file.inode, head, headed, gap=gap)
                )
                gap = False
                number += 1
        self._forget(files)
        sizes = {file.inode: file for file in files}
        return self._with_ends(housed, sizes, bytes_max, now), number

    # --- what there is ---------------------------------------------------------------------------

    def _files(self) -> Iterator[_File]:
        for folder, folders, names in os.walk(self.root):
            folders.sort()
            for name in sorted(names):
                stem = stem_of(name)
                if stem is not None and (file := self._file(Path(folder) / name, stem)):
                    yield file

    def _file(self, path: Path, stem: str) -> _File | None:
        try:
            known = path.stat()
        except OSError:
            return None  # it was there a moment ago
        inside = path.relative_to(self.root).as_posix()
        inode = f"{known.st_dev}:{known.st_ino}"
        size = self._size(path, inode, known.st_size, known.st_mtime_ns)
        if size is None:
            return None
        log = str(PurePosixPath(inside).parent / stem)
        return _File(inside, inode, size, known.st_mtime_ns, log)

    def _size(self, path: Path, inode: str, size: int, changed: int) -> int | None:
        """Return the size of a file; None for a compressed file that is still being written."""
        if path.suffix not in _COMPRESSED:
            return size
        key = (inode, size, changed)
        if key not in self._sizes:
            try:
                with opened_at(path) as stream:
                    self._sizes[key] = sum(map(len, iter(lambda: stream.read(_CHUNK), b"")))
            except (*DAMAGED, FinaleError, OSError):
                self._sizes[key] = None
        return self._sizes[key]

    def _head(self, file: _File, length: int) -> tuple[str, int]:
        """The digest of the first bytes of a file, and of how many; of none where it is shorter."""
        length = min(length, file.size)
        key = (file.inode, file.size, file.changed, length)
        if key not in self._heads:
            try:
                self._heads[key] = head_of(self.root / file.path, length)
            except (*DAMAGED, FinaleError, OSError):
                return "", 0
        return self._heads[key], length

    def _forget(self, files: Iterable[_File]) -> None:
        present = {(file.inode, file.size, file.changed) for file in files}
        self._heads = {key: head for key, head in self._heads.items() if key[:3] in present}

    # --- which is which --------------------------------------------------------------------------

    def _housed(
        self, pieces: Sequence[GrowingPiece], files: Sequence[_File]
    ) -> tuple[list[GrowingPiece], list[_File], set[str]]:
        """The pieces where they are now, the files that are none, logs of which some may miss."""
        by_inode = {file.inode: file for file in files}
        found: dict[int, _File] = {}
        for piece in pieces:
            file = by_inode.get(piece.inode)
            if file is not None and self._is(file, piece):
                found[piece.number] = file
        taken = {file.inode for file in found.values()}
        free = [file for file in files if file.inode not in taken]
        for piece in pieces:
            if piece.number not in found and piece.headed >= HEAD_MIN:
                copy = next((f for f in free if f.log == piece.log and self._is(f, piece)), None)
                if copy is not None:
                    found[piece.number] = copy
                    free.remove(copy)
        housed: list[GrowingPiece] = []
        gaps: set[str] = set()
        for piece in pieces:
            file = found.get(piece.number)
            if file is not None:
                head, headed = piece.head, piece.headed
                if headed < HEAD_MAX and file.size > headed:
                    head, headed = self._head(file, HEAD_MAX)
                there = replace(piece, path=file.path, inode=file.inode, head=head, headed=headed)
                housed.append(there)
            elif not piece.closed or not piece.inode:
                # It may come again, compressed: then it is nothing new.
                housed.append(replace(piece, path="", inode=""))
                gaps |= set() if piece.closed else {piece.log}
        return housed, free, gaps

    def _is(self, file: _File, piece: GrowingPiece) -> bool:
        """Whether a file may be a piece: it has all that was handed on, and begins like it."""
        if file.size < max(piece.byte, piece.headed):
            return False
        return piece.headed == 0 or self._head(file, piece.headed)[0] == piece.head

    def _is_copy(self, file: _File, pieces: Iterable[GrowingPiece]) -> bool:
        """Whether a file is a copy, perhaps half of one, of a piece that is where it was."""
        return any(
            piece.log == file.log
            and HEAD_MIN <= piece.headed <= file.size
            and self._head(file, piece.headed)[0] == piece.head
            for piece in pieces
            if piece.path
        )

    def _in_order(self, files: Sequence[_File]) -> list[_File]:
        if len(files) == 1:
            return list(files)
        by_path = {str(self.root / file.path): file for file in files}
        with LogShelf() as shelf:
            ordered = shelf.in_order([LogFile(path) for path in by_path])
        # A file that has nothing yet is the newest.
        return sorted(
            (by_path[part.path] for part in ordered.parts), key=lambda file: not file.size
        )

    # --- how far ---------------------------------------------------------------------------------

    def _with_ends(
        self,
        pieces: Sequence[GrowingPiece],
        files: Mapping[str, _File],
        bytes_max: int | None,
        now: float,
    ) -> list[GrowingPiece]:
        sizes = {piece.number: _size_of(piece, files) for piece in pieces}
        ordered = sorted(pieces, key=lambda each: each.number)
        newest = {piece.log: piece.number for piece in ordered if sizes[piece.number]}
        left = bytes_max
        waiting: set[str] = set()
        ended: list[GrowingPiece] = []
        for piece in ordered:
            size, more = sizes[piece.number], 0
            trouble = self._trouble(piece) if size > piece.byte == 0 else ""
            if piece.log not in waiting and not trouble:
                more = size - piece.byte if left is None else min(size - piece.byte, left)
            if piece.byte + more < size and not trouble:
                waiting.add(piece.log)  # its pieces follow each other
            left = None if left is None else left - more
            done = piece.byte + more == size
            quiet = GROWS
            if done and piece.path:
                idle = now - files[piece.inode].changed / 1e9
                quiet = PAUSES if idle >= SECONDS_TO_PAUSE else GROWS
                quiet = SILENT if idle >= self.silent_after else quiet
            elif done:
                quiet = SILENT
            closed = piece.closed or (done and newest.get(piece.log, 0) > piece.number)
            ended.append(
                replace(
                    piece,
                    byte=piece.byte + more,
                    quiet=SILENT if closed else quiet,
                    closed=closed,
                    trouble=trouble,
                )
            )
        return ended

    def _trouble(self, piece: GrowingPiece) -> str:
        if not piece.path or os.access(self.root / piece.path, os.R_OK):
            return ""
        return "it may not be read"


def _size_of(piece: GrowingPiece, files: Mapping[str, _File]) -> int:
    file = files.get(piece.inode) if piece.path else None
    return piece.byte if file is None else file.size


@contextmanager
def opened_at(path: Path) -> Generator[IO[bytes]]:
    """Open a file, decompressed if its name says so."""
    with opened(path) as raw:
        if path.suffix not in _COMPRESSED:
            yield raw
        else:
            with unpacked(raw) as stream:
                yield stream


def head_of(path: Path, length: int) -> str:
    """The digest of the first bytes of what a file has."""
    with opened_at(path) as stream:
        return hashlib.sha256(stream.read(length)).hexdigest()[:32]


__all__ = [
    "DAMAGED",
    "GROWS",
    "HEAD_MIN",
    "PAUSES",
    "SILENT",
    "GrowingPiece",
    "LogFolder",
    "head_of",
    "opened_at",
]
