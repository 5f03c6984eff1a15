"""The plan of a checkpoint: who is triggered, who must acknowledge, who counts as finished.

Models PL-2, PL-8 and PL-9 of the fact sheet. The metadata of PL-9 is the set of tasks that a
checkpoint counts as finished.
"""

from __future__ import annotations

import enum

from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.coordinator.recycling import Recycling
from model.protocols.task.tasks import Task
from model.rules import define, step


class UnionCheck(enum.Enum):
    """PL-8: when a vertex with union state may not be part of a completed checkpoint."""

    NONE = "none"
    FINISHED = "finished"
    FINISHED_OR_FINISHING = "finished-or-finishing"


class Planning(Recycling):
    """A job whose checkpoints are planned."""

    #: PL-8: which checkpoints of unevenly finished union state are aborted.
    union_check: UnionCheck = UnionCheck.FINISHED_OR_FINISHING

    @step
    def compute_plan(self, checkpoint: Checkpoint) -> None:
        """PL-2.3, PL-2.4: wait for all that run; trigger those whose producers have all ended."""
        for task in self.tasks:
            self._plan(checkpoint, task)

    @step
    def _plan(self, checkpoint: Checkpoint, task: Task) -> None:
        if self.counts_as_finished(task):
            checkpoint.finished.add(task)
        else:
            checkpoint.awaited.add(task)
            if self.is_head(task):
                checkpoint.triggers.add(task)

    @define
    def counts_as_finished(self, task: Task) -> bool:
        """PL-2.4: whether a task need not take part."""
        return task.reported_finished

    @define
    def is_head(self, task: Task) -> bool:
        """PL-2.4: whether no producer of a task takes part, so that it must be triggered itself."""
        return all(self.counts_as_finished(producer) for producer in self.producers(task))

    @define
    def is_to_be_called(self, task: Task, checkpoint: Checkpoint) -> bool:
        """PL-4: whether a call to a task is on its way."""
        return checkpoint.triggers.has(task)

    @define
    def may_not_complete(self, checkpoint: Checkpoint) -> bool:
        """PL-8: a vertex with union state has finished in part, or its operators have."""
        return any(self._is_uneven(checkpoint, subtasks) for subtasks in self.unions)

    @define
    def _is_uneven(self, checkpoint: Checkpoint, subtasks: tuple[Task, ...]) -> bool:
        if self.union_check == UnionCheck.NONE:
            return False
        if checkpoint.has_some(subtasks, checkpoint.finished):
            return not checkpoint.has_all(subtasks, checkpoint.finished)
        if self.union_check == UnionCheck.FINISHED:
            return False
        some = checkpoint.has_some(subtasks, checkpoint.operators_finished)
        return some and not checkpoint.has_all(subtasks, checkpoint.operators_finished)
