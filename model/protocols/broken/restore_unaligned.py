"""Planted mistakes of `restore-unaligned`."""

from __future__ import annotations

from finale.model.protocols.job.elements import Datum
from finale.model.protocols.restore_unaligned import RestoreUnaligned
from finale.model.topology import Vertex


class ReplicatesUnfiltered(RestoreUnaligned):
    """What was in flight to keyed state goes to all whose ranges overlap, and nobody filters it.

    Each of them processes the record: the key has state at subtasks that do not own it.
    """

    variant, must_fall = "replicates-unfiltered", "each-key-at-its-owner"

    def keeps_in_flight(self, record: Datum, vertex: Vertex, index: int) -> bool:
        """A subtask keeps all that it was given."""
        return True
