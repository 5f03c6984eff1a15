"""The coordinator triggers every running task by RPC, not only those without running producers."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import define


class TriggersAll(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "triggered-tasks-are-heads"

    @define
    def is_head(self, task: Task) -> bool:
        """PL-2.4 without its condition."""
        return True
