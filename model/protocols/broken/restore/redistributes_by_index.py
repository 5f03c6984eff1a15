"""Keyed state stays with its subtask, also where there are more subtasks than before.

Keys are sent to the subtasks that have their ranges, and these do not have what belongs to them.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.restore import Restore
from finale.model.protocols.task.stateful import Stateful
from finale.model.rules import step


class RedistributesByIndex(Restore):
    """Restore with one mistake."""

    must_fall: ClassVar[str] = "each-key-at-its-owner"

    @step
    def take_keys(self, task: Stateful, checkpoint: CheckpointId) -> None:
        """A subtask gets what the one with its index had."""
        self.share_of(task).hand_over_all(task, checkpoint)
