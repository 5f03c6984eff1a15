"""Sinks: what the job does to the outside world, record by record.

`TwoPhaseSink` models TwoPhaseCommitSinkFunction (1.7 of the fact sheet): one open transaction, one
pending transaction a checkpoint, commit of all up to the one confirmed, recover-and-commit on
restore. `AtLeastOnceSink` writes at once. A record's visibility is counted 0, 1, 2 (two or more).
The sink of two tasks, Sink V2, is in `committer.py`.

Two more sinks go beyond 1.7: they rely on what the system outside keeps. `BufferedSink` models
AsyncSink and clients that write in batches. `GreatestIdSink` models the committers of Iceberg and
Delta, whose table has the id of its last commit.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod

from finale.model.protocols.job.elements import (
    CheckpointId,
    Datum,
    Effects,
    add_effect,
    clear_effects,
)
from finale.model.rules import (
    EMPTY,
    Entity,
    Enum,
    Nothing,
    Option,
    PerEntity,
    Ref,
    Set,
    assumed,
    define,
    field,
    require,
    step,
)
from finale.model.topology import Vertex


class Transaction(enum.Enum):
    """A pending transaction, as the external system knows it."""

    NONE = "none"
    PRECOMMITTED = "pre-committed"
    COMMITTED = "committed"
    ABORTED = "aborted"


class Sink(Entity, ABC):
    """What every sink has: for each record, how often its effect is visible outside."""

    visible = field(Effects, 0, effect=True)

    def __init__(
        self,
        task: str,
        vertex: Vertex,
        data: tuple[Datum, ...],
        checkpoints: tuple[CheckpointId, ...],
    ) -> None:
        super().__init__(f"{task}.sink")
        self.vertex = vertex
        self.data = data
        self.checkpoints = checkpoints

    @step
    def show(self, record: Datum) -> None:
        """The record's effect becomes visible once more."""
        add_effect(self.visible, record)

    def refers_to(self, checkpoint: CheckpointId) -> bool:
        """Whether something is pending under the checkpoint's id."""
        return False

    @abstractmethod
    def write(self, record: Datum) -> None:
        """A record arrives."""

    def snapshot(self, checkpoint: CheckpointId, *, opens: bool) -> None:
        """A checkpoint is taken; `opens`: there is an open transaction."""

    def commit_up_to(self, checkpoint: CheckpointId) -> None:
        """The checkpoint is known to be completed: what waited for it is committed."""

    def end_input(self, *, commits: bool) -> None:
        """1.7: the input has ended: a batch is written; `commits`: what waits for a checkpoint is
        committed, since nobody takes one."""

    def close(self) -> None:
        """The operator closes."""

    def restore(self, checkpoint: CheckpointId) -> None:
        """A new attempt starts from the snapshot of a checkpoint."""

    def restart(self) -> None:
        """A new attempt starts from nothing."""


class AtLeastOnceSink(Sink):
    """Writes at once: what is processed again is written again."""

    @step
    def write(self, record: Datum) -> None:
        self.show(record)


class ExactlyOnceSink(Sink):
    """A sink that makes visible what a completed checkpoint has secured."""

    @abstractmethod
    def lists(self, checkpoint: CheckpointId, record: Datum) -> bool:
        """Whether a checkpoint's snapshot has something pending with the record in it."""

    @abstractmethod
    def has_pending(self) -> bool:
        """Whether something that is not empty waits for its commit."""


class TwoPhaseSink(ExactlyOnceSink):
    """Writes into transactions, and commits what a completed checkpoint has secured."""

    current = field(Effects, 0)
    content = field(PerEntity(CheckpointId, Effects), 0)
    transaction = field(
        PerEntity(CheckpointId, Enum(Transaction)),
        Transaction.NONE,
    )
    listed = field(
        PerEntity(CheckpointId, Set(Ref(CheckpointId))),
        EMPTY,
    )
    """The pending transactions that a checkpoint's snapshot of this sink lists."""

    @step
    def write(self, record: Datum) -> None:
        add_effect(self.current, record)

    @step
    def snapshot(self, checkpoint: CheckpointId, *, opens: bool) -> None:
        if opens:
            self.transaction[checkpoint] = Transaction.PRECOMMITTED
            self.content[checkpoint] = self.current
            clear_effects(self.current, self.data)
        for other in self.checkpoints:
            self._list(checkpoint, other)

    @step
    def _list(self, checkpoint: CheckpointId, other: CheckpointId) -> None:
        if self.transaction[other] == Transaction.PRECOMMITTED:
            self.listed[checkpoint].add(other)

    @step
    def commit_up_to(self, checkpoint: CheckpointId) -> None:
        for other in self.checkpoints:
            self._commit_if_secured(other, checkpoint)

    @step
    def _commit_if_secured(self, transaction: CheckpointId, confirmed: CheckpointId) -> None:
        if transaction <= confirmed and self.transaction[transaction] == Transaction.PRECOMMITTED:
            self.commit(transaction)

    @step
    def commit(self, transaction: CheckpointId) -> None:
        """The transaction's records become visible."""
        self.transaction[transaction] = Transaction.COMMITTED
        for record in self.data:
            add_effect(self.visible, record, self.content[transaction][record])
        clear_effects(self.content[transaction], self.data)

    @step
    def close(self) -> None:
        """Abort the open transaction only: pending ones may still be restored (CN-7)."""
        clear_effects(self.current, self.data)

    @step
    def roll_back(self, transaction: CheckpointId) -> None:
        """The external system forgets the transaction."""
        self.transaction[transaction] = Transaction.ABORTED
        clear_effects(self.content[transaction], self.data)

    @step
    def restore(self, checkpoint: CheckpointId) -> None:
        """Commit again what the snapshot lists; what it does not list is never committed."""
        for other in self.checkpoints:
            self._recover(checkpoint, other)
        clear_effects(self.current, self.data)

    @assumed("TwoPhaseCommitSinkFunction.initializeState")
    @step
    def _recover(self, checkpoint: CheckpointId, other: CheckpointId) -> None:
        """LF-5: what the restored snapshot lists is committed, and nothing else."""
        if self.transaction[other] == Transaction.PRECOMMITTED:
            if self.listed[checkpoint].has(other):
                self.commit(other)
            else:
                self.roll_back(other)

    @step
    def restart(self) -> None:
        for other in self.checkpoints:
            self._roll_back_if_pending(other)
        clear_effects(self.current, self.data)

    @step
    def _roll_back_if_pending(self, other: CheckpointId) -> None:
        if self.transaction[other] == Transaction.PRECOMMITTED:
            self.roll_back(other)

    @define
    def refers_to(self, checkpoint: CheckpointId) -> bool:
        return self.transaction[checkpoint] == Transaction.PRECOMMITTED

    @define
    def lists(self, checkpoint: CheckpointId, record: Datum) -> bool:
        return any(
            self.listed[checkpoint].has(each) and self.content[each][record] > 0
            for each in self.checkpoints
        )

    @define
    def has_pending_record(self, record: Datum) -> bool:
        """Whether a record is in a transaction that waits for its commit."""
        return any(
            self.transaction[each] == Transaction.PRECOMMITTED and self.content[each][record] > 0
            for each in self.checkpoints
        )

    @define
    def has_pending(self) -> bool:
        return any(
            self.transaction[each] == Transaction.PRECOMMITTED
            and any(self.content[each][record] > 0 for record in self.data)
            for each in self.checkpoints
        )


class BufferedSink(AtLeastOnceSink):
    """Writes in batches: at any time, and at the latest before it takes part in a checkpoint."""

    batch = field(Effects, 0)
    """What is not written yet."""

    @step
    def write(self, record: Datum) -> None:
        """A record waits for its batch."""
        add_effect(self.batch, record)

    def end_input(self, *, commits: bool) -> None:
        self.write_batch()

    @step
    def write_batch(self) -> None:
        """The batch is written."""
        for record in self.data:
            add_effect(self.visible, record, self.batch[record])
        clear_effects(self.batch, self.data)

    @step
    def flush_some(self) -> None:
        """The batch is written before it must be."""
        require(any(self.batch[record] > 0 for record in self.data))
        self.write_batch()

    @step
    def snapshot(self, checkpoint: CheckpointId, *, opens: bool) -> None:
        """Nothing that the checkpoint counts as processed stays behind."""
        self.write_batch()

    @step
    def close(self) -> None:
        """What is not written is lost."""
        clear_effects(self.batch, self.data)

    @step
    def restore(self, checkpoint: CheckpointId) -> None:
        """The batch was lost with the attempt."""
        clear_effects(self.batch, self.data)

    @step
    def restart(self) -> None:
        clear_effects(self.batch, self.data)


class GreatestIdSink(TwoPhaseSink):
    """Commits in the order of ids, and writes the greatest one in the same step.

    A new attempt takes all up to that id for committed, and commits the rest of what it restores.
    """

    greatest = field(Option(Ref(CheckpointId)), Nothing)
    """The greatest id that is committed, as the system outside has it."""

    @step
    def commit(self, transaction: CheckpointId) -> None:
        """The records become visible, and the id is noted with them."""
        super().commit(transaction)
        if not self.is_noted(transaction):
            self.greatest = transaction

    @step
    def _recover(self, checkpoint: CheckpointId, other: CheckpointId) -> None:
        if self.is_noted(other):
            self._roll_back_if_pending(other)
        else:
            super()._recover(checkpoint, other)

    @define
    def is_noted(self, transaction: CheckpointId) -> bool:
        """Whether a transaction counts as committed."""
        return self.greatest != Nothing and transaction <= self.greatest

    @define
    def refers_to(self, checkpoint: CheckpointId) -> bool:
        return super().refers_to(checkpoint) or self.greatest == checkpoint
