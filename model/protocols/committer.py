"""A sink of two tasks: a writer that stages records, and a committer that makes them visible.

Models Sink V2 (1.7 of the fact sheet): in front of each barrier the writer hands over what it has
staged, under a tag that is the checkpoint's, and at the end of its data under one that no earlier
checkpoint has. The committer keeps what it was handed as its state and commits, when a completion
is confirmed, all that is tagged up to it. What is staged is outside: the channel carries its tag.
Left out: committables that fail and are tried again, the topologies before and after the committer,
writers that share a committer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from finale.model.protocols.job.channels import Channel, LoggedChannel
from finale.model.protocols.job.elements import (
    AnyElement,
    Barrier,
    CancelBarrier,
    CheckpointId,
    Committables,
    Data,
    Datum,
    Effects,
    EndOfData,
    EndOfPartition,
    Tag,
    add_effect,
    clear_effects,
)
from finale.model.protocols.sinks import ExactlyOnceSink, Transaction
from finale.model.protocols.task.tasks import Task
from finale.model.rules import (
    EMPTY,
    Bool,
    Bound,
    Enum,
    Nothing,
    Option,
    PerEntity,
    Queue,
    Ref,
    Set,
    Union,
    define,
    field,
    step,
)

if TYPE_CHECKING:
    from finale.model.scalars import Domain


HandedOver = cast(
    "Domain[AnyElement]",
    Union(Data, EndOfData, Barrier, CancelBarrier, EndOfPartition, Committables),
)
"""What a channel from a writer holds."""


class CommittableChannel(Channel):
    """The channel from a writer to its committer."""

    queue = field(Queue(HandedOver, Bound("channel")), (), messages="held")


class LoggedCommittableChannel(LoggedChannel, CommittableChannel):
    """The channel from a writer to its committer. What is handed over is not logged."""

    queue = field(Queue(HandedOver, Bound("slots")), (), messages="held")


class Writer(Task):
    """The task that stages records, and hands them over in front of each barrier."""

    last = field(Option(Ref(CheckpointId)), Nothing)
    """The newest checkpoint that it has taken or started from."""
    has_ended = field(Bool, False)
    """It has handed over what it staged up to the end of its data."""

    committer: Committer | None = None
    checkpoints: tuple[CheckpointId, ...] = ()
    tags: tuple[Tag, ...] = ()

    #: SNK-01: whether what is staged at the end always has the same tag, above all checkpoints.
    ends_with_constant = False

    @step
    def work(self, record: Datum) -> None:
        """A record is staged."""
        if self.committer:
            self.committer.stage(record)

    @step
    def before_barrier(self, checkpoint: CheckpointId) -> None:
        """1.7: what is staged is handed over under the checkpoint's tag, until the data end."""
        if not self.has_ended:
            for each, tag in zip(self.checkpoints, self.tags, strict=False):
                self._hand_over_if(checkpoint == each, tag)

    @step
    def finish(self, *, clears: bool = True) -> None:
        """1.7: at the end of the data the rest is handed over, under the next tag that is free."""
        if not self.has_ended:
            self._hand_over_rest()
        self.has_ended = True

    @step
    def _hand_over_rest(self) -> None:
        if self.ends_with_constant:
            self.hand_over(self.tags[-1])
        else:
            self._hand_over_if(self.last == Nothing, self.tags[0])
            for each, tag in zip(self.checkpoints, self.tags[1:], strict=True):
                self._hand_over_if(self.last == each, tag)

    @step
    def _hand_over_if(self, wanted: bool, tag: Tag) -> None:
        if wanted:
            self.hand_over(tag)

    @step
    def hand_over(self, tag: Tag) -> None:
        """What is staged is closed under a tag, and the committer will be told."""
        if self.committer:
            self.committer.close_staged(tag)
        for channel in self.outputs:
            channel.put(Committables(tag))

    @step
    def take_part(self, checkpoint: CheckpointId) -> None:
        self.last = checkpoint

    @step
    def load(self, checkpoint: CheckpointId, *, finished: bool) -> None:
        self.last = checkpoint
        self.has_ended = finished
        if self.committer:
            self.committer.keep_only(checkpoint)

    @step
    def start_afresh(self) -> None:
        self.last = Nothing
        if self.committer:
            self.committer.keep_nothing()

    @step
    def forget(self) -> None:
        super().forget()
        self.has_ended = False


class ConstantTagWriter(Writer):
    """A Writer whose last tag is the same in each attempt."""

    ends_with_constant = True


class Committer(ExactlyOnceSink):
    """Commits what its writer has handed over, once a checkpoint that has it completed."""

    staged = field(Effects, 0)
    """Outside: what the writer has written, under no tag yet."""
    content = field(PerEntity(Tag, Effects), 0)
    transaction = field(PerEntity(Tag, Enum(Transaction)), Transaction.NONE)
    """Outside: what was staged under a tag, and what came of it."""
    held = field(Set(Ref(Tag)), EMPTY)
    """The tags that the committer was handed and has not committed."""
    listed = field(PerEntity(CheckpointId, Set(Ref(Tag))), EMPTY)
    """Those that a checkpoint's snapshot has."""
    clashed = field(Bool, False)
    """It was handed two sets under one tag: it cannot tell whether the second is the first."""

    tags: tuple[Tag, ...] = ()

    # --- outside ---------------------------------------------------------------------------------

    @step
    def stage(self, record: Datum) -> None:
        """A record is written, and not yet visible."""
        add_effect(self.staged, record)

    @step
    def close_staged(self, tag: Tag) -> None:
        """What is staged belongs to a tag now."""
        self.transaction[tag] = Transaction.PRECOMMITTED
        for record in self.data:
            add_effect(self.content[tag], record, self.staged[record])
        clear_effects(self.staged, self.data)

    @step
    def keep_only(self, checkpoint: CheckpointId) -> None:
        """The writer starts again: what a checkpoint does not list will never be committed."""
        clear_effects(self.staged, self.data)
        for tag in self.tags:
            self._discard_unless(self.listed[checkpoint].has(tag), tag)

    @step
    def keep_nothing(self) -> None:
        """The writer starts from nothing."""
        clear_effects(self.staged, self.data)
        for tag in self.tags:
            self._discard_unless(False, tag)

    @step
    def _discard_unless(self, known: bool, tag: Tag) -> None:
        if not known and self.transaction[tag] == Transaction.PRECOMMITTED:
            self.transaction[tag] = Transaction.ABORTED
            clear_effects(self.content[tag], self.data)

    def write(self, record: Datum) -> None:
        """Records stay with the writer."""

    # --- the committer ---------------------------------------------------------------------------

    @step
    def receive(self, tag: Tag) -> None:
        """A set of committables arrives."""
        if self.held.has(tag):
            self.clashed = True
        self.held.add(tag)

    @step
    def snapshot(self, checkpoint: CheckpointId, *, opens: bool) -> None:
        self.listed[checkpoint] = self.held

    @step
    def commit_up_to(self, checkpoint: CheckpointId) -> None:
        """1.7: what is tagged up to the checkpoint is committed, and what is tagged as the last if
        the checkpoint has it."""
        for each, tag in zip(self.checkpoints, self.tags, strict=False):
            self._commit_if_held(each <= checkpoint, tag)
        last = self.tags[-1]
        self._commit_if_held(self.listed[checkpoint].has(last), last)

    @step
    def commit(self, tag: Tag) -> None:
        """What is staged under a tag becomes visible, if it is not already."""
        self.held.remove(tag)
        self.transaction[tag] = Transaction.COMMITTED
        for record in self.data:
            add_effect(self.visible, record, self.content[tag][record])
        clear_effects(self.content[tag], self.data)

    def end_input(self, *, commits: bool) -> None:
        if commits:
            self.commit_all()

    @step
    def commit_all(self) -> None:
        """1.7: commit everything that the committer was handed."""
        for tag in self.tags:
            self._commit_if_held(True, tag)

    @step
    def restore(self, checkpoint: CheckpointId) -> None:
        """Commit what the snapshot has, up to the tag of its checkpoint."""
        self.held = self.listed[checkpoint]
        for each, tag in zip(self.checkpoints, self.tags, strict=False):
            self._commit_if_held(each <= checkpoint, tag)

    @step
    def _commit_if_held(self, wanted: bool, tag: Tag) -> None:
        if wanted and self.held.has(tag):
            self.commit(tag)

    @step
    def restart(self) -> None:
        self.held.clear()

    @define
    def lists(self, checkpoint: CheckpointId, record: Datum) -> bool:
        return any(
            self.listed[checkpoint].has(tag) and self.content[tag][record] > 0 for tag in self.tags
        )

    @define
    def has_pending(self) -> bool:
        return any(
            self.held.has(tag) and self.content[tag][record] > 0
            for tag in self.tags
            for record in self.data
        )
