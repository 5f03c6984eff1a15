"""The gate of a task: it collects the barriers of a checkpoint from all inputs.

Exactly once, by alignment: an input whose barrier has come is not read until the others' have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from finale.reference.channel import Channel


class Gate:
    """The gate between the inputs of a task and its operator.

    `take` is called with the id of a checkpoint whose turn has come, `give_up` with one that
    will never be complete here.
    """

    def __init__(self, inputs: Sequence[Channel], *, ends_abort: bool) -> None:
        self.inputs = tuple(inputs)
        #: Before FLIP-147 the end of an input spoils the alignment under way.
        self.ends_abort = ends_abort
        self.newest: int | None = None
        self.collecting = False
        self.take: Callable[[int], None]
        self.give_up: Callable[[int], None]

    @property
    def all_ended(self) -> bool:
        return all(channel.ended for channel in self.inputs)

    def is_late(self, checkpoint: int) -> bool:
        """Whether a checkpoint is over at this gate: taken, aborted, or skipped."""
        if self.newest is None or self.newest < checkpoint:
            return False
        return self.newest > checkpoint or not self.collecting

    def is_new(self, checkpoint: int) -> bool:
        """Whether nothing of a checkpoint, or of a newer one, was seen here."""
        return self.newest is None or self.newest < checkpoint

    def barrier(self, channel: Channel, checkpoint: int, *, blocks: bool = True) -> None:
        """A barrier comes over an input, or is put there by a trigger, and then blocks nothing."""
        if self.is_late(checkpoint):
            return
        self._open(checkpoint)
        channel.aligned = True
        channel.blocked = blocks or channel.blocked
        self._go_on_if_complete()

    def cancelled(self, checkpoint: int) -> None:
        """A sender gives a checkpoint up; one that was only announced here has nothing to undo."""
        counted = any(channel.aligned for channel in self.inputs)
        if self.is_new(checkpoint) or (counted and not self.is_late(checkpoint)):
            self.give_up(checkpoint)

    def end(self, channel: Channel) -> None:
        """An input has ended: there is no barrier to wait for any more."""
        channel.ended = True
        channel.blocked = False
        if not self.collecting:
            return
        if self.ends_abort:
            self.give_up(self._newest)
        else:
            channel.aligned = True
            self._go_on_if_complete()

    def triggered(self, checkpoint: int) -> None:
        """The coordinator calls: at a source, or where all has ended, at once; else as barriers.

        Inputs that have not ended will: the call came since their senders count as finished.
        """
        if self.is_late(checkpoint):
            return
        if self.all_ended:
            self.newest = checkpoint
            self.take(checkpoint)
            return
        for channel in self.inputs:
            if not channel.ended:
                self.barrier(channel, checkpoint, blocks=False)

    def may_give_up(self, checkpoint: int) -> bool:
        """Whether an abort comes before the checkpoint's turn here."""
        return not self.is_late(checkpoint)

    def release(self) -> None:
        """All inputs are read again."""
        self.collecting = False
        for channel in self.inputs:
            channel.aligned = channel.blocked = False

    def reset(self) -> None:
        self.newest = None
        self.release()

    @property
    def _is_complete(self) -> bool:
        return all(channel.aligned or channel.ended for channel in self.inputs)

    @property
    def _newest(self) -> int:
        assert self.newest is not None
        return self.newest

    def _open(self, checkpoint: int) -> None:
        """Begin a new checkpoint at this gate, and abort the one that is collecting barriers."""
        if self.newest != checkpoint:
            if self.collecting:
                self.give_up(self._newest)
            self.newest, self.collecting = checkpoint, True
            for each in self.inputs:
                each.aligned = False

    def _go_on_if_complete(self) -> None:
        if self._is_complete:
            self.release()
            self.take(self._newest)
