"""A Spark stream source: the new bytes in the logs of a folder.

Its offset says of each piece of a log where it is, its inode, and up to which byte it was handed
on. So a batch that is repeated has the same bytes again, though files were renamed meanwhile.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, ReadMaxBytes, SupportsTriggerAvailableNow

from finale.model.errors import FinaleError

from .files import DAMAGED, HEAD_MIN, GrowingPiece, LogFolder, head_of, opened_at

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

NAME = "finale-logs"
#: A row has what is said of a range, as JSON, and some of its bytes.
SCHEMA = "range string, data binary"
#: So many bytes a batch, and so many a row at most.
BYTES_OF_BATCH, BYTES_OF_ROW = 64 << 20, 4 << 20


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


class LogBatch(InputPartition):
    """The input of one task: the new parts of some folders."""

    def __init__(self, ranges: Sequence[NewPart]) -> None:
        super().__init__(None)
        self.ranges = list(ranges)


class GrowingLogs(DataSource):
    """The logs below the folder `path`. A log is silent `silent` seconds after it grew last."""

    @classmethod
    def name(cls) -> str:
        return NAME

    def schema(self) -> str:
        return SCHEMA

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        del schema
        options = self.options
        return GrowingReader(Path(options["path"]), float(options["silent"]), int(options["tasks"]))


class GrowingReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Says what is new, and reads it."""

    def __init__(self, root: Path, silent_after: float, tasks: int) -> None:
        self.root, self.tasks = root, tasks
        self._folder = LogFolder(root, silent_after)

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        return {"next": 1, "pieces": {}}

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        self._folder.freeze(time.time())

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        return ReadMaxBytes(BYTES_OF_BATCH)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        bytes_max = limit.max_bytes if isinstance(limit, ReadMaxBytes) else None
        pieces, number = self._folder.advanced(
            _pieces(start), int(start["next"]), bytes_max, time.time()
        )
        told = {str(each.number): each.to_table() for each in pieces}
        return {"next": number, "pieces": told}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        before = {piece.number: piece for piece in _pieces(start)}
        ranges: dict[str, list[NewPart]] = {}
        for piece in _pieces(end):
            old = before.get(piece.number)
            if old is None or _told(old) != _told(piece):
                found = NewPart(piece, 0 if old is None else old.byte)
                ranges.setdefault(found.folder, []).append(found)
        return [LogBatch(each) for each in _bundled(list(ranges.values()), self.tasks)]

    def read(self, partition: InputPartition) -> Iterator[tuple[str, bytes]]:
        assert isinstance(partition, LogBatch)
        for each in partition.ranges:
            yield from self._rows(each)

    def _rows(self, wanted: NewPart) -> Iterator[tuple[str, bytes]]:
        """Each range has a last row without bytes, which says whether all of it was read."""
        left = wanted.piece.byte - wanted.begin
        path = _found(self.root, wanted.piece) if left else None
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


def _bundled(folders: Sequence[list[NewPart]], count: int) -> list[list[NewPart]]:
    """All ranges in so many bundles, of about as many bytes each, and no folder in two."""
    bundles: list[tuple[int, list[NewPart]]] = [(0, []) for _ in range(min(count, len(folders)))]
    for ranges in sorted(folders, key=lambda each: -_bytes(each)):
        lightest = min(range(len(bundles)), key=lambda number: bundles[number][0])
        size, inside = bundles[lightest]
        bundles[lightest] = (size + _bytes(ranges) + 1, [*inside, *ranges])
    return [inside for _, inside in bundles]


def _bytes(ranges: Sequence[NewPart]) -> int:
    return sum(each.piece.byte - each.begin for each in ranges)


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
