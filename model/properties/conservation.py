"""Records are neither lost nor doubled, whatever is restarted: each is at one place (S2).

Counted are all places on the way to an operator that keeps what it gets: still in the source, in a
channel, held back, kept. On jobs where a vertex feeds several others a record has another name on
each way: there nothing is claimed.
"""

from __future__ import annotations

from finale.model.properties.observed import state_is_gone
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.channels import Channel, LoggedChannel
from finale.model.protocols.job.elements import Data, Datum
from finale.model.protocols.restore import Restore
from finale.model.protocols.sinks import AtLeastOnceSink, BufferedSink, Sink, TwoPhaseSink
from finale.model.protocols.task.operators import Buffering
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.stateful import Share, Stateful
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import always, count, define, when
from finale.model.topology import Job, OperatorKind, Vertex


@always(needs="effects")
def each_record_is_somewhere(state: Restore, sink: Sink, record: Datum) -> bool:
    """Each record is at one place: to come, under way, in a transaction, or visible; with a sink
    that writes at least once it is not lost (S2)."""
    when(is_straight(state.job) and record in sink.data)
    when(all_run(state))
    written = sum(written_in(each, record) for each in state.siblings_of(sink))
    total = under_way(state, sink.vertex, record) + written
    return total >= 1 if isinstance(sink, AtLeastOnceSink) else total == 1


@always
def each_record_is_kept(state: Restore, share: Share, record: Datum) -> bool:
    """Each record is at one place: to come, under way, or in the state of one task; union state is
    handed to everybody (S2)."""
    vertex = share.vertex
    when(is_straight(state.job) and share.index == 0 and record in share.data)
    when(not any(edge.broadcast for edge in state.job.edges_into(vertex)))
    when(all_run(state) and not state_is_gone(state, vertex))
    tasks = tuple(task for task in state.tasks_of(vertex) if isinstance(task, Stateful))
    total = under_way(state, vertex, record) + sum(task.state[record] for task in tasks)
    return total >= 1 if vertex.kind == OperatorKind.UNION_STATE else total == 1


@define
def all_run(state: Restore) -> bool:
    """Whether a job was started, and no task of it is still to be restored."""
    started = all(task.status != TaskStatus.RESTORING for task in state.tasks)
    return started and not state.is_refused()


@define
def written_in(sink: Sink, record: Datum) -> int:
    """How often a sink has a record: visible, in a batch, or in a transaction."""
    if isinstance(sink, BufferedSink):
        return sink.visible[record] + sink.batch[record]
    if isinstance(sink, TwoPhaseSink):
        pending = sum(sink.content[checkpoint][record] for checkpoint in sink.checkpoints)
        return sink.visible[record] + sink.current[record] + pending
    return sink.visible[record]


@define
def under_way(state: Restore, vertex: Vertex, record: Datum) -> int:
    """How often a record is still to come to a vertex."""
    before = upstream(state.job, vertex)
    sources = tuple(
        task for task in state.tasks if isinstance(task, Source) and record in task.data
    )
    holding = tuple(task for task in state.tasks if isinstance(task, Buffering))
    holding = tuple(task for task in holding if task.subtask.vertex in (*before, vertex))
    ways = tuple(
        channel for channel in state.channels if channel.edge.receiver.vertex in (*before, vertex)
    )
    to_come = count(sources, lambda task: task.remaining + record.number > len(task.data))
    queued: int = sum(how_often(channel, record) for channel in ways)
    return to_come + queued + sum(task.buffer[record] for task in holding)


@define
def how_often(channel: Channel, record: Datum) -> int:
    """How often a record is in a channel, or waits beside it to be replayed."""
    places = range(channel.queue.capacity)
    queued = count(places, lambda position: channel.queue.at(position) == Data(record))
    if isinstance(channel, LoggedChannel):
        places = range(channel.recovered.capacity)
        return queued + count(places, lambda place: channel.recovered.at(place) == record)
    return queued


def is_straight(job: Job) -> bool:
    """Whether no vertex of a job feeds several others."""
    return all(len(job.edges_out_of(vertex)) <= 1 for vertex in job.vertices)


def upstream(job: Job, vertex: Vertex) -> tuple[Vertex, ...]:
    """All vertices whose records come to a vertex, by way of others or not."""
    direct = [job.vertex(edge.source) for edge in job.edges_into(vertex)]
    return (*direct, *(far for near in direct for far in upstream(job, near)))


def _stations(
    state: JobProtocol, vertex: Vertex, record: Datum
) -> tuple[tuple[Vertex, Datum], ...]:
    """The vertices that a record passes up to this one, with what it is there."""
    before = tuple(
        (state.job.vertex(edge.source), each)
        for edge in state.job.edges_into(vertex)
        for each in state.data_at[state.job.vertex(edge.source)]
        if each.along[edge] == record
    )
    further = tuple(each for near, datum in before for each in _stations(state, near, datum))
    return ((vertex, record), *further)


def _inside(task: Task, record: Datum) -> int:
    if isinstance(task, Buffering):
        return task.buffer[record]
    if isinstance(task, Source) and task.subtask == record.source:
        return 1 if task.remaining > len(task.data) - record.number else 0
    sources = tuple(each for each in task.chained if record in each.data)
    return count(sources, lambda each: not each.has_emitted(record))


def _under_way(state: JobProtocol, vertex: Vertex, record: Datum) -> int:
    subtasks = state.job.subtasks_of(vertex)
    inside: int = sum(_inside(state.task_of[subtask], record) for subtask in subtasks)
    arriving: int = sum(
        channel.queue.at(position) == Data(record)
        for channel in state.channels
        if channel.edge.receiver in subtasks
        for position in range(channel.queue.capacity)
    )
    return inside + arriving


@always(needs="effects", on_request=True)
def records_survive_restarts(state: JobProtocol, sink: Sink, record: Datum) -> bool:
    """While all tasks run or have ended, a record is at one place: to come, in a channel, held
    back, in a transaction, or outside (S2); written at least once, it is at one place or more."""
    when(record in sink.data)
    over = (TaskStatus.RESTORING, TaskStatus.FAILED)
    when(all(task.status not in over for task in state.tasks))
    written = sum(written_in(each, record) for each in state.siblings_of(sink))
    stations = _stations(state, sink.vertex, record)
    total = written + sum(_under_way(state, vertex, datum) for vertex, datum in stations)
    return total >= 1 if isinstance(sink, AtLeastOnceSink) else total == 1


FAMILIES = (each_record_is_somewhere, each_record_is_kept)
SURVIVAL = (records_survive_restarts,)
