"""Planted mistakes of protocols that have no job: connectors, stores, one coordinator, a pipeline.

Those of `two-phase-commit` are in a module of their own, which is the example to read first.
"""

from __future__ import annotations

from finale.model.protocols.barrier_collection import BarrierCollection, Epoch
from finale.model.protocols.connector import Connector, Progress, SourceRecord
from finale.model.protocols.coordinator.checkpoints import CheckpointStatus
from finale.model.protocols.enumerator import CoordinatorCheckpoint
from finale.model.protocols.local_store import LocalStore
from finale.model.protocols.operator_coordinator import OperatorCoordinator
from finale.model.protocols.pipeline import Pipeline, Source, Status
from finale.model.rules import UNFAIR, define, require, rule, step


class DropsWhenFull(Pipeline):
    """A source whose queue is full drops its record."""

    variant, must_fall = "drops-when-full", "records-arrive-in-order"

    @rule
    def emit(self, source: Source) -> None:
        """The source puts the next record into its queue, or drops it."""
        require(source.status == Status.WANTS)
        if source.queue.has_space:
            source.queue.put(source.done)
        self.pass_on(source)


class TakesOneForAll(BarrierCollection):
    """The report of one worker is taken for those of all."""

    variant, must_fall = "takes-one-for-all", "confirmed-is-durable"

    @define
    def is_durable(self, epoch: Epoch) -> bool:
        """Whether a worker has reported an epoch."""
        return any(epoch.reported.has(worker) for worker in self.workers)


class CommitsWhatWasRead(Connector):
    """A connector commits its offset behind records that it has read, delivered or not."""

    variant, must_fall = "commits-what-was-read", "committed-is-delivered"

    @step
    def _commit(self, record: SourceRecord) -> None:
        if record.progress != Progress.UNREAD:
            record.committed = True


class ProducerHangs(Connector):
    """A producer may never deliver what it was given: a stop that waits for it has no end.

    Kafka Connect bounds that wait, and then the record is delivered twice.
    """

    variant, must_fall = "producer-hangs", "stop-ends"

    @rule(fair=UNFAIR)
    def deliver(self, record: SourceRecord) -> None:
        """The producer delivers a record, or never does."""
        super().deliver(record)


class RunsUnrestored(LocalStore):
    """A store that was thrown away is opened empty: nobody waits until it is restored."""

    variant, must_fall = "runs-unrestored", "store-is-as-committed"

    @define
    def is_restored(self) -> bool:
        """Nobody looks."""
        return True


class AnswersOldRequests(OperatorCoordinator):
    """After a failure the enumerator still answers the requests of the attempts before it."""

    variant, must_fall = "answers-old-requests", "splits-are-asked-for"

    @step
    def forget_requests(self) -> None:
        """The readers forget that they have asked, and the enumerator does not."""
        if self.options.readers_ask:
            for reader in self.readers:
                reader.asked = False


class RemembersAsking(OperatorCoordinator):
    """A restored reader takes the request of its earlier attempt for one that is still under
    way."""

    variant, must_fall = "remembers-asking", "readers-finish"

    @step
    def forget_requests(self) -> None:
        """The enumerator forgets requests, and the readers do not."""
        if self.options.readers_ask:
            self.requests.clear()
            self.wanting.clear()


class AbortsKeepGatesClosed(OperatorCoordinator):
    """A checkpoint that is aborted leaves its gates closed: what they hold is held for ever.

    Flink's `OperatorCoordinatorHolder` opens them when it is told of the abort.
    """

    variant, must_fall = "aborts-keep-gates-closed", "held-events-go-out"

    @step
    def abort(self, checkpoint: CoordinatorCheckpoint) -> None:
        """The enumerator is not told, or does not listen."""
        checkpoint.status = CheckpointStatus.ABORTED
        checkpoint.awaited.clear()
