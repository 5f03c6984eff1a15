"""Channel state as part of checkpoints: what keeps it, drops it, and replays it after a restart.

Models CL-5, RC-9 and UN-7 of the fact sheet. A record that was in flight when a checkpoint was
taken waits, after a restart, beside its channel until the reader has processed it. That Flink puts
back the sender's part of it at the sender, and the reader's part before the reader starts, is not
told apart, as the log is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from model.protocols.barriers.logs import LoggedChannel, LoggedCommittableChannel
from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.failures.recovery import Recovery
from model.protocols.job.channels import Channel
from model.protocols.job.elements import CheckpointId, Data, Datum
from model.protocols.sinks.committer import CommittableChannel
from model.protocols.task.tasks import Task
from model.rules import STRONG, Setting, define, require, rule, step


class Replaying(Recovery):
    """A job whose channels have logs."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        for channel in self.channels:
            self.logged(channel).keeps_log = self.keeps_snapshots

    @property
    def channel_class(self) -> type[Channel]:
        return LoggedChannel

    @property
    def committable_class(self) -> type[CommittableChannel]:
        return LoggedCommittableChannel

    def keeps(self) -> frozenset[str]:
        own = {"logs"} if self.keeps_snapshots else set[str]()
        return super().keeps() | own

    @property
    def control_elements(self) -> int:
        """How many elements that need no credit a channel must have room for."""
        return len(self.checkpoints)

    @property
    def channel_room(self) -> int:
        """How many records must fit: one to overtake another, and what one step emits."""
        return max(2, self.channel_burst)

    def limits(self) -> Mapping[str, int]:
        handed_over = len(self.tags)
        slots = int(self.bounds.channel) + self.control_elements + handed_over
        in_flight = len(self.data) + len(self.watermarks) * (int(self.bounds.failures) + 1)
        return {**super().limits(), "slots": slots, "in_flight": in_flight}

    @staticmethod
    def logged(channel: Channel) -> LoggedChannel:
        """A channel of such a job."""
        return cast(LoggedChannel, channel)

    def log_record(self, task: Task, channel: LoggedChannel, record: Datum) -> None:
        """A record is about to be processed: where it is in flight across a cut, it is logged."""

    @step
    def process(self, task: Task, channel: Channel) -> None:
        """CL-3, UN-2: a record is processed and, where it is in flight across the cut, logged."""
        element = channel.queue.take()
        assert isinstance(element, Data)
        self.log_record(task, self.logged(channel), element.record)
        self.work_on(task, channel, element.record)

    @step
    def abort(self, checkpoint: Checkpoint) -> None:
        """UN-7: what was logged for a checkpoint that is aborted is dropped."""
        super().abort(checkpoint)
        self.drop_logs(checkpoint)

    @step
    def discard(self, checkpoint: Checkpoint) -> None:
        """CN-1: a checkpoint is discarded with its logs."""
        super().discard(checkpoint)
        self.drop_logs(checkpoint)

    @step
    def drop_logs(self, checkpoint: CheckpointId) -> None:
        """Nothing will be replayed from a checkpoint."""
        if self.keeps_snapshots:
            for channel in self.channels:
                self.logged(channel).log[checkpoint].clear()

    # --- restart ---------------------------------------------------------------------------------

    @define
    def is_recovered(self, task: Task) -> bool:
        """Whether a task has processed all that it was given from logs."""
        return all(self.logged(channel).recovered.is_empty for channel in task.inputs)

    @define
    def is_idle(self, task: Task) -> bool:
        """Whether a task would take one more record, and has processed its logs."""
        return super().is_idle(task) and self.is_recovered(task)

    @rule(fair=STRONG)
    def poll_recovered(self, channel: LoggedChannel) -> None:
        """CL-5, RC-9: a restarted task processes the next record of the log of a channel."""
        require(self.restarts, lambda: not channel.recovered.is_empty)
        task = self.reader(channel)
        require(task.is_alive, self.processes_records())
        record = channel.recovered.take()
        self.log_record(task, channel, record)
        self.work_on(task, channel, record)

    @step
    def restore_from(self, task: Task, checkpoint: CheckpointId) -> None:
        """CL-5, RC-9: a task gets its state, and on each input what was in flight there."""
        super().restore_from(task, checkpoint)
        for channel in task.inputs:
            self.logged(channel).replay(checkpoint)
