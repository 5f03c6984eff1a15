"""A task whose inputs have ended closes though its operators have not finished."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import WEAK, require, rule


class ClosesBeforeFinish(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "finish-before-close"

    @rule(fair=WEAK)
    def quiesce(self, task: Task) -> None:
        """FC-6 without its conditions, as a cancelled task would leave."""
        require(task.is_running or task.status == TaskStatus.WAITING_FOR_FINAL_CP)
        require(task.inputs_ended)
        task.status = TaskStatus.QUIESCED
