"""A stop aborts the checkpoint that a task waits for after its end, and the task takes that for its
release: it closes, though it has meanwhile taken the savepoint of the stop."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.broken.finish.released_by_abort import ReleasedByAbort
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint


class ReleasedByStop(ReleasedByAbort, StopWithSavepoint):
    """StopWithSavepoint with the mistake of ReleasedByAbort."""

    must_fall: ClassVar[str] = "closed-after-its-savepoint"
