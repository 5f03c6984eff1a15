"""Only tasks with a two-phase sink wait for the final checkpoint; all others end with their inputs.

A plan that counts such a task as finished triggers its consumers by RPC, and a trigger by RPC
assumes that nothing but EndOfPartition is left on their inputs (PL-7, S11). The task ends with a
record, EndOfData and EndOfPartition behind each other in one channel, if they fit.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import define
from finale.model.topology import Sink


class OnlySinksWait(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "consistent-cut"

    @define
    def may_close(self, task: Task) -> bool:
        """FC-6: only a two-phase sink waits for a final checkpoint."""
        if task.subtask.vertex.sink == Sink.TWO_PHASE:
            return super().may_close(task)
        return task.inputs_ended
