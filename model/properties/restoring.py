"""What a start makes of finished operators and of state; who fails (S14, S15, S16, S23, S27)."""

from __future__ import annotations

from finale.model.properties.observed import newest_stored
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.failures import Failures
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Datum
from finale.model.protocols.requests import JobStatus, Requests
from finale.model.protocols.restore import Restore
from finale.model.protocols.task.execution import TaskExecution
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.stateful import Share, Stateful
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import Nothing, Taken, always, before, define, on_step, reachable, when
from finale.model.topology import OperatorKind


@on_step
def finished_stays_finished(state: Restore, task: Task) -> bool:
    """A task whose vertex had finished altogether is started as finished (S14)."""
    when(is_restored(task))
    when(state.has_finished_fully(task.subtask.vertex, task.confirmed))
    return state.is_skipping(task)


@on_step
def finished_stays_marked(state: Restore, task: Task, older: Checkpoint, newer: Checkpoint) -> bool:
    """What the newest checkpoint marks as finished altogether, the next one marks as well (S14)."""
    when(older < newer and newer.is_completed and before(lambda: newer.is_pending))
    when(before(lambda: state.has_finished_fully(task.subtask.vertex, older)))
    when(before(lambda: newest_stored(state) == older))
    return newer.finished.has(task)


@always
def finished_set_is_closed(state: Restore, task: Task, checkpoint: Checkpoint) -> bool:
    """In a completed checkpoint a task that counts as finished reads none that does not (S15)."""
    when(checkpoint.is_completed and not state.is_first(checkpoint))
    when(checkpoint.finished.has(task))
    return all(checkpoint.finished.has(producer) for producer in state.producers(task))


@on_step
def no_empty_broadcast(state: Restore, task: Stateful) -> bool:
    """No task starts with an empty copy of broadcast state while there is one that is not (S16)."""
    vertex = task.subtask.vertex
    when(vertex.kind == OperatorKind.BROADCAST_STATE and is_restored(task))
    when(not state.is_skipping(task))
    when(any(not share.is_empty(task.confirmed) for share in state.shares_of(vertex)))
    return not task.keeps_nothing()


@always
def broadcast_copies_agree(
    state: Restore, share: Share, other: Share, checkpoint: Checkpoint
) -> bool:
    """All copies of broadcast state in a completed checkpoint are equal (S16)."""
    when(share.vertex == other.vertex and share.index < other.index)
    when(share.vertex.kind == OperatorKind.BROADCAST_STATE and checkpoint.is_completed)
    when(share.reported.has(checkpoint) and other.reported.has(checkpoint))
    mine, its = share.content[checkpoint], other.content[checkpoint]
    return all(mine[record] == its[record] for record in share.data)


@always
def each_key_at_its_owner(state: Restore, task: Stateful, record: Datum) -> bool:
    """Keyed state is at the one subtask that has the key, and there once (S23)."""
    vertex = task.subtask.vertex
    when(vertex.kind == OperatorKind.KEYED and task.state[record] > 0)
    owner = record.owner_among(vertex.parallelism)
    return owner == task.subtask.index and task.state[record] < 2


@on_step(on_request=True)
def restored_union_is_whole(state: Restore, task: Stateful, record: Datum) -> bool:
    """A task is restored with the union of what all subtasks put into the checkpoint (RC-5)."""
    vertex, newest = task.subtask.vertex, newest_stored(state)
    when(vertex.kind == OperatorKind.UNION_STATE and record in task.data)
    when(newest != Nothing and is_restored(task) and not state.is_skipping(task))
    held = any(share.content[newest][record] > 0 for share in state.shares_of(vertex))
    return held == (task.state[record] > 0)


@on_step(on_request=True)
def list_state_goes_round(state: Restore, task: Stateful) -> bool:
    """Where its vertex has another parallelism, a task is dealt as many entries of list state as
    any other, or one more (RC-5)."""
    vertex = task.subtask.vertex
    when(vertex.kind == OperatorKind.SPLIT_STATE and is_restored(task))
    when(state.is_rescaled(vertex, task.confirmed))
    shares, tasks = state.shares_of(vertex), vertex.parallelism
    dealt = [share.content[task.confirmed][each] > 0 for share in shares for each in share.data]
    entries, own = sum(dealt), sum(task.state[each] > 0 for each in task.data)
    return any(
        entries == number and own in (number // tasks, -(-number // tasks))
        for number in range(len(dealt) + 1)
    )


@on_step(on_request=True)
def nobody_starts_over(state: TaskExecution, source: Source) -> bool:
    """Once a checkpoint that has a source's progress has completed, the source is never started
    from its first record again (S17)."""
    newest = newest_stored(state)
    when(state.restarts and newest != Nothing and len(source.data) > 0)
    when(before(lambda: source.status == TaskStatus.RESTORING) and source.is_running)
    # To a checkpoint that counts it as finished the source reports nothing: 0 remain.
    when(source.offset[newest] < len(source.data))
    return source.remaining < len(source.data)


@on_step
def nothing_comes_to_lost_state(state: Restore, channel: Channel, step: Taken) -> bool:
    """No record comes to a task that is restored after it had finished, without its state (S2)."""
    when(step.rule == "poll_data" and step.binding["channel"] == channel.name)
    task = state.reader(channel)
    when(isinstance(task, Stateful))
    return before(lambda: not state.has_lost_own_state(task))


@define
def is_restored(task: Task) -> bool:
    """Whether the step that was taken has restored a task from a checkpoint."""
    was_restoring = before(lambda: task.status == TaskStatus.RESTORING)
    return was_restoring and task.is_running and task.confirmed != Nothing


@reachable
def starts_as_finished(state: Restore, task: Task) -> bool:
    """A task is started as finished (RC-4)."""
    return state.is_skipping(task)


@reachable
def a_start_is_refused(state: Restore) -> bool:
    """A job is not started, since what it has changed contradicts the snapshot (RC-8)."""
    return state.is_refused()


@reachable(of_all_ids=True)
def state_is_dealt_out(state: Restore, task: Stateful) -> bool:
    """A task starts with state (RC-5, RC-6)."""
    return task.confirmed != Nothing and not task.keeps_nothing()


# --- how far a historical bug's interleaving goes, with the bug and with its fix ----------------


@reachable(on_request=True)
def restores_what_had_finished(state: Restore, task: Task) -> bool:
    """A task is about to be restored whose vertex had finished altogether (FIN-13)."""
    newest = newest_stored(state)
    if newest == Nothing:
        return False
    restoring = task.status == TaskStatus.RESTORING
    return restoring and state.has_finished_fully(task.subtask.vertex, newest)


@reachable(on_request=True)
def first_copy_is_missing(state: Restore, share: Share, other: Share) -> bool:
    """The first subtask has left no copy of broadcast state, and another one has (FIN-11)."""
    newest = newest_stored(state)
    if newest == Nothing or share.vertex != other.vertex or share.index > 0:
        return False
    missing = not share.reported.has(newest) and other.reported.has(newest)
    return missing and not other.is_empty(newest)


@reachable(on_request=True)
def finished_reads_what_is_new(state: Restore, task: Task, producer: Task) -> bool:
    """A job is to start in which a task that had finished reads one that had not (FIN-12)."""
    if not any(producer == each for each in state.producers(task)):
        return False
    finished = state.known(state.checkpoints[0]).finished
    waits = task.status == TaskStatus.RESTORING
    return waits and finished.has(task) and not finished.has(producer)


@reachable(on_request=True)
def a_source_has_finished_alone(state: Restore, source: Source, task: Task) -> bool:
    """A checkpoint is pending that counts a source as finished, and waits for others (FIN-14)."""
    return any(
        checkpoint.is_pending and checkpoint.finished.has(source) and checkpoint.awaited.has(task)
        for checkpoint in state.checkpoints
    )


#: What the environment does to an attempt, and what follows from it alone; H11: time-outs, too.
ENVIRONMENT = (
    *("fail", "resume", "cancel_task"),
    *("fail_region", "restart_region", "crash_coordinator", "time_out_under_load"),
)


@on_step
def legal_never_fails(state: JobProtocol, task: Task, step: Taken) -> bool:
    """As long as no snapshot fails or expires, an attempt ends only by what the environment does: a
    failure, a crash, a new start (S27). In a job that is being cancelled each attempt may fail."""
    failed = (TaskStatus.RESTORING, TaskStatus.FAILED)
    when(before(lambda: task.status not in failed))
    lives = task.status not in failed
    excused = step.rule in ENVIRONMENT or state.declines + state.expiries > 0
    return lives or excused or (task.status == TaskStatus.FAILED and _is_cancelled(state))


def _is_cancelled(state: JobProtocol) -> bool:
    """Whether a user has cancelled the job; a plain truth value where nobody can."""
    if not (isinstance(state, Requests) and state.has_job_status):
        return False
    return state.job_status == JobStatus.CANCELLING


@reachable(on_request=True)
def failed_checkpoints_restart(state: Failures, task: Task) -> bool:
    """Without any failure of a task or of the coordinator, the job is restarted (AB-4)."""
    never = int(state.bounds.failures) == 0 and int(state.bounds.crashes) == 0
    return never and task.status == TaskStatus.RESTORING


FAMILIES = (
    nothing_comes_to_lost_state,
    finished_stays_finished,
    finished_stays_marked,
    finished_set_is_closed,
    no_empty_broadcast,
    broadcast_copies_agree,
    each_key_at_its_owner,
    restored_union_is_whole,
    list_state_goes_round,
    nobody_starts_over,
    starts_as_finished,
    a_start_is_refused,
    state_is_dealt_out,
    restores_what_had_finished,
    first_copy_is_missing,
    finished_reads_what_is_new,
    a_source_has_finished_alone,
)
FAILING = (legal_never_fails, failed_checkpoints_restart)
