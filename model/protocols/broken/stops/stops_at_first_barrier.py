"""A task takes the savepoint of a stop at its first barrier: its sources have stopped, all of them.

They have, and what they emitted before is still on its way.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.rules import define


class _HastyGate(AlignedGate):
    @define
    def is_aligned(self) -> bool:
        """AL-1 for one of the barriers."""
        return any(channel.aligned for channel in self.task.inputs)


class StopsAtFirstBarrier(StopWithSavepoint):
    """StopWithSavepoint with one mistake."""

    must_fall: ClassVar[str] = "savepoint-is-a-cut"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return _HastyGate
