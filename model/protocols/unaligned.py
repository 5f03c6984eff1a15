"""Unaligned checkpoints: a barrier overtakes the records before it, which become part of it.

FLIP-76 "Unaligned Checkpoints", and rules UN-1 … UN-8, FC-12, RC-9, RC-12 of the fact sheet, with
the finish of FLIP-147. A barrier keeps its place in the one queue of a channel, and is noticed
ahead of its turn (decision 12). The handler of barriers is in `barriers/overtaking_gate.py`, the
log of a channel in `job/channels.py`.

In `AlignedWithTimeout` barriers are aligned at first, and overtake after a time: rules
AT-1 … AT-7, and CL-TIMEOUT of the mail thread "Checkpointing under backpressure"; FLINK-27251 for
the sender's time. Time is a rule that can be taken at any moment while an alignment is incomplete:
whatever the age of a checkpoint is, some run has it.
Left out: which part of a log lies at the sender and which at the receiver (decision 12), files of
channel state; that time is counted from the trigger of the checkpoint (AT-1), and that a sender
waits for the fate of its queued barrier before it acknowledges (decision 12).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import ClassVar, cast

from finale.model.errors import FinaleError, Place
from finale.model.language.protocol import kept
from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.barriers.overtaking_gate import OvertakingGate
from finale.model.protocols.committer import CommittableChannel, LoggedCommittableChannel
from finale.model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.finish_options import FinalCheckpointOptions
from finale.model.protocols.job.channels import Channel, LoggedChannel, TimedChannel
from finale.model.protocols.job.elements import Barrier, CheckpointId, Datum
from finale.model.protocols.task.execution import ChannelStateView, TaskExecution
from finale.model.protocols.task.tasks import Task
from finale.model.rules import STRONG, WEAK, Nothing, Setting, define, require, rule, step
from finale.model.topology import Pattern


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


class Unaligned(FinalCheckpoint, ChannelStateView):
    """The finish of FLIP-147 with barriers that overtake."""

    key = "unaligned"
    Options: ClassVar[type] = UnalignedOptions
    options: UnalignedOptions
    parts = (*FinalCheckpoint.parts, LoggedChannel, OvertakingGate, TimedChannel)

    acknowledges_snapshots = False
    forces_savepoints = False
    #: AT-1: whether barriers are aligned at first, and overtake after a time.
    times_out: bool = False
    #: AT-6: whether the sender, too, lets a barrier overtake that is still queued after the time.
    output_timeout: bool = True
    #: Whether records are there that are not seen: what is first in a queue may not be its head.
    hides_records = False

    @property
    def channel_class(self) -> type[Channel]:
        return TimedChannel if self.times_out else LoggedChannel

    @property
    def committable_class(self) -> type[CommittableChannel]:
        return LoggedCommittableChannel

    @property
    def gate_class(self) -> type[AlignedGate]:
        return OvertakingGate

    @staticmethod
    def gate_of(task: Task) -> OvertakingGate:
        """The gate of a task of such a job."""
        return cast(OvertakingGate, task.gate)

    @property
    def control_elements(self) -> int:
        """Of each checkpoint its barrier, and from a task that reads others also the news that it
        is given up; EndOfData and EndOfPartition."""
        inner = any(task.inputs and task.outputs for task in self.tasks)
        return len(self.checkpoints) * (2 if inner else 1) + 2

    @rule(fair=STRONG)
    def poll_recovered(self, channel: LoggedChannel) -> None:
        """CL-5, RC-9: a restarted task processes the next record of the log of a channel."""
        require(self.restarts, lambda: not channel.recovered.is_empty)
        self.process_recovered(channel)

    def process(self, task: Task, channel: Channel) -> None:
        """UN-2: a record is processed and, where it is in flight across the cut, logged."""
        TaskExecution.process(self, task, channel)

    # --- which barriers overtake -----------------------------------------------------------------

    def may_overtake(self, channel: Channel) -> bool:
        """UN-6: whether a barrier may overtake here: not into a task with an input that is
        pointwise, broadcast or otherwise kept in order."""
        return all(self.is_unordered(each) for each in self.reader(channel).inputs)

    def is_unordered(self, channel: Channel) -> bool:
        """UN-6: whether an edge by itself lets barriers overtake; inside a sink none does, unless
        that is asked for, or for all edges."""
        if self.options.aligned_edges == AlignedEdges.NONE:
            return True
        edge = channel.edge.edge
        inner = isinstance(channel, CommittableChannel)
        mixes = edge.pattern is Pattern.ALL_TO_ALL and not edge.broadcast and edge.overtakes
        return mixes and (self.options.inner_edges_overtake or not inner)

    @define
    def overtakes(self, channel: Channel, checkpoint: CheckpointId) -> bool:
        """UN-1, AT-1, AT-6: whether the sender puts the barrier ahead of all that is queued,
        EndOfData included: unless it is a savepoint's, and once its time is over."""
        is_logged = self.options.savepoint_priority or self.is_unaligned(checkpoint)
        if not self.times_out:
            return self.may_overtake(channel) and is_logged
        hurried = cast(TimedChannel, channel).hurried
        is_over = hurried != Nothing and checkpoint <= hurried
        return is_over and self.may_overtake(channel) and is_logged

    @define
    def is_ahead(self, channel: LoggedChannel, checkpoint: CheckpointId) -> bool:
        """Whether a barrier that may be read out of turn is in a channel, and would count; AT-4:
        also one whose checkpoint hurries at the receiver."""
        task = self.reader(channel)
        gate = self.gate_of(task)
        ahead = (
            channel.queue.holds(Barrier(checkpoint))
            and self.overtakes(channel, checkpoint)
            and gate.awaits(channel, checkpoint)
        )
        if not self.times_out:
            return ahead
        called = gate.hurrying and task.newest == checkpoint and self.is_unaligned(checkpoint)
        hurries = called and channel.queue.holds(Barrier(checkpoint))
        return ahead or (hurries and gate.awaits(channel, checkpoint))

    @rule(fair=STRONG)
    def notice_barrier(self, channel: LoggedChannel, checkpoint: Checkpoint) -> None:
        """UN-3, UN-4, FC-12: a barrier is noticed ahead of what it has overtaken; none overtakes
        an earlier one that does."""
        require(self.may_overtake(channel))
        task = self.reader(channel)
        require(task.is_alive, self.is_ahead(channel, checkpoint))
        its_turn = channel.queue.head == Barrier(checkpoint) and not self.hides_records
        require(not its_turn or not self.reads(task, channel))
        older = tuple(each for each in self.checkpoints if each.number < checkpoint.number)
        require(all(not self.is_ahead(channel, each) for each in older))
        task.gate.on_barrier(channel, checkpoint, Arrival.AHEAD)

    # --- logs ------------------------------------------------------------------------------------

    @step
    def log_overtaken(self, channel: Channel, checkpoint: CheckpointId) -> None:
        """UN-1, UN-2: records that a barrier has overtaken become part of its checkpoint."""
        if self.keeps_log_of(checkpoint):
            self.logged(channel).log_overtaken(checkpoint)

    @define
    def keeps_log_of(self, checkpoint: CheckpointId) -> bool:
        """UN-1, UN-7: what is in flight is logged for a pending checkpoint, for a savepoint not."""
        return self.known(checkpoint).is_pending and self.is_unaligned(checkpoint)

    @step
    def log_record(self, task: Task, channel: Channel, record: Datum) -> None:
        """UN-2: a record that comes before its channel's barrier, after the snapshot."""
        if self.gate_of(task).started and not channel.aligned:
            self._log_if_pending(task, channel, record)

    @step
    def _log_if_pending(self, task: Task, channel: Channel, record: Datum) -> None:
        if self.keeps_log_of(task.newest):
            self.logged(channel).add_to_log(task.newest, record)

    # --- after a restart -------------------------------------------------------------------------

    @define
    def reads(self, task: Task, channel: Channel) -> bool:
        """RC-9: nothing new is read before all that was in flight is processed."""
        return super().reads(task, channel) and self.is_recovered(task)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        if self.options.concurrent > 1:
            raise FinaleError(
                "concurrent-unaligned",
                f"{self.options.concurrent} checkpoints may be pending, and barriers overtake",
                place=Place(key="options.concurrent"),
                advice="leave it out: such checkpoints are taken one at a time (UN-8)",
            )

        if self.tags and self.recovers and self.options.inner_edges_overtake:
            raise FinaleError(
                "overtaken-committables",
                "what barriers overtake inside a sink is not logged, and the job may fail",
                place=Place(key="options.inner_edges_overtake"),
                advice="leave out inner_edges_overtake, or the failures",
            )

    @define
    def is_unaligned(self, checkpoint: CheckpointId) -> bool:
        """Whether what is in flight is part of a checkpoint: of savepoints it is not."""
        return not self.has_kinds or self.known(checkpoint).kind == CheckpointKind.CHECKPOINT

    @step
    def restore_from(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-9, RC-12: with the state comes what was in flight, unless that is to be dropped."""
        super().restore_from(task, checkpoint)
        if self.options.drops_in_flight:
            for channel in task.inputs:
                self.logged(channel).recovered.clear()

    def keeps(self) -> frozenset[str]:
        return super().keeps() | kept({"timeouts": self.times_out})

    @rule(fair=STRONG)
    def notice_announcement(self, channel: LoggedChannel, checkpoint: Checkpoint) -> None:
        """AT-2: that a barrier has arrived is announced ahead of what is queued before it."""
        require(self.times_out)
        task = self.reader(channel)
        require(self.may_overtake(channel), task.is_alive, self.is_unaligned(checkpoint))
        require(channel.queue.holds(Barrier(checkpoint)), not task.gate.is_past(checkpoint))
        require(task.newest == Nothing or task.newest < checkpoint)
        self.gate_of(task).on_announcement(checkpoint)

    @rule(fair=WEAK)
    def time_out(self, task: Task) -> None:
        """AT-4, CL-TIMEOUT: the time of an incomplete alignment is over."""
        require(self.times_out)
        require(task.is_alive, self.gate_of(task).may_time_out)
        require(any(self.may_overtake(channel) for channel in task.inputs))
        require(self.is_unaligned(task.newest))
        self.gate_of(task).on_time_out()

    @rule(fair=WEAK)
    def time_out_output(self, channel: TimedChannel, checkpoint: Checkpoint) -> None:
        """AT-6, CL-TIMEOUT: the time of a barrier that is still queued at its sender is over."""
        require(self.times_out)
        require(self.output_timeout, self.may_overtake(channel), self.is_unaligned(checkpoint))
        require(channel.queue.holds(Barrier(checkpoint)))
        require(channel.hurried == Nothing or channel.hurried < checkpoint)
        channel.hurried = checkpoint


@dataclass(frozen=True)
class TimeoutOptions(UnalignedOptions):
    """What `unaligned` has, and where time is taken."""

    #: AT-6: the sender, too, lets a barrier overtake that is still queued after the time
    output_timeout: bool = True


class AlignedWithTimeout(Unaligned):
    """Unaligned, where the time of an alignment must be over first."""

    key = "aligned-with-timeout"
    Options = TimeoutOptions
    times_out = True
