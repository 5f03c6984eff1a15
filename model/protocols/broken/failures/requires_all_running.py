"""FLINK-2491's first knob: the plan wants every task to be running, and none is once one has ended.

Tasks wait for their final checkpoint and alignment counts ended inputs: only the plan is old.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import require, step


class RequiresAllRunning(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "triggers-go-on"

    @step
    def admit(self) -> None:
        """LF-6: no checkpoint once some task has finished."""
        super().admit()
        require(all(not task.reported_finished for task in self.tasks))
