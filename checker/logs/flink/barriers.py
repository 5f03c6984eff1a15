"""How a task comes by a barrier, where lines tell only that it has: in its turn, or before."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.job.channels import Channel
from model.protocols.job.elements import Barrier
from model.protocols.task.tasks import Task

from .needs import Needs
from .observations import Seen, Sight

Way = Callable[[Channel, Sight], bool]
_BEGUN = (Seen.BEGUN, Seen.NOT_BEGUN)


class Barriers(Needs):
    """Explains barriers."""

    def _barrier(self, sight: Sight) -> bool:
        channel = self.channels.get(sight.channel or "")
        if channel is None:
            return False
        self._pass_unseen(channel)
        rest = self._next_of(cast(str, sight.task))
        begins = (
            bool(rest) and rest[0].seen is Seen.BEGUN and rest[0].checkpoint == sight.checkpoint
        )
        final = self.sights.final.get(sight.own, 0)
        if begins and 0 < final <= (sight.checkpoint or 0):
            self._tries(partial(self.finished, cast(str, sight.task)))
        for at_once in (True, False) if begins else (False,):
            for way in (self._polls, self._notices, self._hurries, self._times_out):
                if self._tries(
                    partial(self._comes, way, channel, sight, rest[0] if at_once else None)
                ):
                    return True
        return False

    def _comes(self, way: Way, channel: Channel, sight: Sight, begun: Sight | None) -> bool:
        return way(channel, sight) and (begun is None or self._took(begun))

    def _took(self, sight: Sight) -> bool:
        task, point = self.tasks[cast(str, sight.task)], self.point(sight.checkpoint)
        return point is not None and self._has_begun(task, point, sight)

    # The ways in which a task comes by a barrier.

    def _polls(self, channel: Channel, sight: Sight) -> bool:
        """In its turn."""
        head = self.head(channel)
        if not isinstance(head, Barrier) or head.checkpoint is not self.point(sight.checkpoint):
            self.refused = self.refused or f"{channel.name} has {head}"
            return False
        self._ends_first(channel, sight)
        return self.do("poll_barrier", ("channel", channel.name))

    def _notices(self, channel: Channel, sight: Sight) -> bool:
        """Before its turn."""
        about = (("channel", channel.name), ("checkpoint", ""))
        if not self.do("notice_barrier", *about, number=sight.checkpoint):
            return False
        self.noticed.add((channel.name, sight.checkpoint or 0))
        return True

    def _hurries(self, channel: Channel, sight: Sight) -> bool:
        """Before its turn, since its time was over at the sender."""
        about = (("channel", channel.name), ("checkpoint", ""))
        hurries = self.do("time_out_output", *about, number=sight.checkpoint)
        return hurries and self._notices(channel, sight)

    def _times_out(self, channel: Channel, sight: Sight) -> bool:
        """In its turn, and the time of the alignment is over."""
        return self._polls(channel, sight) and self.do("time_out", ("task", cast(str, sight.task)))

    def _ends_first(self, last: Channel, sight: Sight) -> None:
        """Where a task takes part at once, its other inputs have had the barrier, or have ended."""
        task = self.tasks[cast(str, sight.task)]
        rest = self._next_of(task.name)
        if not rest or rest[0].seen not in _BEGUN or rest[0].checkpoint != sight.checkpoint:
            return
        with self.look():
            missing = [each for each in task.inputs
                       if each is not last and not each.ended and not each.blocked]  # fmt: skip
        for channel in missing:
            self._tries(partial(self.ended, channel))

    def _has_begun(self, task: Task, point: Checkpoint, sight: Sight) -> bool:
        with self.look():
            if sight.seen is Seen.BEGUN:
                return task.taken.has(point)
            waits = task.gate.aligning and not getattr(task.gate, "started", False)
            return bool(task.newest == point and not waits)


__all__ = ["Barriers"]
