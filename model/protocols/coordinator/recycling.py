"""Checkpoint ids without end: with `live_checkpoints`, an id that nothing names is given again.

It lets a search answer what must happen again and again (L4). The renaming is canonical: ids keep
their order, so that states that differ only in how many checkpoints there ever were are one.
"""

from __future__ import annotations

from model.language.observing import observing, sound_kind
from model.language.renaming import retire
from model.protocols.coordinator.checkpoints import ABORTED, UNUSED, Checkpoint
from model.protocols.job.elements import CheckpointId
from model.protocols.job.layout import JobProtocol
from model.protocols.task.tasks import Task
from model.rules import Nothing, define, step


class Recycling(JobProtocol):
    """Gives ids again."""

    @step
    def make_room(self) -> None:
        """Bound `live_checkpoints`: with all ids used, the oldest that nothing names is retired."""
        self.make_room_if(True)

    @step
    def make_room_if(self, wanted: bool) -> None:
        """The same if there will be a new checkpoint. No checkpoint may be written before."""
        if self.recycles and wanted:
            for checkpoint in self.checkpoints:
                self._retire_if_free(checkpoint)

    @step
    def _retire_if_free(self, checkpoint: Checkpoint) -> None:
        if self.checkpoints[-1].status != UNUSED and self.is_free(checkpoint):
            self.forget(checkpoint)

    @step
    def forget(self, checkpoint: Checkpoint) -> None:
        """Give an id again that is free."""
        # What is older than every live id stays older, and "from this one on" means the next.
        before = self._before(checkpoint)
        for task in self.tasks:
            self._forget_id(task, checkpoint, before)
        retire(checkpoint, Checkpoint)

    def _before(self, checkpoint: Checkpoint) -> CheckpointId:
        position = self.checkpoints.index(checkpoint)
        return self.checkpoints[position - 1] if position else Nothing

    @step
    def _forget_id(self, task: Task, checkpoint: Checkpoint, before: CheckpointId) -> None:
        if task.newest == checkpoint:
            task.newest = before
        if task.confirmed == checkpoint:
            task.confirmed = before

    def is_free(self, checkpoint: Checkpoint) -> bool:
        """Whether neither a rule nor a property can name a checkpoint again.

        A variant may override what names a checkpoint, such as the newest completed one: its rules
        ask the variant, and properties observe with the methods of the protocol. So both are asked.
        """
        unnamed, sound = self.is_unnamed(checkpoint), sound_kind(type(self))
        if sound is type(self):
            return unnamed
        with observing(self, sound):
            return unnamed and self.is_unnamed(checkpoint)

    @define
    def is_unnamed(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint is over, and no message, alignment or restart can name it again."""
        over = checkpoint.status == ABORTED or checkpoint.is_completed
        quiet = (
            checkpoint.triggers.is_empty
            and checkpoint.confirmations.is_empty
            and checkpoint.aborts.is_empty
        )
        return (
            over
            and quiet
            and self.newest_completed() != checkpoint
            and not self.is_in_store(checkpoint)
            and all(other.latest != checkpoint for other in self.checkpoints)
            and all(not task.refers_to(checkpoint) for task in self.tasks)
            and all(not self.waits_for_exactly(task, checkpoint) for task in self.tasks)
            and all(not channel.refers_to(checkpoint) for channel in self.channels)
            and all(not sink.refers_to(checkpoint) for sink in self.sinks)
        )

    @define
    def is_remembered(self, checkpoint: Checkpoint) -> bool:
        """Whether what tasks do later is judged by a completed checkpoint: history (S7)."""
        if not self.observes("taken"):
            return False
        final = any(task.taken_after_finish.has(checkpoint) for task in self.tasks)
        return checkpoint.is_completed and final

    def waits_for_exactly(self, task: Task, checkpoint: Checkpoint) -> bool:
        """Whether a task waits for this checkpoint and no later one would do."""
        return False
