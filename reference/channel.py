"""A channel: a bounded queue of elements between two tasks."""

from __future__ import annotations

from collections import deque
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


class NoRoom(Exception):
    """An element does not fit: the step that puts it has to wait, as if it had not begun."""


class Channel:
    """From one task to another. `port` says which of its inputs it is to the reader."""

    def __init__(self, writer: str, reader: str, *, port: int, capacity: int) -> None:
        self.writer = writer
        self.reader = reader
        self.port = port
        self.capacity = capacity
        self.reset()

    @property
    def name(self) -> str:
        return f"{self.writer}→{self.reader}"

    def reset(self) -> None:
        """Both ends begin anew: what was on its way is lost."""
        self.queue: deque[Element] = deque()
        self.data_ended = False
        self.stopped = False
        self.ended = False
        self.aligned = False
        self.blocked = False
        self.watermark: int | None = None

    @property
    def room(self) -> int:
        return self.capacity - len(self.queue)

    def put(self, element: Element) -> None:
        """Raises `NoRoom` while the channel is full."""
        if self.room < 1:
            raise NoRoom(self.name)
        self.queue.append(element)

    @property
    def head(self) -> Element | None:
        return self.queue[0] if self.queue else None

    def take(self) -> Element:
        return self.queue.popleft()
