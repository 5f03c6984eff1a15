"""Planted mistakes of `stop-with-savepoint`."""

from __future__ import annotations

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.broken.final_checkpoint.finish import NoEndOfData, ReleasedByAbort
from finale.model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId, StopMode
from finale.model.protocols.requests import RequestStatus, StopRequest
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.sources import Reader, Source
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import (
    EMPTY,
    STRONG,
    WEAK,
    Nothing,
    PerEntity,
    Ref,
    Set,
    define,
    field,
    require,
    rule,
    step,
)


class AnswersOnAcknowledgements(StopWithSavepoint):
    """A stop is answered as soon as its savepoint has completed.

    SeaTunnel 11489: success is told while tasks still run, and those that then fail are nobody's.
    """

    variant, must_fall = "answers-on-acknowledgements", "stop-report-is-true"

    @rule(fair=WEAK)
    def conclude_stop(self, request: StopRequest, checkpoint: Checkpoint) -> None:
        """SP-9 without the end of the job."""
        require(request.is_admitted, request.of == checkpoint, checkpoint.is_completed)
        request.status = RequestStatus.SUCCEEDED


class SparesSavepoints(StopWithSavepoint):
    """A stop aborts the checkpoints that are pending and spares savepoints, that of a stop, too.

    No checkpoint subsumes a savepoint (CN-1). A stop, which aborts whatever is pending, is none.
    """

    variant, must_fall = "spares-savepoints", "one-sync-savepoint"

    @step
    def abort_for_stop(self, checkpoint: Checkpoint) -> None:
        """SP-1 for checkpoints alone."""
        if checkpoint.kind == CheckpointKind.CHECKPOINT:
            super().abort_for_stop(checkpoint)


class ConcludesWithTheJob(StopWithSavepoint):
    """A stop has succeeded when its job has finished, whatever has become of its savepoint."""

    variant, must_fall = "concludes-with-the-job", "stop-report-is-true"

    @rule(fair=WEAK)
    def conclude_stop(self, request: StopRequest, checkpoint: Checkpoint) -> None:
        """SP-9 without the savepoint's completion."""
        require(request.is_admitted, request.of == checkpoint, self.is_finished)
        request.status = RequestStatus.SUCCEEDED


class ForgetsWhyDataEnded(StopWithSavepoint):
    """A task does not note that its data were ended by a stop without drain, and finishes for
    good."""

    variant, must_fall = "forgets-why-data-ended", "suspend-ends-nothing"

    @step
    def end_data(self, channel: Channel, drain: bool) -> None:
        """FC-2 without the reason that FC-3 asks for."""
        channel.end_of_data = True


class IgnoresStopAtEnd(StopWithSavepoint):
    """A stop keeps a source from emitting, and the source never ends its data for it."""

    variant, must_fall = "ignores-stop-at-end", "no-deadlock"

    @define
    def has_no_more(self, task: Source) -> bool:
        """Whether a source has no further record, whatever a stop has told it."""
        return task.subtask.bounded and task.remaining == 0


class OpensForAnySuspension(StopWithSavepoint):
    """A sink that has finished opens a transaction again when the job is stopped without drain.

    A sink whose data the stop has ended may go on, and opens one with each checkpoint (1.7). This
    one asks whether the job is stopped so, and not whether its own data are ended so.
    """

    variant, must_fall = "opens-for-any-suspension", "opens-nothing-after-finish"

    @define
    def opens_transaction(self, task: Task) -> bool:
        """1.7 for a job that is suspended, and not for a task whose data are ended so."""
        suspended = any(
            checkpoint.kind == CheckpointKind.SUSPEND for checkpoint in self.checkpoints
        )
        return suspended or super().opens_transaction(task)


class ReversingSource(Source):
    """A source that takes one mode of a stop for the other."""

    @step
    def stop_reading(self, mode: StopMode) -> None:
        """SP-2 with the other mode than was asked for."""
        super().stop_reading(StopMode.NO_DRAIN if mode == StopMode.DRAIN else StopMode.DRAIN)


class ReadsDrainReversed(StopWithSavepoint):
    """A source reads the flag of a stop the wrong way round: with drain for without, and vice
    versa."""

    variant, must_fall = "reads-drain-reversed", "suspend-ends-nothing"

    @property
    def source_class(self) -> type[Source]:
        return ReversingSource


class RejectsFatally(StopWithSavepoint):
    """FIN-04: a stop tells a source to end, and hands the savepoint to its mailbox in a second
    step.

    In between the source may end and close its mailbox. That it takes nothing more is then not told
    to the coordinator: it ends the process, with all the tasks in it.
    """

    variant, must_fall = "rejects-fatally", "legal-never-fails"

    to_enqueue = field(PerEntity(CheckpointId, Set(Ref(Task))), EMPTY)
    """Sources that were told to end, and whose mailbox does not have the savepoint yet."""

    @rule(fair=STRONG)
    def stop_source(self, task: Reader, checkpoint: Checkpoint) -> None:
        """SP-2, SP-3: a source is told to end; it notes no savepoint."""
        require(task.mail.has(checkpoint), task.is_alive)
        require(self.ends_data_of_source(task, checkpoint), lambda: task.sync != checkpoint)
        require(not self.to_enqueue[checkpoint].has(task))
        task.mail.remove(checkpoint)
        self.to_enqueue[checkpoint].add(task)
        drain = checkpoint.kind == CheckpointKind.DRAIN
        task.stop_reading(StopMode.DRAIN if drain else StopMode.NO_DRAIN)

    @rule(fair=WEAK)
    def enqueue_savepoint(self, task: Reader, checkpoint: Checkpoint) -> None:
        """The source has ended: another thread hands the savepoint to its mailbox, or all ends."""
        require(self.to_enqueue[checkpoint].has(task), lambda: task.has_finished)
        self.to_enqueue[checkpoint].remove(task)
        if task.status == TaskStatus.WAITING_FOR_FINAL_CP:
            task.sync = checkpoint
            task.mail.add(checkpoint)
        else:
            self.restart_all()


class RestartsCancelled(StopWithSavepoint):
    """A task that fails by itself is started again, in a job that is being cancelled, too."""

    variant, must_fall = "restarts-cancelled", "cancelled-starts-nothing"

    @step
    def task_failed(self, task: Task) -> None:
        """RC-1: a task fails by itself, and all are restarted, whatever the user has asked for."""
        self.restart_all()


class ReleasedByStop(ReleasedByAbort, StopWithSavepoint):
    """A stop aborts the checkpoint that a task waits for after its end, and the task takes that for
    its release: it closes, though it has meanwhile taken the savepoint of the stop."""

    variant, must_fall = "released-by-stop", "closed-after-its-savepoint"


class StartsOverPending(StopWithSavepoint):
    """A coordinator that knows one checkpoint at a time starts a stop's savepoint over a pending
    one.

    Arroyo 24: acknowledgements of the savepoint are counted for the checkpoint that was pending
    before, and are no longer wanted there.
    """

    variant, must_fall = "starts-over-pending", "stop-is-answered"

    @step
    def abort_for_stop(self, checkpoint: Checkpoint) -> None:
        """SP-1 without the abort of what is pending."""

    @rule(fair=WEAK)
    def apply_acknowledgement(self, task: Task, checkpoint: Checkpoint) -> None:
        """An acknowledgement arrives; it is thrown away if an older checkpoint is pending."""
        require(checkpoint.acknowledgements.has(task))
        checkpoint.acknowledgements.remove(task)
        if not any(older < checkpoint and older.is_pending for older in self.checkpoints):
            checkpoint.awaited.remove(task)


class _HastyGate(AlignedGate):
    @define
    def is_aligned(self) -> bool:
        """AL-1 for one of the barriers."""
        return any(channel.aligned for channel in self.task.inputs)


class StopsAtFirstBarrier(StopWithSavepoint):
    """A task takes the savepoint of a stop at its first barrier: its sources have stopped, all of
    them.

    They have, and what they emitted before is still on its way.
    """

    variant, must_fall = "stops-at-first-barrier", "savepoint-is-a-cut"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return _HastyGate


class StopsWithoutEndOfData(NoEndOfData, StopWithSavepoint):
    """V-4: without EndOfData, operators finish only when their inputs have ended.

    The savepoint of a stop with drain is then taken before they flush: what they flush is not in
    it.
    """

    variant, must_fall = "stops-without-end-of-data", "commit-completeness"


class TakesAnyForItsSavepoint(StopWithSavepoint):
    """A task that knows of a savepoint takes each confirmation for that of the savepoint."""

    variant, must_fall = "takes-any-for-its-savepoint", "closed-after-its-savepoint"

    @define
    def releases(self, task: Task, checkpoint: CheckpointId) -> bool:
        """SP-8 without a look at which checkpoint has completed."""
        return task.sync != Nothing or super().releases(task, checkpoint)
