"""The end of data does not wait for the mail in which the timers of the last watermark fire.

So the maximal watermark, and what the timers emit, come behind EndOfData or not at all. Flink's
`UnalignedCheckpointsInterruptibleTimersTest.testDeferredWatermarkIsEmittedBeforeEndOfData`.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class EndsBeforeDeferred(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "last-watermark-comes-first"

    @step
    def reach_end_of_time(self, task: Task) -> None:
        """LF-1, and what is deferred stays so."""
        if isinstance(task, Source):
            super().reach_end_of_time(task)
