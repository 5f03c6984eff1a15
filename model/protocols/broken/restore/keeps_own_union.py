"""Each subtask is restored with its own part of union state instead of all parts."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.restore import Restore
from finale.model.protocols.task.stateful import Stateful
from finale.model.rules import step
from finale.model.topology import OperatorKind


class KeepsOwnUnion(Restore):
    """Restore with one mistake."""

    must_fall: ClassVar[str] = "restored-union-is-whole"

    @step
    def assign(self, task: Stateful, checkpoint: CheckpointId) -> None:
        """Each subtask gets its own part of union state back."""
        if task.subtask.vertex.kind == OperatorKind.UNION_STATE:
            self.share_of(task).hand_over_all(task, checkpoint)
        else:
            super().assign(task, checkpoint)
