"""Barriers that overtake: when they are noticed, what is logged, and what may be read.

Models UN-1 … UN-8 and RC-9, RC-12 of the fact sheet with gates of `overtaking_gate.py`. A barrier
keeps its place in the one queue of a channel, and is noticed ahead of its turn (decision 12).
"""

from __future__ import annotations

from typing import cast

from model.properties.views import ChannelStateView
from model.protocols.barriers.gate import AlignedGate, Arrival
from model.protocols.barriers.logs import LoggedChannel, LoggedCommittableChannel
from model.protocols.barriers.overtaking_gate import OvertakingGate
from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.job.channels import Channel
from model.protocols.job.elements import Barrier, CheckpointId, Datum
from model.protocols.sinks.committer import CommittableChannel
from model.protocols.task.execution import TaskExecution
from model.protocols.task.tasks import Task
from model.rules import STRONG, define, require, rule, step
from model.topology import Pattern


class Overtaking(ChannelStateView):
    """A job in which barriers overtake records, where an edge lets them."""

    acknowledges_snapshots = False
    forces_savepoints = False
    times_out = False
    #: Whether records are there that are not seen: what is first in a queue may not be its head.
    hides_records = False

    @property
    def channel_class(self) -> type[Channel]:
        return LoggedChannel

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
        """UN-6: whether an edge by itself lets barriers overtake."""
        edge = channel.edge.edge
        return edge.pattern is Pattern.ALL_TO_ALL and not edge.broadcast and edge.overtakes

    @define
    def overtakes(self, channel: Channel, checkpoint: CheckpointId) -> bool:
        """UN-1: the sender puts the barrier ahead of all that is queued, EndOfData included."""
        return self.may_overtake(channel)

    @define
    def is_ahead(self, channel: LoggedChannel, checkpoint: CheckpointId) -> bool:
        """Whether a barrier that may be read out of turn is in a channel, and would count."""
        return (
            channel.queue.holds(Barrier(checkpoint))
            and self.overtakes(channel, checkpoint)
            and self.gate_of(self.reader(channel)).awaits(channel, checkpoint)
        )

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
        """UN-7: whether a log could ever be restored: not that of an aborted checkpoint."""
        return self.known(checkpoint).is_pending

    @step
    def log_record(self, task: Task, channel: LoggedChannel, record: Datum) -> None:
        """UN-2: a record that comes before its channel's barrier, after the snapshot."""
        if self.gate_of(task).started and not channel.aligned:
            self._log_if_pending(task, channel, record)

    @step
    def _log_if_pending(self, task: Task, channel: LoggedChannel, record: Datum) -> None:
        if self.keeps_log_of(task.newest):
            channel.add_to_log(task.newest, record)

    # --- after a restart -------------------------------------------------------------------------

    @define
    def reads(self, task: Task, channel: Channel) -> bool:
        """RC-9: nothing new is read before all that was in flight is processed."""
        return super().reads(task, channel) and self.is_recovered(task)
