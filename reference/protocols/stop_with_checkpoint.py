"""FLIP-45: a stop takes a checkpoint if checkpoints are kept, and else stops the sources.

All tasks stall, sources, too, and a cancellation ends whoever does.
"""

from __future__ import annotations

from dataclasses import replace

from finale.reference.coordinator import Checkpoint
from finale.reference.protocols.legacy_stop import EndingSources
from finale.reference.protocols.sync_savepoint import SyncSavepoint
from finale.reference.task import Task


class StopWithCheckpoint(EndingSources, SyncSavepoint):
    """A job that is stopped with a checkpoint to go on from."""

    key = "stop-with-checkpoint"
    usual = replace(SyncSavepoint.usual, source_blocks=True, retention="kept")

    @property
    def ends_sources(self) -> bool:
        return self.options.retention == "none"

    def is_left(self, checkpoint: Checkpoint) -> bool:
        return not self.ends_sources and super().is_left(checkpoint)

    def heeds_cancellation(self, task: Task) -> bool:
        return self.options.cancel_wins or not task.stalled
