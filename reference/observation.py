"""Observes an engine between two steps, as names, numbers and sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from finale.reference.channel import Channel
from finale.reference.coordinator import Status
from finale.reference.formats.snapshots import METADATA
from finale.reference.operators.base import Word

from .channel import Barrier, Buffer, CancelBarrier, Element, EndOfData

if TYPE_CHECKING:
    from finale.reference.engine import Engine
    from finale.reference.task import Task

SeenParts = tuple[tuple[str, Any], ...]
"""What is seen of a part, by names."""

#: Of these parts what is seen is what they know.
TASK = (
    "mail", "given_up", "confirmed", "final", "secured", "ending", "stopped", "stalled",
    "was_finished",
)  # fmt: skip
GATE = ("newest", "collecting", "started", "hurrying")
CHANNEL = ("data_ended", "stopped", "ended", "aligned", "blocked", "hurried")


@dataclass(frozen=True)
class Observation:
    """Equal observations are states that no step can tell apart."""

    happened: SeenParts
    job_finished: frozenset[str]
    job: SeenParts
    """What a protocol knows of the job as a whole."""
    newest_completed: int | None
    tasks: tuple[tuple[str, SeenParts], ...]
    """Each with its mailbox, its gate and its operator."""
    channels: tuple[tuple[str, SeenParts], ...]
    """Each with its elements: a kind, and what it carries. The log is what was in flight, by
    checkpoint, as far as it is not written down."""
    checkpoints: tuple[tuple[int, SeenParts], ...]
    """At the coordinator, with the messages about it that are under way."""
    files: tuple[tuple[str, tuple[bytes, ...]], ...]
    """What is on disk, by its lines, in whatever order tasks have written them; but for metadata,
    which repeats what is said above."""


def observation_of(engine: Engine) -> Observation:
    """Return the observation of an engine."""
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


def _known(part: object, names: Iterable[str]) -> SeenParts:
    values = ((name, getattr(part, name, None)) for name in names)
    return tuple((name, FROZEN.get(v.__class__, _as_it_is)(v)) for name, v in values)


def _as_it_is(value: Any) -> Any:
    return value


FROZEN: dict[type, Callable[[Any], Any]] = {set: frozenset}


def _task(task: Task) -> SeenParts:
    own = ("phase", task.phase.value), ("operator", task.operator.seen())
    return own + _known(task, TASK) + _known(task.gate, GATE)


def _channel(channel: Channel) -> SeenParts:
    log: dict[int, list[Buffer]] = getattr(channel, "log", {})
    return (
        ("queue", tuple(_element(element) for element in channel.queue)),
        ("recovered", _records(getattr(channel, "recovered", ()))),
        ("log", tuple((checkpoint, _records(logged)) for checkpoint, logged in log.items())),
        *_known(channel, CHANNEL),
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


def _checkpoint(engine: Engine, number: int) -> SeenParts:
    """Of one that is decided it is of no use any more whom it has waited for, and who had finished
    if nothing can be started from it."""
    known, network = engine.coordinator.checkpoints[number], engine.network
    matters = known.status in (Status.PENDING, Status.COMPLETED)
    aborts = {task: latest for (task, about), latest in network.aborts.items() if about == number}

    def concerned(calls: set[tuple[str, int]]) -> frozenset[str]:
        return frozenset(task for task, checkpoint in calls if checkpoint == number)

    return (
        ("status", known.status.value),
        ("kind", known.kind.value),
        ("finished", frozenset(known.finished if matters else ())),
        ("awaited", frozenset(known.awaited if known.is_pending else ())),
        ("triggers", concerned(network.triggers)),
        ("acknowledgements", concerned(network.acknowledgements)),
        ("declined", number in network.declines),
        ("confirmations", concerned(network.confirmations)),
        ("overtaken_by", frozenset(each for each in known.told_after if each > number)),
        ("aborts", tuple(sorted(aborts.items()))),
    )
