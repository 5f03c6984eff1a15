"""The new bytes in the logs of a folder, since an offset.

An offset says of each piece of a log where it is, its inode, and up to which byte it was handed on.
So a batch that is repeated has the same bytes again, though files were renamed meanwhile.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from finale.model.errors import FinaleError

from .files import DAMAGED, HEAD_MIN, GrowingPiece, LogFolder, head_of, opened_at

#: So many bytes a batch, and so many a row at most.
BYTES_OF_BATCH, BYTES_OF_ROW = 64 << 20, 4 << 20

Offset = Mapping[str, Any]
#: Nothing was handed on yet.
START: Offset = {"next": 1, "pieces": {}}


@dataclass(frozen=True)
class NewPart:
    """The new part of a piece since the previous batch: bytes, or metadata only."""

    piece: GrowingPiece
    """As it is after this."""
    begin: int

    @property
    def folder(self) -> str:
        """Logs of one folder are of one cluster."""
        return str(PurePosixPath(self.piece.log).parent)

    def to_json(self, *, lost: bool) -> str:
        """Told to who judges; `lost`: not all of its bytes could be read any more."""
        told = asdict(self.piece) | {"folder": self.folder, "begin": self.begin, "lost": lost}
        return json.dumps(told)


def offset_after(folder: LogFolder, start: Offset, bytes_max: int | None) -> dict[str, Any]:
    """Return the offset after what is new now, or after so many bytes of it."""
    pieces, number = folder.advanced(_pieces(start), int(start["next"]), bytes_max, time.time())
    return {"next": number, "pieces": {str(each.number): each.to_table() for each in pieces}}


def parts_between(start: Offset, end: Offset) -> dict[str, list[NewPart]]:
    """Return the parts that are new between two offsets, by their folders."""
    before = {piece.number: piece for piece in _pieces(start)}
    parts: dict[str, list[NewPart]] = {}
    for piece in _pieces(end):
        old = before.get(piece.number)
        if old is None or _told(old) != _told(piece):
            found = NewPart(piece, 0 if old is None else old.byte)
            parts.setdefault(found.folder, []).append(found)
    return parts


def rows_of(root: Path, wanted: NewPart) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes of a part, each row with what is said of the part.

    A last row without bytes says whether all of it was read.
    """
    left = wanted.piece.byte - wanted.begin
    path = _found(root, wanted.piece) if left else None
    if path is not None:
        try:
            with opened_at(path) as stream:
                stream.seek(wanted.begin)
                while left and (data := stream.read(min(left, BYTES_OF_ROW))):
                    left -= len(data)
                    yield wanted.to_json(lost=False), data
        except (OSError, *DAMAGED):
            pass  # then something is left
    yield wanted.to_json(lost=left > 0), b""


def _pieces(offset: Mapping[str, Any]) -> list[GrowingPiece]:
    return [GrowingPiece.from_table(number, table) for number, table in offset["pieces"].items()]


def _told(piece: GrowingPiece) -> tuple[object, ...]:
    """Return the metadata of a piece for the judge, without its present path."""
    return piece.byte, piece.quiet, piece.closed, piece.gap, piece.trouble


def _found(root: Path, piece: GrowingPiece) -> Path | None:
    """Find a piece: under its former name, or under another name in the folder."""
    told = root / piece.path
    try:
        others = sorted(told.parent.iterdir())
    except OSError:
        return None
    for path in (told, *others):
        try:
            known = path.stat()
            same = f"{known.st_dev}:{known.st_ino}" == piece.inode or piece.headed >= HEAD_MIN
            if same and path.is_file() and head_of(path, piece.headed) == piece.head:
                return path
        except (OSError, FinaleError, *DAMAGED):
            continue
    return None
