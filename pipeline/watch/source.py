"""A Spark stream source: the new bytes in the logs of a folder."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, ReadMaxBytes, SupportsTriggerAvailableNow

from .files import LogFolder
from .news import BYTES_OF_BATCH, START, NewPart, offset_after, parts_between, rows_of

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

NAME = "finale-logs"
#: A row has what is said of a range, as JSON, and some of its bytes.
SCHEMA = "range string, data binary"


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
        return dict(START)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        self._folder.freeze(time.time())

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        return ReadMaxBytes(BYTES_OF_BATCH)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        bytes_max = limit.max_bytes if isinstance(limit, ReadMaxBytes) else None
        return offset_after(self._folder, start, bytes_max)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        parts = parts_between(start, end)
        return [LogBatch(each) for each in _bundled(list(parts.values()), self.tasks)]

    def read(self, partition: InputPartition) -> Iterator[tuple[str, bytes]]:
        assert isinstance(partition, LogBatch)
        for each in partition.ranges:
            yield from rows_of(self.root, each)


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
