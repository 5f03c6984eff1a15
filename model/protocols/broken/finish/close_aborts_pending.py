"""V-16: close() aborts every pending transaction, as the wiki's note on 42, 43 and 44 has it.

A checkpoint that was acknowledged before may still complete and be restored.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.sinks.sinks import Transaction, TwoPhaseSink
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class CloseAbortsPending(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "no-abort-of-recoverable"

    @step
    def close_operators(self, task: Task) -> None:
        """The sink aborts what is open and what is pending."""
        super().close_operators(task)
        if isinstance(task.sink, TwoPhaseSink):
            for checkpoint in self.checkpoints:
                self.abort_pending(task.sink, checkpoint)

    @step
    def abort_pending(self, sink: TwoPhaseSink, checkpoint: CheckpointId) -> None:
        """Abort the checkpoint's transaction if it is pending."""
        if sink.transaction[checkpoint] == Transaction.PRECOMMITTED:
            sink.abort(checkpoint)
