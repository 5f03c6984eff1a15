"""Planted mistakes in handling barriers, also where barriers are counted (`at-least-once`)."""

from __future__ import annotations

from finale.model.protocols.at_least_once import AtLeastOnce
from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.tracking_gate import TrackingGate
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import AnyElement, Barrier, CheckpointId
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task
from finale.model.rules import STRONG, define, require, rule, step


class CancelsNoFurther(FinalCheckpoint):
    """A task that gives an alignment up does not tell those downstream, which wait for its
    barrier."""

    variant, must_fall = "cancels-no-further", "blocked-channel-resumes"

    @step
    def give_up_alignment(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-4 without the news to those downstream."""
        task.newest = checkpoint
        task.gate.end_alignment()
        self.decline(checkpoint)


class ForwardsWhileLive(FinalCheckpoint):
    """A task forwards a barrier only while all sources of the job live.

    So it was in Wallaroo before October 2018 (issue 2507).
    """

    variant, must_fall = "forwards-while-live", "checkpoint-ends"

    @step
    def perform(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-5, and the barrier goes out if every source lives."""
        if any(source.is_closed for source in self.tasks if isinstance(source, Source)):
            self.snapshot_taken(task, checkpoint)
        else:
            super().perform(task, checkpoint)


class NarrowChannel(Channel):
    """A channel with room for one barrier."""

    @step
    def put(self, element: AnyElement) -> None:
        match element:
            case Barrier():
                self._put_if(not self.queue.holds(Barrier), element)
            case _:
                super().put(element)

    @step
    def _put_if(self, wanted: bool, element: AnyElement) -> None:
        if wanted:
            super().put(element)


class OneBarrierAChannel(FinalCheckpoint):
    """A channel that still holds a barrier takes no other one: it is thought to be the same."""

    variant, must_fall = "one-barrier-a-channel", "alignment-can-end"

    @property
    def channel_class(self) -> type[Channel]:
        return NarrowChannel


class ResumesUnblocked(FinalCheckpoint):
    """A call's barriers mark open inputs as blocked, though nobody has blocked them.

    So it was in Flink before 1.14 (FLINK-23938): the end of the alignment resumes such an input,
    which it may not, and the task fails.
    """

    variant, must_fall = "resumes-unblocked", "legal-never-fails"

    @property
    def recovers(self) -> bool:
        """A task can fail by itself."""
        return True

    @rule(fair=STRONG)
    def run_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-7: with an open input the alignment that ends at once makes the task fail."""
        if self.resumes_an_input(task, checkpoint):
            require(task.mail.has(checkpoint), task.is_alive)
            self.restart_all()
        else:
            super().run_trigger(task, checkpoint)

    @define
    def resumes_an_input(self, task: Task, checkpoint: Checkpoint) -> bool:
        """Whether a call finds an open input, and a checkpoint that is new to the task."""
        return not task.inputs_ended and not task.gate.is_past(checkpoint)


class SkipsSilently(FinalCheckpoint):
    """A task that knows a checkpoint to be aborted skips it without a word to those downstream.

    So it was in Flink before 1.11 (FLINK-18238): they align it for ever.
    """

    variant, must_fall = "skips-silently", "alignment-can-end"

    @step
    def perform(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-5 without the cancelled barrier."""
        if task.aborted.has(checkpoint):
            task.aborted.remove(checkpoint)
        else:
            super().perform(task, checkpoint)


class ForgetfulGate(TrackingGate):
    """A gate that does not know which checkpoint it has aborted last."""

    @step
    def on_cancel_barrier(self, checkpoint: CheckpointId) -> None:
        """TR, AL-3, and once more for each input."""
        if self.task.newest == checkpoint:
            self.ports.give_up_alignment(self.task, checkpoint)
        else:
            super().on_cancel_barrier(checkpoint)


class RepeatsCancellations(AtLeastOnce):
    """Each cancellation of a checkpoint that comes is passed on, also of one that is aborted
    already.

    Flink's `CheckpointBarrierTrackerTest.testInterleavedCancellationBarriers` says once.
    """

    variant, must_fall = "repeats-cancellations", "cancelled-once"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return ForgetfulGate


class HastyGate(TrackingGate):
    """A gate that waits for one barrier."""

    @define
    def is_complete(self, checkpoint: CheckpointId) -> bool:
        """Whether some barrier has come."""
        return not self.counted[checkpoint].is_empty


class TakesAtFirstBarrier(AtLeastOnce):
    """A task at least once takes its part of a checkpoint at the first barrier, and logs
    nothing."""

    variant, must_fall = "takes-at-first-barrier", "cut-is-a-prefix"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return HastyGate
