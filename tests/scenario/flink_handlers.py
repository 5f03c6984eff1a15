"""Flink's barrier handlers as plain Python, to which the model's and the engine's are compared.

`Tracker` behaves as `CheckpointBarrierTracker`, `Single` as `SingleCheckpointBarrierHandler` with
its four states, both without metrics. Each handler calls a `Task`, which behaves as
`SubtaskCheckpointCoordinatorImpl` does: the task drops a checkpoint that is not newer than the last
one taken or aborted (AL-5). Nothing here imports the model.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class Task:
    """Records what the handler asks for, in order: `taken N` and `aborted N`."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.last = -1

    def take(self, checkpoint: int) -> None:
        if checkpoint > self.last:
            self.last = checkpoint
            self.seen.append(f"taken {checkpoint}")

    def abort(self, checkpoint: int) -> None:
        self.last = max(self.last, checkpoint)
        self.seen.append(f"aborted {checkpoint}")


@dataclass
class Count:
    """The barriers of one checkpoint that the tracker has counted."""

    checkpoint: int
    target: int
    channels: set[int]
    aborted: bool = False

    def add(self, channel: int) -> bool:
        """Count a channel. Return whether all channels are counted."""
        self.channels.add(channel)
        return len(self.channels) == self.target


class Tracker:
    """At least once: counts the barriers of several checkpoints and blocks no channel."""

    def __init__(self, channels: int, *, flag: bool = True) -> None:
        self.task, self.flag = Task(), flag
        self.open = channels
        self.counts: list[Count] = []
        self.highest = -1

    @property
    def pending(self) -> list[int]:
        """The checkpoints that can still be taken."""
        counts = (each for each in self.counts if not each.aborted)
        return [each.checkpoint for each in counts if each.checkpoint > self.task.last]

    def barrier(self, checkpoint: int, channel: int) -> None:
        if checkpoint > self.highest and self.open == 1:
            self.task.take(checkpoint)
            return
        found = self._find(checkpoint)
        if found is not None:
            if found.add(channel):
                self._finish(found)
        elif checkpoint > self.highest:
            self.highest = checkpoint
            self.counts.append(Count(checkpoint, self.open, {channel}))

    def cancel(self, checkpoint: int, channel: int) -> None:
        if checkpoint > self.highest and self.open == 1:
            self.task.abort(checkpoint)
            return
        while self.counts and self.counts[0].checkpoint < checkpoint:
            self._abort(self.counts.pop(0))
        found = self._find(checkpoint)
        if found is not None:
            self._abort(found)
            if found.add(channel):
                self.counts.remove(found)
        elif checkpoint > self.highest:
            self.highest = checkpoint
            self.task.abort(checkpoint)
            self.counts.insert(0, Count(checkpoint, self.open, {channel}, aborted=True))

    def end(self, channel: int) -> None:
        self.open -= 1
        if not self.flag:
            while self.counts:
                self._abort(self.counts.pop(0))
            return
        for each in reversed(self.counts):
            if each.add(channel):
                self._finish(each)
                break

    def _find(self, checkpoint: int) -> Count | None:
        return next((each for each in self.counts if each.checkpoint == checkpoint), None)

    def _finish(self, count: Count) -> None:
        del self.counts[: self.counts.index(count) + 1]
        if not count.aborted:
            self.task.take(count.checkpoint)

    def _abort(self, count: Count) -> None:
        if not count.aborted:
            count.aborted = True
            self.task.abort(count.checkpoint)


class State(enum.Enum):
    """The states of a handler whose barriers can overtake; an aligned one has the first two."""

    WAITING = enum.auto()
    COLLECTING = enum.auto()
    WAITING_UNALIGNED = enum.auto()
    COLLECTING_UNALIGNED = enum.auto()


@dataclass
class Single:
    """Exactly once: one checkpoint at a time, whose barriers block channels or overtake."""

    open: int
    flag: bool = True
    timeout: int | None = None
    task: Task = field(default_factory=Task)
    current: int = -1
    over: int = -1
    """The last checkpoint that was completed or aborted."""
    target: int = 0
    aligned: set[int] = field(default_factory=set[int])
    blocked: set[int] = field(default_factory=set[int])
    state: State = State.WAITING
    in_flight: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    clock: int = 0
    expires: int | None = None
    """When the timer of the current checkpoint fires."""

    @property
    def is_pending(self) -> bool:
        return self.current not in (self.over, -1)

    @property
    def is_complete(self) -> bool:
        return len(self.aligned) == self.target

    def record(self, name: str, channel: int) -> None:
        """A record that comes before the barrier of its channel is in flight across the cut."""
        if self.state is State.COLLECTING_UNALIGNED and channel not in self.aligned:
            self.in_flight.setdefault(self.current, []).append(name)

    def announce(self, checkpoint: int, *, times_out: bool = True) -> None:
        self._begin(checkpoint, times_out=times_out)

    def barrier(
        self, checkpoint: int, channel: int, *, overtakes: bool = False, times_out: bool = False
    ) -> None:
        if checkpoint < self.current or (checkpoint == self.current and not self.is_pending):
            return
        self._begin(checkpoint, times_out=times_out)
        self.aligned.add(channel)
        if overtakes:
            self._convert()
        else:
            self.blocked.add(channel)
        match self.state:
            case State.WAITING | State.COLLECTING if self.is_complete:
                self.task.take(checkpoint)
            case State.WAITING:
                self.state = State.COLLECTING
            case State.WAITING_UNALIGNED:
                self._start()
            case _:
                pass
        self._close_if_complete()

    def cancel(self, checkpoint: int) -> None:
        newer = checkpoint > self.current
        if newer or (checkpoint == self.current and self.aligned):
            self._abort(checkpoint)

    def end(self, channel: int) -> None:
        self.open -= 1
        self.blocked.discard(channel)
        if not self.is_pending:
            return
        if not self.flag:
            self._abort(self.current)
            return
        self.aligned.add(channel)
        if self.is_complete and self.state is State.COLLECTING:
            self.task.take(self.current)
        self._close_if_complete()

    def wait(self, milliseconds: int) -> None:
        """Let time pass, and fire the timer of the current checkpoint when it is due."""
        self.clock += milliseconds
        if self.expires is not None and self.expires <= self.clock:
            self.expires = None
            self._convert()

    def _begin(self, checkpoint: int, *, times_out: bool) -> None:
        if checkpoint <= self.current:
            return
        if self.is_pending:
            self._abort(self.current)
        self.current, self.target = checkpoint, self.open
        self.aligned.clear()
        if times_out and self.timeout is not None:
            self.expires = self.clock + self.timeout + 1

    def _convert(self) -> None:
        """Go over to a checkpoint whose barriers overtake."""
        if self.state is State.WAITING:
            self.state = State.WAITING_UNALIGNED
        elif self.state is State.COLLECTING:
            self._start()

    def _start(self) -> None:
        self.state = State.COLLECTING_UNALIGNED
        self.task.take(self.current)

    def _close_if_complete(self) -> None:
        if self.is_complete:
            self.over = self.current
            self._reset()

    def _abort(self, checkpoint: int) -> None:
        self.current = max(checkpoint, self.current)
        self.over = max(checkpoint, self.over)
        self.target = 0
        self._reset()
        self.task.abort(checkpoint)

    def _reset(self) -> None:
        self.aligned.clear()
        self.blocked.clear()
        self.expires = None
        self.state = State.WAITING


__all__ = ["Single", "State", "Task", "Tracker"]
