"""A writer hands over what it staged at the end of its data, and once more before a barrier.

So did the first sinks of FLIP-143 around their final checkpoint (FLINK-24131).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.sinks.committer import Writer
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step
from finale.model.topology import OperatorKind


class TwiceWriter(Writer):
    """A Writer that does not remember that it has come to its end."""

    @step
    def before_barrier(self, checkpoint: CheckpointId) -> None:
        """In front of every barrier, also after the end."""
        for each, tag in zip(self.checkpoints, self.tags, strict=False):
            self._hand_over_if(checkpoint == each, tag)


class PreparesTwice(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "committables-are-told-apart"

    @property
    def task_classes(self) -> Mapping[OperatorKind, type[Task]]:
        return {**super().task_classes, OperatorKind.WRITER: TwiceWriter}
