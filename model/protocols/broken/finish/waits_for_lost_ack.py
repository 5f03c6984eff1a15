"""The coordinator waits for the acknowledgement of a task that had ended before its trigger came.

V-9's lesson and the proof-of-concept mail's second point: a failed trigger must end the checkpoint.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task


class WaitsForLostAcknowledgement(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "checkpoint-ends"

    def trigger_failed(self, task: Task, checkpoint: Checkpoint) -> None:
        """The failed call is not looked at: the task's acknowledgement never comes."""
