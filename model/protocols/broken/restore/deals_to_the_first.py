"""All entries of list state go to the first subtask instead of round all of them."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.restore import Restore
from finale.model.protocols.task.stateful import Stateful
from finale.model.rules import step


class DealsToTheFirst(Restore):
    """Restore with one mistake."""

    must_fall: ClassVar[str] = "list-state-goes-round"

    @step
    def deal_out(self, task: Stateful, checkpoint: CheckpointId) -> None:
        """The first subtask gets all entries."""
        for share in self.shares_of(task.subtask.vertex) if task.subtask.index == 0 else ():
            share.hand_over_all(task, checkpoint)
