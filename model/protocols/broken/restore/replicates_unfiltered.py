"""What was in flight to keyed state goes to all whose ranges overlap, and nobody filters it.

Each of them processes the record: the key has state at subtasks that do not own it.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.job.elements import Datum
from finale.model.protocols.restore_unaligned import RestoreUnaligned
from finale.model.topology import Vertex


class ReplicatesUnfiltered(RestoreUnaligned):
    """RestoreUnaligned with one mistake."""

    must_fall: ClassVar[str] = "each-key-at-its-owner"

    def keeps_in_flight(self, record: Datum, vertex: Vertex, index: int) -> bool:
        """A subtask keeps all that it was given."""
        return True
