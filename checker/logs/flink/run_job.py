"""Reads the job of a run: its vertices by their names, its edges by the lines that connect them.

The number of barriers that a subtask receives tells whether all subtasks of two vertices are
connected, or each with a few: a subtask that receives more than the narrow pattern allows has the
wide pattern. A subtask that ends before any barrier tells nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from finale.checker.logs.read.job_runs import JobRun
from finale.checker.logs.read.log_events import TaskId
from finale.model.errors import FinaleError
from finale.model.topology import Edge, Job, OperatorKind, Pattern, Vertex

#: What a vertex is called that sources are chained into, beside an operator with several inputs.
_CHAINED = re.compile(r"\[Source: ")
#: What a vertex is called that has such list state, and has ended in part.
_UNEVEN = re.compile(r"The vertex (?P<vertex>.+?) \(id = \w+\) has used UnionListState")


@dataclass(frozen=True)
class RunJob:
    """A job, and what its parts are called in the run."""

    job: Job
    names: dict[str, str]
    """By the name of a vertex in the run, its name in the job."""
    inputs: dict[tuple[str, int], str]
    """By a vertex and the number of a gate, both the run's, the vertex that it reads."""
    is_sure: bool = True
    """Whether the lines determine the pattern of each edge. Only then a job can be rejected."""
    chained: str | None = None
    """The first vertex that reads another one, and that sources are chained into."""

    def task(self, task: TaskId) -> str:
        """What the job calls a subtask."""
        name = self.names[task.vertex]
        return name if task.parallelism == 1 else f"{name}.{task.subtask}"

    def channel(self, task: TaskId, gate: int, channel: int) -> str | None:
        """What it calls a channel of a gate of a subtask."""
        writer = self.inputs.get((task.vertex, gate))
        if writer is None:
            return None
        source = self.names[writer]
        edge = next(e for e in self.job.edges if (e.source, e.target) ==
                    (source, self.names[task.vertex]))  # fmt: skip
        many, few = self.job.vertex(source).parallelism, task.parallelism
        senders = edge.pattern.senders(task.subtask, many, few)
        if channel >= len(senders):
            return None
        sender = source if many == 1 else f"{source}.{senders[channel]}"
        return f"{sender}→{self.task(task)}"


def job_of(run: JobRun) -> RunJob | None:
    """The job of a run; none where the lines that connect its vertices are missing."""
    parallelism = run.tasks
    inputs: dict[tuple[str, int], str] = {}
    for event in run.events:
        if event.word == "input-connected":
            fields = event.log_event.fields
            reader = run.own_names.get(fields["reader_id"], fields["reader"])
            writer = run.own_names.get(fields["writer_id"], fields["writer"])
            inputs[reader, int(fields["input"])] = writer
    readers = {reader for reader, _ in inputs}
    if len(parallelism) > 1 and not inputs:
        return None
    if not parallelism or not readers | set(inputs.values()) <= set(parallelism):
        return None
    names = {name: f"v{number}" if re.search(r"\.\d+$", name) else name
             for number, name in enumerate(parallelism)}  # fmt: skip
    wide = _wide(run)
    uneven = _uneven(run)
    edges: list[Edge] = []
    is_sure = True
    for (reader, gate), writer in sorted(inputs.items()):
        counts = [wide.get((reader, gate, each)) for each in range(parallelism[reader])]
        pattern, sure = pattern_of(parallelism[writer], counts)
        edges.append(Edge(names[writer], names[reader], pattern))
        is_sure = is_sure and sure
    try:
        vertices = [
            Vertex(
                names[name],
                OperatorKind.UNION_STATE if name in uneven else OperatorKind.PASS_THROUGH,
                number,
            )
            if name in readers
            else Vertex.source(
                names[name], records=0, parallelism=number, union_state=name in uneven
            )
            for name, number in parallelism.items()
        ]
        chained = next((name for name in parallelism if name in readers and _CHAINED.search(name)),
                       None)  # fmt: skip
        return RunJob(Job(tuple(vertices), tuple(edges)), names, inputs, is_sure, chained)
    except FinaleError:
        return None  # a vertex that reads another one twice, or a parallelism that none can have


def _wide(run: JobRun) -> dict[tuple[str, int, int], int]:
    """By vertex, gate and subtask, how many channels have been seen."""
    found: defaultdict[tuple[str, int, int], int] = defaultdict(int)
    for event in run.events:
        if event.word == "barrier-received" and event.task is not None:
            fields, task = event.log_event.fields, event.task
            at = task.vertex, int(fields["gate"]), task.subtask
            found[at] = max(found[at], int(fields["channel"]) + 1)
    return found


def pattern_of(many: int, counts: Sequence[int | None]) -> tuple[Pattern, bool]:
    """The pattern of an edge, and whether the lines determine it.

    `many` is the parallelism of the writer. `counts` has for each subtask of the reader the number
    of channels with a barrier, or None if no barrier was received.
    """
    few = len(counts)
    narrow = [len(Pattern.POINTWISE.senders(subtask, many, few)) for subtask in range(few)]
    both = list(zip(counts, narrow, strict=True))
    if any(least == many or (count or 0) > least for count, least in both):
        return Pattern.ALL_TO_ALL, True
    if all(count is None for count in counts):
        return Pattern.ALL_TO_ALL, False
    return Pattern.POINTWISE, None not in counts


def _uneven(run: JobRun) -> frozenset[str]:
    """The vertices of which a refused checkpoint says that they have such state."""
    causes = (text for event in run.events for _, text in event.log_event.causes)
    return frozenset(found["vertex"] for text in causes if (found := _UNEVEN.search(text)))
