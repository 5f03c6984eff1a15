"""What properties observe of stores and stops by themselves, apart from the helpers of the rules.

A rule and a property that share a helper share its mistakes: the rule does what is wrong, and the
property takes that for right. What is told here is read off the state once more.
"""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.elements import CheckpointId, StopMode
from finale.model.protocols.requests import Requests
from finale.model.protocols.restore import Restore
from finale.model.protocols.stopping import Stopping
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Nothing, define
from finale.model.topology import OperatorKind, Vertex


@define
def newest_stored(state: JobProtocol) -> CheckpointId:
    """The checkpoint that a restart must take (CN-1, CN-2, F45-7), or Nothing."""
    newest: CheckpointId = Nothing
    for checkpoint in state.checkpoints:
        newest = checkpoint if is_stored(state, checkpoint) else newest
    if not isinstance(state, Stopping) or not state.can_resume or state.resumed_from == Nothing:
        return newest
    if newest == Nothing or newest <= state.used_before:
        return state.resumed_from
    return newest


@define
def is_stored(state: JobProtocol, checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint is complete, and one to start again from; of savepoints the options
    say so."""
    if not isinstance(state, Requests) or not state.has_kinds:
        return checkpoint.is_completed
    ordinary = checkpoint.kind == CheckpointKind.CHECKPOINT
    return checkpoint.is_completed and (ordinary or state.is_stored(checkpoint))


@define
def was_suspended(state: Stopping, task: Task) -> bool:
    """Whether a stop without drain has ended the data of a source that a task depends on.

    Read off the sources: what a task was told of the end of its data may be what is wrong.
    """
    sources = tuple(each for each in sources_of(state, task) if isinstance(each, Source))
    return state.stops and any(
        source.has_finished
        and (source.mode == StopMode.NO_DRAIN or (is_cut_short(source) and suspends_only(state)))
        for source in sources
    )


@define
def is_cut_short(source: Source) -> bool:
    """Whether a source has records that it has not emitted, or has no end of its own."""
    return source.remaining > 0 or not source.subtask.bounded


@define
def suspends_only(state: Stopping) -> bool:
    """Whether there was a stop without drain, and none with."""
    return is_of_kind(state, CheckpointKind.SUSPEND) and not is_of_kind(state, CheckpointKind.DRAIN)


@define
def is_of_kind(state: Stopping, kind: CheckpointKind) -> bool:
    """Whether a stop of a kind was triggered; an id that is not used has the kind of no stop."""
    return any(each.kind == kind for each in state.checkpoints)


@define
def is_excused(state: JobProtocol, task: Task) -> bool:
    """Whether a task may end without a final checkpoint: it says so, and there was such a stop."""
    if not isinstance(state, Stopping) or not state.stops:
        return False
    return is_of_kind(state, CheckpointKind.SUSPEND) and state.ended_by_suspension(task)


@define
def state_is_gone(state: Restore, vertex: Vertex) -> bool:
    """Whether state is rightly gone with the tasks that had finished when the checkpoint was taken
    that a restart takes. Union state is gone only with all of them (PL-8)."""
    newest, tasks = newest_stored(state), state.tasks_of(vertex)
    if vertex.kind == OperatorKind.UNION_STATE:
        return any(
            newest == each and all(each.finished.has(task) for task in tasks)
            for each in state.checkpoints
        )
    return any(
        newest == each and any(each.finished.has(task) for task in tasks)
        for each in state.checkpoints
    )


def sources_of(state: JobProtocol, task: Task) -> tuple[Task, ...]:
    """The tasks without inputs that a task reads, by way of others or not; or itself."""
    if not task.inputs:
        return (task,)
    found = (each for near in state.producers(task) for each in sources_of(state, near))
    return tuple(dict.fromkeys(found))
