"""A finished subtask is written as its index with a minus: that of the first one is no mark.

Minus zero is zero, so the first subtask is read as one that runs and has left nothing behind: it
starts for the first time.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.metadata import Encoding
from finale.model.protocols.restore import Restore


class PlainMinus(Encoding):
    """The special numbers without the offset of one."""

    def mark(self, index: int) -> int:
        """How a subtask is written that has finished."""
        return -index


class MarksFromZero(Restore):
    """Restore with one mistake."""

    must_fall: ClassVar[str] = "each-record-is-kept"

    @property
    def encoding(self) -> Encoding:
        return PlainMinus(self.metadata)
