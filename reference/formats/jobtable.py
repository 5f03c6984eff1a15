"""Writes a job as a table without records, for event logs."""

from __future__ import annotations

from finale.model.topology import Edge, Job, Pattern, Sink, Vertex


def table_of(job: Job) -> dict[str, dict[str, object]]:
    """A job as the `[job]` table of a spec, without records: what its protocol depends on."""
    return {vertex.name: _entry(job, vertex) for vertex in job.vertices}


def _entry(job: Job, vertex: Vertex) -> dict[str, object]:
    entry: dict[str, object] = {"kind": vertex.kind.value, "parallelism": vertex.parallelism}
    if vertex.is_source or vertex.chained:
        bounded = [each.bounded for each in job.subtasks_of(vertex)]
        entry |= {"bounded": bounded[0] if len(set(bounded)) == 1 else bounded}
    if vertex.is_source:
        entry["records"] = 0
    if vertex.chained:
        entry["chained"] = [0] * len(vertex.chained)
    if vertex.sink is not Sink.NONE:
        entry["sink"] = vertex.sink.value
    inputs = [_input(edge) for edge in job.edges_into(vertex)]
    return entry | ({"from": inputs} if inputs else {})


def _input(edge: Edge) -> str | dict[str, object]:
    said: dict[str, object] = {"vertex": edge.source}
    if edge.pattern is not Pattern.ALL_TO_ALL:
        said["pattern"] = edge.pattern.value
    if edge.broadcast:
        said["broadcast"] = True
    if not edge.overtakes:
        said["overtakes"] = False
    return edge.source if len(said) == 1 else said
