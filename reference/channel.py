"""A channel: a bounded queue between two tasks."""

from __future__ import annotations

from collections import deque

from finale.reference.elements import Element


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
