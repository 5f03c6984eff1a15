"""FLIP-45: a stop takes a checkpoint on which tasks stall, and keeps it to go on from.

"FLIP-45: Reinforce Job Stop Semantic" (a proposal that was never merged), and rules F45-1 … F45-7
of the fact sheet over the synchronous savepoint of FLIP-34. Without retention the stop is the
oldest one, as the proposal has it: sources end, and nothing is kept.
Left out: iterations (F45-8), which no stop ends.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.legacy_stop import EndingSources
from finale.model.protocols.sync_savepoint import SyncSavepoint, SyncSavepointOptions
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Setting, define


class CheckpointRetention(enum.Enum):
    """F45-1: whether checkpoints are kept when the job has finished."""

    KEPT = "kept"
    NONE = "none"


@dataclass(frozen=True)
class StopWithCheckpointOptions(SyncSavepointOptions):
    """The toggles that concern the proposal; the defaults are what it means to be."""

    #: F45-3: every task stalls, a source, too
    source_blocks: bool = True
    #: F45-1: whether checkpoints are kept when the job has finished
    retention: CheckpointRetention = CheckpointRetention.KEPT
    #: F45-6: a cancellation also ends a task that stalls
    cancel_wins: bool = True


class StopWithCheckpoint(EndingSources, SyncSavepoint):
    """The stop of FLIP-45."""

    key = "stop-with-checkpoint"
    Options = StopWithCheckpointOptions
    #: F45-6: a cancellation also ends a task that stalls.
    cancel_wins: bool = True

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        assert isinstance(self.options, StopWithCheckpointOptions)
        self.ends_sources = self.options.retention == CheckpointRetention.NONE

    @define
    def is_left(self, checkpoint: Checkpoint) -> bool:
        """F45-1, F45-4: what the job leaves to go on from: the checkpoint of its stop is kept."""
        return not self.ends_sources and super().is_left(checkpoint)

    @define
    def heeds_cancellation(self, task: Task) -> bool:
        """F45-6: whether a cancellation ends a task at once; it should in any case."""
        return self.cancel_wins or not self.is_stalled(task)
