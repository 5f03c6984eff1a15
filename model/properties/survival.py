"""No record is lost and none is there twice: each is somewhere on its way outside (S2)."""

from __future__ import annotations

from finale.model.properties.conservation import written_in
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.elements import Data, Datum
from finale.model.protocols.sinks.sinks import AtLeastOnceSink, Sink
from finale.model.protocols.task.operators import Buffering
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import always, count, when
from finale.model.topology import Vertex


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


FAMILIES = (records_survive_restarts,)
