"""Starting a job from a checkpoint: state is dealt out, and what has finished stays finished.

Rules RC-4 … RC-8 of the fact sheet and the metadata of PL-9, over the finish of FLIP-147.
Who gets which state is in `failures/assignment.py`, the start from a snapshot of another job in
`failures/starting.py`, what may be changed between the two in `coordinator/graph_check.py`.
A spec with `[resume]` asks about the second of two jobs: its initial states are what the first can
leave behind. Left out: operator chains, so that the operators of a vertex finish alike (RC-8 i).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.coordinator.graph_check import Check
from model.protocols.coordinator.metadata import Metadata
from model.protocols.failures.assignment import BroadcastFrom
from model.protocols.failures.starting import Starting
from model.protocols.final_checkpoint import FinalCheckpoint, FinalCheckpointOptions
from model.protocols.task.stateful import DEALT_OUT, Share, Stateful
from model.protocols.task.tasks import Task
from model.rules import define
from model.topology import Kind


@dataclass(frozen=True)
class RestoreOptions(FinalCheckpointOptions):
    """The toggles of final checkpoints, and those of a start."""

    #: RC-8: what of the check of the graph is made
    check: Check = Check.FULL
    #: RC-5: whose copy of broadcast state is handed on where the parallelism has changed
    broadcast_from: BroadcastFrom = BroadcastFrom.REPORTERS
    #: RC-4: state that is rebuilt keeps the mark that its operator had finished
    rebuild_keeps_finished: bool = True
    #: H13: a source that is restored without state takes that for its first start
    empty_means_start: bool = False
    #: PL-8: the state of a coordinator is kept when its vertex has finished, and refused
    keeps_coordinator_state: bool = False
    #: PL-9: how finished operators are marked in the metadata
    metadata: Metadata = Metadata.SENTINEL


class Restore(Starting, FinalCheckpoint):
    """FinalCheckpoint, with operators that have state, and starts from what a job left behind."""

    key = "restore"
    Options: ClassVar[type] = RestoreOptions
    parts = (*FinalCheckpoint.parts, Stateful, Share)

    #: PL-8: the state of a coordinator is kept when its vertex has finished, and refused.
    keeps_coordinator_state: bool = False

    @property
    def task_classes(self) -> Mapping[Kind, type[Task]]:
        return {**super().task_classes, **dict.fromkeys(DEALT_OUT, Stateful)}

    @define
    def may_not_complete(self, checkpoint: Checkpoint) -> bool:
        """PL-8: or the metadata of a finished vertex refuses the state of its coordinator."""
        if self.keeps_coordinator_state and self._has_finished_source(checkpoint):
            return True
        return super().may_not_complete(checkpoint)

    @define
    def _has_finished_source(self, checkpoint: Checkpoint) -> bool:
        return any(
            checkpoint.has_all(self.tasks_of(source), checkpoint.finished)
            for source in self.job.sources
        )
