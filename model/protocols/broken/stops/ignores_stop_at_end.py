"""A stop keeps a source from emitting, and the source never ends its data for it."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.sources import Source
from finale.model.rules import define


class IgnoresStopAtEnd(StopWithSavepoint):
    """StopWithSavepoint with one mistake."""

    must_fall: ClassVar[str] = "no-deadlock"

    @define
    def has_no_more(self, task: Source) -> bool:
        """Whether a source has no further record, whatever a stop has told it."""
        return task.subtask.bounded and task.remaining == 0
