"""Metadata of a checkpoint: two encodings of which operators had finished.

Models PL-9 of the fact sheet. `SENTINEL` is Flink's: a vertex whose subtasks have all finished has
the count -1 of subtasks, and subtask i of another one that has finished stands there as -(i + 1).
`FIELD` is the proof of concept's: a truth value beside each vertex and each subtask, in a format of
its own. Either reads what it has written; one that meets the other's refuses it.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass


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
