"""Unaligned checkpoints: a barrier overtakes the records before it, which become part of it.

FLIP-76 "Unaligned Checkpoints", and rules UN-1 … UN-8, FC-12, RC-9, RC-12 of the fact sheet, with
the finish of FLIP-147. The handler of barriers is in `barriers/overtaking_gate.py`, when a barrier
is noticed and what is logged in `barriers/overtaking.py`, replay in `barriers/replaying.py`.
Left out: which part of a log lies at the sender and which at the receiver (decision 12), files of
channel state, rescaling with logs.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import ClassVar, cast

from model.errors import FinaleError, Place
from model.protocols.barriers.logs import LoggedChannel
from model.protocols.barriers.overtaking import Overtaking
from model.protocols.barriers.overtaking_gate import OvertakingGate
from model.protocols.coordinator.checkpoints import CheckpointKind
from model.protocols.final_checkpoint import FinalCheckpoint, FinalCheckpointOptions
from model.protocols.job.channels import Channel
from model.protocols.job.elements import CheckpointId
from model.protocols.sinks.committer import CommittableChannel
from model.protocols.task.tasks import Task
from model.rules import Setting, define, step


class AlignedEdges(enum.Enum):
    """On which edges barriers stay in order."""

    BY_KIND = "by-kind"
    NONE = "none"


@dataclass(frozen=True)
class UnalignedOptions(FinalCheckpointOptions):
    """What `final-checkpoint` has, and what concerns records in flight."""

    #: RC-12: a restart drops what was in flight, on purpose
    drops_in_flight: bool = False
    #: UN-1: the barrier of a savepoint overtakes too, though nothing is logged for one
    savepoint_priority: bool = False
    #: UN-6: on which edges barriers stay in order: pointwise, broadcast and inner ones, or none
    aligned_edges: AlignedEdges = AlignedEdges.BY_KIND
    #: UN-6: barriers also overtake what a writer hands over to its committer
    inner_edges_overtake: bool = False


class Unaligned(Overtaking, FinalCheckpoint):
    """The finish of FLIP-147 with barriers that overtake."""

    key = "unaligned"
    Options: ClassVar[type] = UnalignedOptions
    parts = (*FinalCheckpoint.parts, LoggedChannel, OvertakingGate)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        if self.options.concurrent > 1:
            raise FinaleError(
                "concurrent-unaligned",
                f"{self.options.concurrent} checkpoints may be pending, and barriers overtake",
                place=Place(key="options.concurrent"),
                advice="leave it out: such checkpoints are taken one at a time (UN-8)",
            )

        if self.tags and self.recovers and self.chosen.inner_edges_overtake:
            raise FinaleError(
                "overtaken-committables",
                "what barriers overtake inside a sink is not logged, and the job may fail",
                place=Place(key="options.inner_edges_overtake"),
                advice="leave out inner_edges_overtake, or the failures",
            )

    def is_unordered(self, channel: Channel) -> bool:
        """UN-6: inside a sink no barrier overtakes, unless that is asked for, or for all edges."""
        if self.chosen.aligned_edges == AlignedEdges.NONE:
            return True
        inner = isinstance(channel, CommittableChannel)
        return super().is_unordered(channel) and (self.chosen.inner_edges_overtake or not inner)

    @define
    def overtakes(self, channel: Channel, checkpoint: CheckpointId) -> bool:
        """UN-1: a barrier overtakes where the edge lets it, unless it is a savepoint's."""
        if self.chosen.savepoint_priority:
            return self.may_overtake(channel)
        return self.may_overtake(channel) and self.is_unaligned(checkpoint)

    @define
    def is_unaligned(self, checkpoint: CheckpointId) -> bool:
        """Whether what is in flight is part of a checkpoint: of savepoints it is not."""
        return not self.has_kinds or self.known(checkpoint).kind == CheckpointKind.CHECKPOINT

    @define
    def keeps_log_of(self, checkpoint: CheckpointId) -> bool:
        """UN-1, UN-7: what is in flight is logged for a pending checkpoint, for a savepoint not."""
        return super().keeps_log_of(checkpoint) and self.is_unaligned(checkpoint)

    @property
    def chosen(self) -> UnalignedOptions:
        """The options, with those of this protocol."""
        return cast(UnalignedOptions, self.options)

    @step
    def restore_from(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-9, RC-12: with the state comes what was in flight, unless that is to be dropped."""
        super().restore_from(task, checkpoint)
        if self.chosen.drops_in_flight:
            for channel in task.inputs:
                self.logged(channel).recovered.clear()
