"""Regional checkpoints: old parts stay readable, are not too old, and are not used twice (RG)."""

from __future__ import annotations

from finale.model.properties.observed import newest_stored
from finale.model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.regional import RegionalCheckpoint, RegionParts
from finale.model.protocols.sinks import Transaction, TwoPhaseSink
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Nothing, always, before, define, on_step, reachable, when


@always
def old_parts_are_kept(
    state: RegionalCheckpoint, parts: RegionParts, newer: Checkpoint, older: Checkpoint
) -> bool:
    """What the newest stored checkpoint refers to, by way of others or not, is not deleted."""
    when(newest_stored(state) == newer and older < newer)
    when(leads_back(state, parts, newer, older, len(state.checkpoints)))
    return not state.deleted.has(older)


@always
def old_parts_are_not_too_old(
    state: RegionalCheckpoint, parts: RegionParts, newer: Checkpoint, older: Checkpoint
) -> bool:
    """No part of the newest stored checkpoint is older than the allowed number of regional
    checkpoints in a row."""
    when(newest_stored(state) == newer and older < newer)
    when(leads_back(state, parts, newer, older, len(state.checkpoints)))
    return leads_back(state, parts, newer, older, int(state.bounds.consecutive))


def leads_back(
    state: RegionalCheckpoint, parts: RegionParts, newer: Checkpoint, older: Checkpoint, links: int
) -> bool:
    """Whether at most so many references lead from one checkpoint to an older one."""
    first, last = state.checkpoints.index(older), state.checkpoints.index(newer)
    between = state.checkpoints[first + 1 : max(last, first + 1)] if links > 1 else ()
    return parts.refers_to[newer] == older or any(
        parts.refers_to[newer] == each and leads_back(state, parts, each, older, links - 1)
        for each in between
    )


@always(needs="effects")
def old_transactions_stay(
    state: RegionalCheckpoint, task: Task, transaction: Checkpoint, older: Checkpoint
) -> bool:
    """No transaction is rolled back that the part lists which a restart would take (S5)."""
    sink, newest = task.sink, newest_stored(state)
    when(any(newest == each and state.origin(task, each) == older for each in state.checkpoints))
    if not isinstance(sink, TwoPhaseSink):
        return True
    when(sink.listed[older].has(transaction))
    return sink.transaction[transaction] != Transaction.ABORTED


@on_step
def ends_with_all_regions(
    state: RegionalCheckpoint, parts: RegionParts, checkpoint: Checkpoint
) -> bool:
    """A checkpoint that was triggered when all sources had finished completes with new parts only
    (RG-9)."""
    when(checkpoint.is_completed and before(lambda: checkpoint.is_pending))
    when(before(lambda: each_source_had_finished(state, checkpoint)))
    is_new: bool = parts.refers_to[checkpoint] == Nothing
    return is_new


@define
def each_source_had_finished(state: JobProtocol, checkpoint: Checkpoint) -> bool:
    """Whether a plan counts every source as finished."""
    return all(checkpoint.finished.has(task) for task in state.tasks if not task.inputs)


@always
def ended_tasks_are_not_awaited(
    state: RegionalCheckpoint, task: Task, checkpoint: Checkpoint
) -> bool:
    """A pending checkpoint does not wait for a task that has ended and has not answered (L3)."""
    when(checkpoint.is_pending and checkpoint.awaited.has(task))
    answers = checkpoint.acknowledgements.has(task) or checkpoint.declined
    return not task.is_closed or answers or someone_is_called(state, checkpoint)


@define
def someone_is_called(state: JobProtocol, checkpoint: Checkpoint) -> bool:
    """Whether a trigger is under way that can fail, and abort its checkpoint."""
    return any(checkpoint.triggers.has(task) for task in state.tasks)


@always(on_request=True)
def union_parts_are_of_one_checkpoint(state: RegionalCheckpoint, checkpoint: Checkpoint) -> bool:
    """The parts of a vertex with union state in a completed checkpoint were taken for the same
    checkpoint (RG-10)."""
    when(checkpoint.is_completed and len(state.unions) > 0)
    return all(
        state.has_old_part(one, checkpoint) == state.has_old_part(other, checkpoint)
        for subtasks in state.unions
        for one in subtasks
        for other in subtasks
    )


@reachable
def a_regional_checkpoint_completes(
    state: RegionalCheckpoint, parts: RegionParts, checkpoint: Checkpoint
) -> bool:
    """A checkpoint completes with an old part of a region."""
    return checkpoint.is_completed and parts.refers_to[checkpoint] != Nothing


@reachable(on_request=True)
def references_lead_on(state: RegionalCheckpoint, parts: RegionParts, newer: Checkpoint) -> bool:
    """A part refers to a checkpoint whose part is an old one itself."""
    return any(
        not leads_back(state, parts, newer, older, 1)
        and leads_back(state, parts, newer, older, len(state.checkpoints))
        for older in state.checkpoints[: state.checkpoints.index(newer)]
    )


@reachable(on_request=True)
def a_region_fails_in_a_forced_checkpoint(
    state: RegionalCheckpoint, checkpoint: Checkpoint
) -> bool:
    """All tasks have answered a checkpoint that must be global, and a region has failed in it."""
    answered = checkpoint.is_pending and checkpoint.awaited.is_empty
    fails = state.has_failed(checkpoint) and not state.has_failed_too_often(checkpoint)
    return answered and fails and state.forced


@reachable(on_request=True)
def restarts_from_an_old_part(state: RegionalCheckpoint, task: Task) -> bool:
    """A task runs that was restored from the old part of a regional checkpoint."""
    newest = newest_stored(state)
    return any(
        newest == each and state.has_old_part(task, each) and task.confirmed == each
        for each in state.checkpoints
    )


@reachable(on_request=True)
def a_savepoint_follows_an_old_part(
    state: RegionalCheckpoint, parts: RegionParts, checkpoint: Checkpoint, savepoint: Checkpoint
) -> bool:
    """A savepoint completes while the newest checkpoint has an old part."""
    if not state.has_kinds:
        return False
    when(checkpoint < savepoint and savepoint.is_completed)
    regional = checkpoint.is_completed and parts.refers_to[checkpoint] != Nothing
    return regional and savepoint.kind != CheckpointKind.CHECKPOINT


FAMILIES = (
    old_parts_are_kept,
    old_parts_are_not_too_old,
    old_transactions_stay,
    ends_with_all_regions,
    ended_tasks_are_not_awaited,
    union_parts_are_of_one_checkpoint,
    a_regional_checkpoint_completes,
    references_lead_on,
    a_region_fails_in_a_forced_checkpoint,
    restarts_from_an_old_part,
    a_savepoint_follows_an_old_part,
)
