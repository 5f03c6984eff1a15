"""Stores in-flight data of overtaken channels: a list of buffers for each channel.

{"A.0→B": [{"records": ["x", "y"]}, {"records": ["z"], "watermark": 17}]}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from finale.model.errors import FinaleError, Place
from finale.reference.channel import Buffer
from finale.reference.formats.metadata import OperatorMetadata
from finale.reference.task import Output, Task

Logs = dict[str, list[dict[str, Any]]]
"""What JSON has of it."""


def told(logs: Mapping[str, Iterable[Buffer]]) -> Logs:
    """Return the stored form of the channels of a task."""
    return {channel: [_told(each) for each in buffers] for channel, buffers in logs.items()}


def _told(buffer: Buffer) -> dict[str, Any]:
    records = {"records": list(buffer.records)}
    return records if buffer.watermark is None else records | {"watermark": buffer.watermark}


def recovered(logs: Logs | None, channel: str) -> list[Buffer]:
    """Return the in-flight buffers of one channel."""
    kept = (logs or {}).get(channel, [])
    return [Buffer(tuple(each["records"]), each.get("watermark")) for each in kept]


def shared_out(
    logs: Sequence[Logs | None],
    now: OperatorMetadata,
    old: Sequence[OperatorMetadata],
    new: Sequence[OperatorMetadata],
    tasks: Mapping[str, Task],
) -> dict[str, Logs]:
    """Distribute in-flight buffers over the subtasks after a change of parallelism.

    Each record goes where it would go today. What came from one subtask stays in its order, and
    comes from one; watermarks are left out, as not all that they speak of is behind them. Raises
    `in-flight`.
    """
    was = {task: (each, i) for each in old for i, task in enumerate(each.tasks)}
    writers = {each.name: each for each in new if each.name in now.inputs}
    found: dict[str, Logs] = {task: {} for task in now.tasks}
    for channel, buffers in (item for each in logs if each for item in each.items() if item[1]):
        (source, index), (before, read_by) = (was[task] for task in channel.split("→"))
        if source.name not in writers:
            raise _lost(source, now)
        writer = writers[source.name]
        edge = _edge(writer, now, tasks)
        sender = writer.tasks[index % writer.parallelism]
        for records in (each["records"] for each in buffers):
            if before.parallelism == now.parallelism:
                shares = {now.tasks[read_by]: records}
            elif edge.partitioner is not None and len(edge.channels) == now.parallelism:
                shares = dict(zip(now.tasks, edge.shares(records), strict=True))
            else:
                raise _lost(source, now)
            for task, share in shares.items():
                if share:
                    log = found[task].setdefault(f"{sender}→{task}", [])
                    log.append({"records": list(share)})
    return found


def _edge(writer: OperatorMetadata, reader: OperatorMetadata, tasks: Mapping[str, Task]) -> Output:
    edges = tasks[writer.tasks[0]].edges
    return next(each for each in edges if each.channels[0].reader in reader.tasks)


def _lost(source: OperatorMetadata, now: OperatorMetadata) -> FinaleError:
    return FinaleError(
        "in-flight",
        f'records from "{source.name}" to "{now.name}" are in flight, but their channel is gone',
        place=Place(key=f"operators.{now.name}.from"),
        advice="start the job as it was, and stop it with a savepoint: it has no records in flight",
    )
