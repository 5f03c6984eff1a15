"""Cuts logs into pieces: the logs of one cluster, or some runs of an event log.

The logs of a folder belong together, so they are one piece. An event log can have thousands of
runs: it is cut between runs, so that each piece fits into the memory of a worker.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from finale.checker.logs.event_log.cutting import ByteSpan, logs_in
from finale.checker.logs.read.log_files import LogFile, LogShelf, RawLog, unreadable
from finale.checker.logs.read.run_file import RUN_FILE
from finale.model.given import opened

#: A piece of an event log has so many bytes, or is one run.
PIECE_BYTES = 8 * 2**20


@dataclass(frozen=True)
class Stamp:
    """What a file system says of a file: when this is as it was, so is the file."""

    path: str
    size: int
    changed: int
    """In nanoseconds."""


@dataclass(frozen=True)
class Piece:
    """Logs that are judged together; of an event log, some runs of it, or all."""

    where: str
    """What it is called in verdicts."""
    logs: tuple[RawLog, ...]
    size: int
    stamps: tuple[Stamp, ...]
    told: LogFile | None = None
    """What is told of its jobs beside the logs."""
    runs: tuple[tuple[ByteSpan, ...], ...] = ()
    """Of a plain file, where each run is that is judged; empty where all of it is."""

    @property
    def key(self) -> str:
        """What it is known by."""
        parts = [[str(part) for part in log.parts] for log in self.logs]
        return json.dumps([self.where, parts, [span.offset for span in self.spans]])

    @property
    def spans(self) -> tuple[ByteSpan, ...]:
        """The places of its runs, one after the other."""
        return tuple(span for run in self.runs for span in run)

    @property
    def parts(self) -> tuple[LogFile, ...]:
        """All files that it has, or their members."""
        logs = tuple(part for log in self.logs for part in log.parts)
        return logs if self.told is None else (*logs, self.told)

    @property
    def is_in_archive(self) -> bool:
        """Whether one has to read what comes before to come to it."""
        return any(part.member is not None for part in self.parts)

    def content(self, shelf: LogShelf) -> dict[LogFile, bytes]:
        """Its bytes: of a file of which it has some runs, theirs. Raises `unreadable`."""
        if not self.runs:
            return {part: shelf.content(part) for part in self.parts}
        (part,) = self.parts
        try:
            with opened(part.place) as file:
                number = file.fileno()
                found = [os.pread(number, each.length, each.offset) for each in self.spans]
        except OSError as error:
            raise unreadable(part.path, error) from None
        return {part: b"".join(found)}


def digest_of(content: Mapping[LogFile, bytes]) -> str:
    """A digest of the bytes of a piece."""
    told = hashlib.blake2b(digest_size=20)
    for part, data in content.items():
        told.update(f"{part}\n{len(data)}\n".encode(errors="surrogateescape"))
        told.update(data)
    return told.hexdigest()


def pieces_of(
    shelf: LogShelf, logs: Iterable[RawLog], engine: str, told: Path | None = None
) -> list[Piece]:
    """The pieces that some logs make, in their order. Raises `unreadable`.

    `told` is the file that says what is told of all of them, and not those beside them.
    """
    if engine == "finale":
        return [piece for log in logs for piece in _of_event_log(shelf, log)]
    by_folder: dict[str, list[RawLog]] = {}
    for log in logs:
        by_folder.setdefault(log.folder, []).append(log)
    return [
        _piece(
            shelf,
            str(inside[0]) if len(inside) == 1 else folder,
            inside,
            shelf.beside(inside[0], RUN_FILE) if told is None else LogFile(str(told)),
        )
        for folder, inside in by_folder.items()
    ]


def _of_event_log(shelf: LogShelf, log: RawLog) -> Iterator[Piece]:
    """An event log as one piece, or where it is one plain file, cut between its runs."""
    piece, (first, *others) = _piece(shelf, str(log), [log]), log.parts
    path = Path(first.place)
    if others or not piece.size or not shelf.is_plain(first):
        yield piece
        return
    try:
        with opened(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            runs = logs_in(data)
    except OSError as error:
        raise unreadable(str(path), error) from None
    taken: list[tuple[ByteSpan, ...]] = []
    size = 0
    for run in runs:
        length = sum(span.length for span in run)
        if taken and size + length > PIECE_BYTES:
            yield replace(piece, size=size, runs=tuple(taken))
            taken, size = [], 0
        taken.append(run)
        size += length
    yield replace(piece, size=size, runs=tuple(taken))


def _piece(
    shelf: LogShelf, where: str, logs: Sequence[RawLog], told: LogFile | None = None
) -> Piece:
    parts = [part for log in logs for part in log.parts]
    parts += [] if told is None else [told]
    stamps = tuple(_stamp(path) for path in dict.fromkeys(part.place for part in parts))
    return Piece(where, tuple(logs), sum(map(shelf.size, parts)), stamps, told)


def _stamp(path: str) -> Stamp:
    try:
        told = Path(path).stat()
    except OSError as error:
        raise unreadable(path, error) from None
    return Stamp(path, told.st_size, told.st_mtime_ns)
