"""Lists the parts that a driven job can have; `java/Operator.java` and others build them."""

from __future__ import annotations

from dataclasses import dataclass

from finale.model.topology import Job, OperatorKind, Sink

KINDS = frozenset(
    kind.value
    for kind in (
        OperatorKind.SOURCE,
        OperatorKind.PASS_THROUGH,
        OperatorKind.KEYED,
        OperatorKind.BUFFERING,
        OperatorKind.UNION_STATE,
        OperatorKind.SPLIT_STATE,
        OperatorKind.CHAINED,
        OperatorKind.WRITER,
    )
)
SINKS = frozenset(
    sink.value for sink in (Sink.NONE, Sink.TWO_PHASE, Sink.AT_LEAST_ONCE, Sink.COMMITTER)
)


@dataclass(frozen=True)
class DrivenSource:
    """A source that waits for commands: a task of its own, or chained into one.

    The job calls it by a name as of a `vertex` and the `index` of its subtask. It is a part of the
    vertex `of`.
    """

    name: str
    of: str
    vertex: str
    index: int
    records: int
    bounded: bool


def sources_of(job: Job) -> tuple[DrivenSource, ...]:
    """All sources of a job. Those chained into a task are called by its name and a number."""
    found: list[DrivenSource] = []
    for task in job.subtasks:
        vertex, index = task.vertex, task.index
        if vertex.is_source:
            alone = DrivenSource(
                task.name, vertex.name, vertex.name, index, task.records, task.bounded
            )
            found.append(alone)
        for number, records in enumerate(vertex.chained, 1):
            end = f".source{number}"
            found.append(
                DrivenSource(
                    task.name + end,
                    vertex.name,
                    vertex.name + end,
                    index,
                    records,
                    task.bounded,
                )
            )
    return tuple(found)


def connected(job: Job, task: str) -> set[str]:
    """The tasks that channels connect with a task, and the task."""
    found, left = {task}, [task]
    while left:
        one = left.pop()
        for channel in job.channels:
            ends = {channel.sender.name, channel.receiver.name}
            if one in ends and not ends <= found:
                left += ends - found
                found |= ends
    return found


def ends_by_itself(job: Job, task: str) -> bool:
    """Whether all sources that channels connect with a task are bounded."""
    own = connected(job, task)
    return all(each.bounded for each in job.subtasks if each.name in own)


__all__ = ["KINDS", "SINKS", "DrivenSource", "connected", "ends_by_itself", "sources_of"]
