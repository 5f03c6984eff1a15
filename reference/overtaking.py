"""Overtaking barriers: a gate that snapshots at the first barrier, and logs in-flight data.

With a barrier that overtakes, a task takes its part of a checkpoint at once. What the barrier has
overtaken, and what still comes before the barriers of the other inputs, is written down with it,
and processed first after a restart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from finale.reference.channel import Channel, NoRoom
from finale.reference.gate import Gate

from .channel import Barrier, Buffer, Element


class LoggedChannel(Channel):
    """A channel of whose buffers a log can be kept. Barriers and ends need no credit."""

    def reset(self) -> None:
        super().reset()
        self.recovered: list[Buffer] = []
        """What was in flight when the checkpoint was taken that the job started from."""
        self.log: dict[int, list[Buffer]] = {}
        """What was in flight, by checkpoint."""

    @property
    def room(self) -> int:
        # Of a copy, for the reader may take something meanwhile.
        return self.capacity - sum(isinstance(element, Buffer) for element in tuple(self.queue))

    def put(self, element: Element) -> None:
        if isinstance(element, Buffer) and self.room < 1:
            raise NoRoom(self.name)
        self.queue.append(element)

    def holds(self, checkpoint: int) -> bool:
        """Whether the barrier of a checkpoint is on its way."""
        return Barrier(checkpoint) in self.queue

    def log_overtaken(self, checkpoint: int) -> None:
        """A barrier counts before its turn, or in turn: what is in front of it is in flight."""
        log = self.log.setdefault(checkpoint, [])
        log += self.recovered
        if self.holds(checkpoint):
            end = self.queue.index(Barrier(checkpoint))
            log += [each for each in list(self.queue)[:end] if isinstance(each, Buffer)]


class OvertakingGate(Gate):
    """Takes the task's part with the first barrier that overtakes, or aligned with the last.

    `done` is called when the part is complete, with what its inputs have logged.
    """

    inputs: tuple[LoggedChannel, ...]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.started = False
        """The task's part is taken, and what comes before the other barriers is logged."""
        self.hurrying = False
        """No barrier of the checkpoint waits for its turn any more."""
        self.overtakes: Callable[[int, Channel], bool]
        self.done: Callable[[int], None]

    def barrier(
        self, channel: Channel, checkpoint: int, *, blocks: bool = True, ahead: bool = False
    ) -> None:
        """A barrier comes over an input in its turn, or is noticed ahead of it."""
        if self.is_late(checkpoint):
            return
        self._open(checkpoint)
        channel.aligned = True
        if ahead or self.overtakes(checkpoint, channel):
            self.hurrying = True
        else:
            channel.blocked = blocks or channel.blocked
        if self.hurrying:
            self._start()
        if self.started and isinstance(channel, LoggedChannel):
            channel.log_overtaken(checkpoint)
        self._go_on_if_complete()

    def announced(self, checkpoint: int) -> None:
        """A barrier has arrived behind other elements: its checkpoint begins."""
        self._open(checkpoint)

    @property
    def is_aligning(self) -> bool:
        return self.collecting and not self.hurrying

    def hurry(self) -> None:
        """The time is over: the task takes its part with the first barrier, or has had it."""
        self.hurrying = True
        if any(channel.aligned and not channel.ended for channel in self.inputs):
            self._start()

    def awaits(self, channel: Channel, checkpoint: int) -> bool:
        """Whether the barrier of a checkpoint would still count on an input."""
        if self.is_late(checkpoint):
            return False
        return self.is_new(checkpoint) or not channel.aligned

    def logs(self, channel: Channel) -> bool:
        """Whether what comes over an input now is in flight across the cut."""
        return self.started and not channel.aligned

    def triggered(self, checkpoint: int) -> None:
        at_once = self.all_ended and not self.is_late(checkpoint)
        super().triggered(checkpoint)
        if at_once:
            self.done(checkpoint)

    def may_give_up(self, checkpoint: int) -> bool:
        """Whether a checkpoint can still be aborted here: not after its snapshot was taken."""
        taken = self.started and self.newest == checkpoint
        return super().may_give_up(checkpoint) and not taken

    def release(self) -> None:
        super().release()
        self.started = self.hurrying = False

    def _start(self) -> None:
        if not self.started:
            self.started = True
            self.take(self._newest)

    def _go_on_if_complete(self) -> None:
        if not self._is_complete:
            return
        checkpoint, taken = self._newest, self.started
        self.release()
        if not taken:
            self.take(checkpoint)
        self.done(checkpoint)
