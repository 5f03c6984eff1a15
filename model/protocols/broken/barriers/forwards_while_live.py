"""A task forwards a barrier only while all sources of the job live.

So it was in Wallaroo before October 2018 (issue 2507).
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class ForwardsWhileLive(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "checkpoint-ends"

    @step
    def perform(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-5, and the barrier goes out if every source lives."""
        if any(source.is_closed for source in self.tasks if isinstance(source, Source)):
            self.snapshot_taken(task, checkpoint)
        else:
            super().perform(task, checkpoint)
