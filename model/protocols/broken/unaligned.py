"""Planted mistakes of `unaligned` and `aligned-with-timeout`."""

from __future__ import annotations

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.barriers.overtaking_gate import OvertakingGate
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.job.channels import Channel, LoggedChannel, TimedChannel
from finale.model.protocols.job.elements import Barrier, CancelBarrier, CheckpointId, Datum
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.protocols.unaligned import AlignedWithTimeout, Unaligned
from finale.model.rules import STRONG, WEAK, Bool, define, field, require, rule, step


class AcknowledgesBeforeLogs(Unaligned):
    """A task acknowledges when its snapshot is taken, and does not wait for what its inputs log."""

    variant, must_fall = "acknowledges-before-logs", "acknowledged-with-channel-state"
    acknowledges_snapshots = True


class DroppingGate(OvertakingGate):
    """A gate that keeps the log of an input only until the input ends."""

    @step
    def align_ended(self, channel: Channel) -> None:
        """AL-2, and UN-7 where nothing is aborted."""
        assert isinstance(channel, LoggedChannel)
        if self.started:
            channel.logged[self.task.newest] = 0
            channel.drop_log(self.task.newest)
        super().align_ended(channel)


class DropsLogOfEnded(Unaligned):
    """The end of an input drops what is logged there, as if no barrier meant that nothing is
    kept."""

    variant, must_fall = "drops-log-of-ended", "acknowledged-with-channel-state"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return DroppingGate


class FinishesBeforeRecovered(Unaligned):
    """The end of its input ends a task that has not processed what was in flight at the restart.

    So it was in Flink 2.3 with checkpoints during recovery (FLINK-39522): the restart counted as
    over.
    """

    variant, must_fall = "finishes-before-recovered", "recovered-first"

    @define
    def reads(self, task: Task, channel: Channel) -> bool:
        """Whether a task takes the next element of a channel, RC-9 left aside."""
        return task.is_alive and not channel.blocked

    @rule(fair=STRONG)
    def poll_data(self, channel: Channel) -> None:
        """A task processes the record at the head of a channel, after all that was in flight."""
        require(self.is_recovered(self.reader(channel)))
        super().poll_data(channel)

    @step
    def finish_operators(self, task: Task) -> None:
        """FC-1, and what was in flight and not processed is forgotten."""
        super().finish_operators(task)
        for channel in task.inputs:
            self.logged(channel).recovered.clear()


class WaitingGate(OvertakingGate):
    """A gate that counts barriers also where there are no channels to count."""

    @step
    def on_trigger(self, checkpoint: CheckpointId) -> None:
        """PL-7 without what it says of a task whose inputs have all ended."""
        if self.task.inputs and self.task.inputs_ended:
            self.open(checkpoint)
        else:
            super().on_trigger(checkpoint)


class HangsAtNoOpenInput(Unaligned):
    """A task whose inputs have all ended waits, when it is triggered, for barriers that cannot
    come.

    So it was in Flink before 1.14 (FLINK-23771): nothing completed the alignment of no channels.
    """

    variant, must_fall = "hangs-at-no-open-input", "checkpoint-ends"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return WaitingGate


class RepeatingGate(OvertakingGate):
    """A gate that repeats a log of one record at the end of the input."""

    @step
    def align_ended(self, channel: Channel) -> None:
        """AL-2, and UN-2 a second time."""
        assert isinstance(channel, LoggedChannel)
        if self.started and channel.logged[self.task.newest] == 1:
            channel.logged[self.task.newest] += 1
            if channel.keeps_log:
                channel.log[self.task.newest].put(channel.log[self.task.newest].head)
        super().align_ended(channel)


class LogsAgainAtEnd(Unaligned):
    """The end of an input writes the only record of its log once more."""

    variant, must_fall = "logs-again-at-end", "acknowledged-with-channel-state"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return RepeatingGate


class LogsOn(Unaligned):
    """A channel is logged also after its own barrier, until those of the others are there."""

    variant, must_fall = "logs-on", "consistent-cut"

    @step
    def log_record(self, task: Task, channel: Channel, record: Datum) -> None:
        """UN-2 without the end that UN-4 puts to it."""
        if self.gate_of(task).started:
            self.logged(channel).add_to_log(task.newest, record)


class DeafChannel(LoggedChannel):
    """A channel that can stop logging."""

    deaf = field(Bool, False)
    """Some barrier was seen since the log began."""

    @step
    def reset(self) -> None:
        """A new attempt: the channel is empty and open."""
        super().reset()
        self.deaf = False


class ForgetfulGate(OvertakingGate):
    """A gate that does not look at the id of a barrier it does not wait for."""

    @step
    def on_barrier(self, channel: Channel, checkpoint: CheckpointId, how: Arrival) -> None:
        """UN-3, UN-4, and an obsolete barrier ends the log of its channel."""
        assert isinstance(channel, DeafChannel)
        if self.started and self.is_past(checkpoint):
            channel.deaf = True
        super().on_barrier(channel, checkpoint, how)

    @step
    def end_alignment(self) -> None:
        """AT-7: the checkpoint is over here; the next one begins."""
        super().end_alignment()
        for channel in self.task.inputs:
            assert isinstance(channel, DeafChannel)
            channel.deaf = False


class ObsoleteStopsLog(Unaligned):
    """A barrier of an earlier checkpoint is taken for that of the one whose records are being
    logged.

    So it was in Flink 1.11 (FLINK-20654): the channel's log ends too early.
    """

    variant, must_fall = "obsolete-stops-log", "consistent-cut"

    @property
    def channel_class(self) -> type[Channel]:
        return DeafChannel

    @property
    def gate_class(self) -> type[AlignedGate]:
        return ForgetfulGate

    @step
    def log_record(self, task: Task, channel: Channel, record: Datum) -> None:
        """UN-2, where no barrier at all was seen on the channel."""
        assert isinstance(channel, DeafChannel)
        if not channel.deaf:
            super().log_record(task, channel, record)


class ReadsBeforeRecovered(Unaligned):
    """A restarted task reads new records while some that were in flight still wait."""

    variant, must_fall = "reads-before-recovered", "recovered-first"

    @define
    def reads(self, task: Task, channel: Channel) -> bool:
        """Whether a task takes the next element of a channel, RC-9 left aside."""
        return task.is_alive and not channel.blocked


class FutureChannel(TimedChannel):
    """A channel whose sender can be left waiting."""

    orphaned = field(Bool, False)
    """A checkpoint was aborted while its barrier was queued here, and nobody tells its fate."""

    @step
    def reset(self) -> None:
        """A new attempt: nothing is waited for."""
        super().reset()
        self.orphaned = False

    @step
    def orphan(self, checkpoint: CheckpointId) -> None:
        """The checkpoint is aborted."""
        if self.queue.holds(Barrier(checkpoint)) and self.hurried != checkpoint:
            self.orphaned = True


class AbortLeavesFuture(AlignedWithTimeout):
    """An abort leaves behind what a sender waits for: the fate of its queued barrier.

    So it was in Flink before 1.16 (FLINK-27251): the next checkpoint finds it open, and fails.
    """

    variant, must_fall = "abort-leaves-future", "checkpoints-go-on"

    @property
    def channel_class(self) -> type[Channel]:
        return FutureChannel

    @define
    def is_orphaned(self, channel: Channel) -> bool:
        """Whether the sender of a channel waits for what nobody tells."""
        assert isinstance(channel, FutureChannel)
        return channel.orphaned

    @rule(fair=WEAK)
    def deliver_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-3, AT-6: an abort arrives, and leaves open what its barriers were waited for."""
        super().deliver_abort(task, checkpoint)
        for channel in task.outputs:
            assert isinstance(channel, FutureChannel)
            channel.orphan(checkpoint)

    @step
    def perform(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-5, unless an earlier checkpoint is found open."""
        if any(self.is_orphaned(channel) for channel in task.outputs):
            self.decline(checkpoint)
            task.broadcast_event(CancelBarrier(checkpoint))
        else:
            super().perform(task, checkpoint)


class StartlessGate(OvertakingGate):
    """A gate that notes the start of an alignment at its first barrier only."""

    startless = field(Bool, False)
    """The end of a channel was the first to align the open checkpoint."""

    @step
    def on_end_of_partition(self, channel: Channel) -> None:
        """AL-2, UN-5, and the start goes unnoted if no barrier has come."""
        if self.aligning and not self.has_barrier:
            self.startless = True
        super().on_end_of_partition(channel)

    @step
    def complete_if_aligned(self) -> None:
        """UN-4, AT-3, unless no start was noted."""
        if self.startless and self.is_aligned():
            self.end_alignment()
            self.task.status = TaskStatus.RESTORING
        else:
            super().complete_if_aligned()

    @step
    def end_alignment(self) -> None:
        """AT-7: the checkpoint is over here."""
        super().end_alignment()
        self.startless = False


class LosesAlignmentStart(AlignedWithTimeout):
    """The end of a channel is the first to align an announced checkpoint, and no start is noted.

    So it was in Flink before 1.14 (FLINK-24068): at its completion the alignment that never began
    fails the task.
    """

    variant, must_fall = "loses-alignment-start", "legal-never-fails"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return StartlessGate
