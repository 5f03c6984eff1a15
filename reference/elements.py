"""The elements of a channel: buffers of records, barriers, and ends."""

from __future__ import annotations

from dataclasses import dataclass

Record = object
"""A record is what JSON can write: it may become part of a snapshot."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """Records in their order, and the watermark that follows them, if they raised it."""

    records: tuple[Record, ...]
    watermark: int | None = None


@dataclass(frozen=True, slots=True)
class Barrier:
    """A barrier: earlier elements belong to the checkpoint, later elements do not."""

    checkpoint: int


@dataclass(frozen=True, slots=True)
class CancelBarrier:
    """The sender aborts a checkpoint: the receiver stops waiting for its barrier."""

    checkpoint: int


@dataclass(frozen=True, slots=True)
class EndOfData:
    """No record follows. `drain`: for good; else the job is stopped, to go on later."""

    drain: bool = True


@dataclass(frozen=True, slots=True)
class EndOfPartition:
    """The last element of a channel: its sender has closed."""


Element = Buffer | Barrier | CancelBarrier | EndOfData | EndOfPartition
