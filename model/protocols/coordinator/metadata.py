"""What a completed checkpoint leaves behind: its metadata, and a snapshot for another job.

The metadata say which operators had finished (PL-9 of the fact sheet), in one of two encodings.
`SENTINEL` is Flink's: a vertex whose subtasks have all finished has the count -1 of subtasks, and
subtask i of another vertex that has finished stands there as -(i + 1). `FIELD` is the proof of
concept's: a truth value beside each vertex and each subtask, in a format of its own. Each encoding
reads what it has written, and refuses what the other has written.

The snapshot has the plain values from which another job can start.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from finale.model.language.collections import MapOf
from finale.model.protocols.job.elements import Datum


class Metadata(enum.Enum):
    """PL-9: how finished operators are marked."""

    SENTINEL = "sentinel"
    FIELD = "field"


#: The count of subtasks of a vertex that has finished altogether.
FULLY_FINISHED = -1
#: The formats, by the number that the metadata begins with.
VERSIONS: Mapping[Metadata, int] = {Metadata.SENTINEL: 3, Metadata.FIELD: 4}


class UnknownVersion(ValueError):
    """The metadata is of a format that the reader does not know."""


@dataclass(frozen=True)
class Flags:
    """What is to be written of one vertex: its parallelism, and the subtasks that had finished."""

    parallelism: int
    finished: frozenset[int]

    @property
    def is_full(self) -> bool:
        """Whether all of its subtasks had finished."""
        return len(self.finished) == self.parallelism


@dataclass(frozen=True)
class Encoding:
    """One of the two formats. A vertex is a tuple of whole numbers."""

    metadata: Metadata

    @property
    def version(self) -> int:
        """The number that metadata of this format begins with."""
        return VERSIONS[self.metadata]

    def encode(self, flags: Flags) -> tuple[int, ...]:
        """PL-9: a vertex as numbers: version, parallelism, and what says which have finished."""
        head = (self.version, flags.parallelism)
        if self.metadata is Metadata.FIELD:
            marks = (int(index in flags.finished) for index in range(flags.parallelism))
            return (*head, int(flags.is_full), *marks)
        if flags.is_full:
            return (*head, FULLY_FINISHED)
        subtasks = range(flags.parallelism)
        marks = (self.mark(index) if index in flags.finished else index for index in subtasks)
        return (*head, flags.parallelism, *marks)

    def mark(self, index: int) -> int:
        """PL-9: how a subtask is written that has finished: by a number that no index is."""
        return -(index + 1)

    def decode(self, numbers: tuple[int, ...]) -> Flags:
        """PL-9: what was written. Raises `UnknownVersion`."""
        version, parallelism, count, *marks = numbers
        if version != self.version:
            raise UnknownVersion(f"version {version}, and {self.version} is what is read here")
        if self.metadata is Metadata.FIELD:
            return Flags(parallelism, frozenset(i for i, mark in enumerate(marks) if mark))
        if count == FULLY_FINISHED:
            return Flags(parallelism, frozenset(range(parallelism)))
        return Flags(parallelism, frozenset(i for i, mark in enumerate(marks) if mark < 0))


#: How often the effect of each record is there; records without effect are left out.
Contents = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Snapshot:
    """All that a job needs that is started from a checkpoint, and what is visible by then.

    `finished` are tasks that the checkpoint counts as finished, `remaining` says how many records
    sources had left, `held` what buffering operators held back, `shares` what each subtask has
    reported of its state, `visible` what sinks have shown once what was pending is committed, and
    `in_flight` the records that were logged on channels.
    """

    finished: frozenset[str] = frozenset()
    remaining: tuple[tuple[str, int], ...] = ()
    held: tuple[tuple[str, Contents], ...] = ()
    shares: tuple[tuple[str, Contents], ...] = ()
    visible: tuple[tuple[str, Contents], ...] = ()
    in_flight: tuple[tuple[str, tuple[str, ...]], ...] = ()


def contents_of(effects: MapOf[Datum, int], data: tuple[Datum, ...]) -> Contents:
    """What is there of the effects of records, by their names."""
    return tuple((record.name, effects[record]) for record in data if effects[record])


def fill(effects: MapOf[Datum, int], data: tuple[Datum, ...], contents: Contents) -> None:
    """Write what a snapshot says of the effects of records."""
    known = dict(contents)
    for record in data:
        effects[record] = known.get(record.name, 0)
