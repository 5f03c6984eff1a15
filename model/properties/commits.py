"""What becomes visible outside: once, only when it is durable, and in the end all (S3-S6)."""

from __future__ import annotations

from finale.model.properties.observed import is_excused, newest_stored
from finale.model.protocols.committer import Committer
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.elements import Datum
from finale.model.protocols.sinks import (
    AtLeastOnceSink,
    ExactlyOnceSink,
    Sink,
    Transaction,
    TwoPhaseSink,
)
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Nothing, always, before, define, on_step, reachable, when


@always(needs="effects")
def commit_at_most_once(state: JobProtocol, sink: ExactlyOnceSink, record: Datum) -> bool:
    """No record's effect is committed twice (S3)."""
    when(sink.visible[record] > 0)
    return sink.visible[record] == 1


@on_step(needs="effects")
def commit_only_durable(state: JobProtocol, sink: ExactlyOnceSink, record: Datum) -> bool:
    """A record becomes visible only when a completed checkpoint lists its transaction (S4)."""
    when(sink.visible[record] != before(lambda: sink.visible[record]))
    return before(lambda: is_secured(state, sink, record))


@define
def is_secured(state: JobProtocol, sink: ExactlyOnceSink, record: Datum) -> bool:
    """Whether a completed checkpoint lists a pending transaction that has the record."""
    return any(
        checkpoint.is_completed and sink.lists(checkpoint, record)
        for checkpoint in state.checkpoints
    )


@always(needs="effects")
def no_abort_of_recoverable(
    state: JobProtocol, sink: TwoPhaseSink, transaction: Checkpoint, checkpoint: Checkpoint
) -> bool:
    """No transaction is aborted that a snapshot lists which may still be restored (S5)."""
    when(sink.listed[checkpoint].has(transaction))
    when(checkpoint.is_pending or newest_stored(state) == checkpoint)
    return sink.transaction[transaction] != Transaction.ABORTED


@always(needs="effects")
def commit_completeness(state: JobProtocol, sink: Sink, record: Datum) -> bool:
    """When the job has finished, every record of a source is visible, and in transactions exactly
    once (S6)."""
    siblings = state.siblings_of(sink)
    when(state.is_finished and state.has_processed_all())
    when(record in sink.data and not record.of_clock)
    if not state.has_emitted(record):
        return all(each.visible[record] == 0 for each in siblings)
    total = sum(each.visible[record] for each in siblings)
    return total >= 1 if isinstance(sink, AtLeastOnceSink) else total == 1


@always(needs="effects")
def nothing_pending_at_the_end(state: JobProtocol, sink: ExactlyOnceSink) -> bool:
    """When the job has finished, no transaction with records waits for its commit (S6)."""
    when(state.is_finished)
    return not sink.has_pending()


@on_step(needs="effects")
def opens_nothing_after_finish(state: JobProtocol, task: Task, checkpoint: Checkpoint) -> bool:
    """A sink that has pre-committed its last records opens no transaction any more (S8)."""
    sink = task.sink
    if not isinstance(sink, TwoPhaseSink):
        return True
    when(before(lambda: task.has_finished and task.final_from != Nothing))
    when(not is_excused(state, task))
    opened = before(lambda: sink.transaction[checkpoint] == Transaction.NONE)
    return not opened or sink.transaction[checkpoint] != Transaction.PRECOMMITTED


@always(needs="effects")
def committables_are_told_apart(state: JobProtocol, sink: Committer) -> bool:
    """A committer is not handed two sets of committables under one tag (S3, S27)."""
    when(any(sink.held.has(tag) for tag in state.tags))
    return not sink.clashed


@on_step(needs="effects")
def confirmed_commits(state: JobProtocol, task: Task) -> bool:
    """A sink that is told of a completion commits all that is pending up to it (S6, V-15)."""
    sink, told = task.sink, task.confirmed
    if not isinstance(sink, Committer | TwoPhaseSink):
        return True
    when(told != Nothing and told != before(lambda: task.confirmed))
    if isinstance(sink, TwoPhaseSink):
        return all(
            each > told or sink.transaction[each] != Transaction.PRECOMMITTED
            for each in state.checkpoints
        )
    return all(
        each > told or sink.transaction[tag] != Transaction.PRECOMMITTED
        for each, tag in zip(state.checkpoints, state.tags, strict=False)
    )


@reachable
def finished(state: JobProtocol) -> bool:
    """The job can finish."""
    return state.is_finished


FAMILIES = (
    commit_at_most_once,
    commit_only_durable,
    no_abort_of_recoverable,
    commit_completeness,
    nothing_pending_at_the_end,
    opens_nothing_after_finish,
    committables_are_told_apart,
    confirmed_commits,
    finished,
)
