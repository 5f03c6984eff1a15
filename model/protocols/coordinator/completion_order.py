"""The order in which checkpoints complete, if savepoints can complete after newer checkpoints.

Models CN-5 of the fact sheet. Flink sends the confirmations of a checkpoint under the coordinator's
lock when the checkpoint completes, and calls of one sender arrive in order: a task receives
confirmations in the order of completion. A newer checkpoint that completes aborts each older one,
except a savepoint. So the order of completion is the order of ids, except for a savepoint that
completes while newer checkpoints are still being confirmed: the savepoint remembers these.
"""

from __future__ import annotations

from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.task.execution import TaskExecution
from model.rules import define, step


class CompletionOrder(TaskExecution):
    """A coordinator that confirms checkpoints in the order in which they completed."""

    #: Whether there are savepoints: a plain truth value.
    has_kinds: bool

    @property
    def keeps_order(self) -> bool:
        """Whether an older savepoint can be confirmed later: a plain truth value."""
        return self.has_kinds and self.confirmations_in_order

    def keeps(self) -> frozenset[str]:
        own = {"completion-order"} if self.keeps_order else set[str]()
        return super().keeps() | own

    @define
    def completed_before(self, one: Checkpoint, other: Checkpoint) -> bool:
        """CN-1, CN-5: which of two completed first: a savepoint is not subsumed and may be last."""
        if not self.keeps_order:
            return super().completed_before(one, other)
        if one < other:
            return not one.overtaken_by.has(other)
        return other.overtaken_by.has(one)

    @step
    def note_completion(self, checkpoint: Checkpoint) -> None:
        """CN-5: newer checkpoints that are being confirmed completed before this one."""
        if self.keeps_order:
            for other in self.checkpoints:
                if other > checkpoint and not other.confirmations.is_empty:
                    checkpoint.overtaken_by.add(other)
