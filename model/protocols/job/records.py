"""The records of a job: who makes them, which vertices they reach, what they are tagged with."""

from __future__ import annotations

from finale.model.protocols.job.elements import Datum, Tag, Watermark
from finale.model.topology import Edge, Job, OperatorKind, Subtask, Vertex


def tags(job: Job, checkpoints: int) -> tuple[Tag, ...]:
    """One tag for each checkpoint and one above them, where anything is tagged."""
    if all(vertex.kind is not OperatorKind.WRITER for vertex in job.vertices):
        return ()
    return (*(Tag(f"tag{n + 1}") for n in range(checkpoints)), Tag("last-tag"))


def watermarks(job: Job, below_maximal: int) -> tuple[Watermark, ...]:
    """So many watermarks, and the maximal one above them; none at all where there are none."""
    if not below_maximal:
        return ()
    some = range(1, below_maximal + 1)
    anywhere = job.subtasks[0]
    return (
        *(Watermark(f"wm{time}", anywhere, time) for time in some),
        Watermark("wm-max", anywhere, below_maximal + 1),
    )


def ticks(job: Job, times: int) -> dict[Subtask, tuple[Datum, ...]]:
    """The records that timers of the clock may make."""
    return {
        subtask: tuple(
            Datum(f"{subtask.name}!{n + 1}", subtask, n + 1, of_clock=True) for n in range(times)
        )
        for subtask in job.subtasks
        if subtask.vertex.kind is OperatorKind.TICKING
    }


def data_at(job: Job, ticks: dict[Subtask, tuple[Datum, ...]]) -> dict[Vertex, tuple[Datum, ...]]:
    """The data that reach each vertex, in the order of sources and numbers."""
    found: dict[Vertex, list[Datum]] = {vertex: [] for vertex in job.vertices}
    groups = max((subtask.records for subtask in job.subtasks), default=0)
    for vertex in job.topological:
        if vertex.is_source:
            found[vertex] = [
                Datum(f"{subtask.name}#{number + 1}", subtask, number + 1, key_groups=groups)
                for subtask in job.subtasks_of(vertex)
                for number in range(subtask.records)
            ]
        elif vertex.chained:
            found[vertex] += _made_by_chained(job, vertex, groups)
        own = [datum for subtask in job.subtasks_of(vertex) for datum in ticks.get(subtask, ())]
        edges = job.edges_out_of(vertex)
        for edge in edges:
            for datum in found[vertex] + own:
                datum.along[edge] = _copy(datum, edge) if len(edges) > 1 else datum
                found[job.vertex(edge.target)].append(datum.along[edge])
    return {vertex: tuple(data) for vertex, data in found.items()}


def _made_by_chained(job: Job, vertex: Vertex, groups: int) -> list[Datum]:
    """What sources chained into a vertex's subtasks emit; numbered through in each subtask."""
    return [
        Datum(f"{name}#{number - before}", subtask, number, key_groups=groups)
        for subtask in job.subtasks_of(vertex)
        for name, before, count in chained_in(subtask)
        for number in range(before + 1, before + count + 1)
    ]


def chained_in(subtask: Subtask) -> tuple[tuple[str, int, int], ...]:
    """The sources chained into a subtask: name, how many records come before its own, how many."""
    counts = subtask.vertex.chained
    return tuple(
        (f"{subtask.name}.source{n + 1}", sum(counts[:n]), count) for n, count in enumerate(counts)
    )


def _copy(datum: Datum, edge: Edge) -> Datum:
    name = f"{datum.name}/{edge.target}{edge.suffix}"
    groups, of_clock = datum.key_groups, datum.of_clock
    return Datum(name, datum.source, datum.number, key_groups=groups, of_clock=of_clock)
