"""Jobs: what a protocol of checkpoints, stops and finishes runs on.

A `Job` is a directed acyclic graph of vertices, each with a parallelism; it expands into subtasks
and the channels between them, in a fixed order, so that two runs number everything alike. The model
is Flink's job graph and its expansion into an execution graph, reduced to what the protocols look
at: who reads whom, who has which kind of state, who commits. Left out: chaining, slots, blocking
and cached results, and every partitioner's choice of channel for a record.

In reading order: `parts` (vertex, edge, subtask, channel), `shapes` (the standard jobs), `table`
(the `[job]` table of a spec), `job` (the graph and its expansion), `enumeration` (all small jobs).
"""

from __future__ import annotations

from .enumeration import all_shapes
from .job import Job
from .parts import Channel, Edge, OperatorKind, Pattern, Sink, Subtask, Vertex
from .table import SHAPES, SHEET_NAMES

__all__ = [
    "SHAPES",
    "SHEET_NAMES",
    "Channel",
    "Edge",
    "Job",
    "OperatorKind",
    "Pattern",
    "Sink",
    "Subtask",
    "Vertex",
    "all_shapes",
]
