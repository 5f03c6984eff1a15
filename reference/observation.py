"""What can be seen of an engine between two steps, in plain words: names, numbers and sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reference.channel import Channel
from reference.elements import Barrier, Buffer, CancelBarrier, Element, EndOfData
from reference.formats.snapshots import METADATA
from reference.operators.base import Word
from reference.overtaking import LoggedChannel, OvertakingGate

if TYPE_CHECKING:
    from reference.engine import Engine
    from reference.task import Task


@dataclass(frozen=True)
class TaskSeen:
    """A task, its mailbox and its gate."""

    phase: str
    mail: frozenset[int]
    newest: int | None
    collecting: bool
    started: bool
    given_up: frozenset[int]
    confirmed: int | None
    final: int | None
    secured: bool
    ending: int | None
    stopped: bool | None
    operator: tuple[tuple[str, Word], ...]


@dataclass(frozen=True)
class ChannelSeen:
    """A channel: each element is its kind and what it carries."""

    queue: tuple[tuple[str, Word], ...]
    data_ended: bool
    stopped: bool
    ended: bool
    aligned: bool
    blocked: bool
    recovered: tuple[str, ...]
    log: tuple[tuple[int, tuple[str, ...]], ...]
    """What was in flight, by checkpoint, as far as it is not written down."""


@dataclass(frozen=True)
class CheckpointSeen:
    """A checkpoint at the coordinator, and the messages about it that are under way."""

    status: str
    kind: str
    finished: frozenset[str]
    awaited: frozenset[str]
    triggers: frozenset[str]
    acknowledgements: frozenset[str]
    declined: bool
    confirmations: frozenset[str]
    aborts: tuple[tuple[str, int | None], ...]


@dataclass(frozen=True)
class Observation:
    """Equal observations are states that no step can tell apart."""

    happened: tuple[tuple[str, int], ...]
    job_finished: frozenset[str]
    job: tuple[tuple[str, Word], ...]
    """What a protocol knows of the job as a whole."""
    newest_completed: int | None
    tasks: tuple[tuple[str, TaskSeen], ...]
    channels: tuple[tuple[str, ChannelSeen], ...]
    checkpoints: tuple[tuple[int, CheckpointSeen], ...]
    files: tuple[tuple[str, tuple[bytes, ...]], ...]
    """What is on disk, by its lines, in whatever order tasks have written them; but for metadata,
    which repeats what is said above."""


def observation_of(engine: Engine) -> Observation:
    """What can be seen of an engine now."""
    names = engine.files.under("")
    return Observation(
        happened=tuple(vars(engine.happened).items()),
        job_finished=frozenset(engine.coordinator.finished),
        job=engine.seen(),
        newest_completed=engine.store.newest,
        tasks=tuple((name, _task(task)) for name, task in engine.tasks.items()),
        channels=tuple((name, _channel(channel)) for name, channel in engine.channels.items()),
        checkpoints=tuple(
            (number, _checkpoint(engine, number)) for number in engine.coordinator.checkpoints
        ),
        files=tuple(
            (name, tuple(sorted(engine.files.read(name).splitlines())))
            for name in names
            if not name.endswith(METADATA)
        ),
    )


def _task(task: Task) -> TaskSeen:
    return TaskSeen(
        phase=task.phase.value,
        mail=frozenset(task.mail),
        newest=task.gate.newest,
        collecting=task.gate.collecting,
        started=isinstance(task.gate, OvertakingGate) and task.gate.started,
        given_up=frozenset(task.given_up),
        confirmed=task.confirmed,
        final=task.final,
        secured=task.secured,
        ending=task.ending,
        stopped=task.stopped,
        operator=task.operator.seen(),
    )


def _channel(channel: Channel) -> ChannelSeen:
    logged = channel if isinstance(channel, LoggedChannel) else None
    return ChannelSeen(
        queue=tuple(_element(element) for element in channel.queue),
        data_ended=channel.data_ended,
        stopped=channel.stopped,
        ended=channel.ended,
        aligned=channel.aligned,
        blocked=channel.blocked,
        recovered=_records(logged.recovered) if logged else (),
        log=tuple((c, _records(log)) for c, log in logged.log.items()) if logged else (),
    )


def _records(buffers: Sequence[Buffer]) -> tuple[str, ...]:
    return tuple(str(record) for buffer in buffers for record in buffer.records)


def _element(element: Element) -> tuple[str, Word]:
    match element:
        case Buffer():
            return "records", tuple(str(record) for record in element.records)
        case Barrier():
            return "barrier", element.checkpoint
        case CancelBarrier():
            return "cancel", element.checkpoint
        case EndOfData():
            return "end-of-data", element.drain
        case _:
            return "end-of-partition", None


def _checkpoint(engine: Engine, number: int) -> CheckpointSeen:
    known, network = engine.coordinator.checkpoints[number], engine.network

    aborts = {task: latest for (task, about), latest in network.aborts.items() if about == number}

    def concerned(calls: set[tuple[str, int]]) -> frozenset[str]:
        return frozenset(task for task, checkpoint in calls if checkpoint == number)

    return CheckpointSeen(
        status=known.status.value,
        kind=known.kind.value,
        finished=frozenset(known.finished),
        awaited=frozenset(known.awaited),
        triggers=concerned(network.triggers),
        acknowledgements=concerned(network.acknowledgements),
        declined=number in network.declines,
        confirmations=concerned(network.confirmations),
        aborts=tuple(sorted(aborts.items())),
    )


__all__ = ["ChannelSeen", "CheckpointSeen", "Observation", "TaskSeen"]
