"""Planted mistakes of `legacy-finish`."""

from __future__ import annotations

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId, Datum, clear_effects
from finale.model.protocols.legacy_finish import LegacyFinish
from finale.model.protocols.sinks import TwoPhaseSink
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class CommitOnClose(LegacyFinish):
    """V-3: a sink commits its open transaction when it closes, without a checkpoint.

    What it committed is replayed when another task fails before the job has finished.
    """

    variant, must_fall = "commit-on-close", "commit-at-most-once"

    @step
    def close_operators(self, task: Task) -> None:
        """The open transaction is committed instead of aborted."""
        if isinstance(task.sink, TwoPhaseSink):
            for record in task.sink.data:
                self.commit_if_open(task.sink, record)
            clear_effects(task.sink.current, task.sink.data)

    @step
    def commit_if_open(self, sink: TwoPhaseSink, record: Datum) -> None:
        """Make a record of the open transaction visible."""
        if sink.current[record] > 0:
            sink.show(record)


class EndlessGate(AlignedGate):
    """A gate that counts barriers only."""

    @step
    def on_end_of_partition(self, channel: Channel) -> None:
        """AL-2 without what it says of an alignment."""
        channel.ended = True
        channel.blocked = False


class IgnoresEnds(LegacyFinish):
    """The end of a channel does not concern the alignment under way, which waits for its barrier.

    So it was in Flink 0.9 (FLINK-1775).
    """

    variant, must_fall = "ignores-ends", "alignment-can-end"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return EndlessGate


class PatientGate(AlignedGate):
    """A gate that completes what it has begun."""

    @step
    def on_barrier(self, channel: Channel, checkpoint: CheckpointId, how: Arrival) -> None:
        """AL-1, but an alignment under way comes first."""
        if self.aligning and self.task.newest < checkpoint:
            channel.blocked = True
        else:
            super().on_barrier(channel, checkpoint, how)


class NeverSupersedes(LegacyFinish):
    """A barrier of a newer checkpoint waits until the alignment under way is complete.

    So it was in Flink 0.9 (FLINK-2519): the barrier that this one waits for may never have been
    sent.
    """

    variant, must_fall = "never-supersedes", "alignment-can-end"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return PatientGate
