"""A task: one parallel part of a vertex, with its mailbox, its gate and its operator."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reference.channel import Channel, NoRoom
from reference.elements import Buffer, Element, Record
from reference.gate import Gate
from reference.operators.base import Operator, Source

Partitioner = Callable[[Record, int], int]
"""Which of so many channels takes a record."""


class Phase(enum.Enum):
    """The life of a task."""

    RESTORING = "restoring"
    RUNNING = "running"
    FINISHING = "finishing"
    """Its operator has finished, and what it emitted last is not secured yet."""
    DRAINING = "draining"
    """Nothing holds it any more; its mailbox takes nothing new, and works off what it has."""
    CLOSED = "closed"
    FAILED = "failed"
    """It has ended, and is not started again."""


@dataclass(frozen=True)
class Output:
    """An edge out of a task. Without a partitioner each record goes along all channels."""

    channels: tuple[Channel, ...]
    partitioner: Partitioner | None
    mark: Callable[[Record], Record] | None = None
    """What becomes of a record along the edge, if anything."""


class Task:
    """What a task knows. What it does next is its engine's to say."""

    def __init__(
        self,
        name: str,
        make: Callable[[], Operator],
        gate: Gate,
        outputs: Sequence[Output],
        *,
        buffer_size: int | None = None,
    ) -> None:
        self.name = name
        self.make = make
        self.gate = gate
        self.edges = tuple(outputs)
        self.outputs = tuple(channel for edge in outputs for channel in edge.channels)
        #: How many records a buffer takes at most.
        self.buffer_size = buffer_size
        self.begin(Phase.RUNNING)
        self.operator = make()

    def begin(self, phase: Phase) -> None:
        """A new attempt, which knows nothing."""
        self.phase = phase
        self.mail: set[int] = set()
        """Checkpoints whose trigger has come and was not run."""
        self.given_up: set[int] = set()
        """Checkpoints that were aborted before their turn came here."""
        self.confirmed: int | None = None
        self.final: int | None = None
        """The first checkpoint that has all that the operator ever emitted."""
        self.secured = False
        """Such a checkpoint is durable."""
        self.ending: int | None = None
        """The savepoint that ends the job, once the task knows of it."""
        self.stopped: bool | None = None
        """A stop has ended the data of a source; with drain, if it is true."""
        self.gate.reset()

    @property
    def inputs(self) -> tuple[Channel, ...]:
        return self.gate.inputs

    @property
    def source(self) -> Source | None:
        return self.operator if isinstance(self.operator, Source) else None

    @property
    def lives(self) -> bool:
        """Its main loop runs."""
        return self.phase not in (Phase.RESTORING, Phase.CLOSED, Phase.FAILED)

    @property
    def has_finished(self) -> bool:
        """Its operator has."""
        return self.phase in (Phase.FINISHING, Phase.DRAINING, Phase.CLOSED)

    def reads(self, channel: Channel) -> bool:
        return self.lives and not channel.blocked

    # --- output ----------------------------------------------------------------------------------

    def broadcast(self, element: Element) -> None:
        """An element that controls goes along every channel. Raises `NoRoom`."""
        for channel in self.outputs:
            channel.put(element)

    def emit(self, records: Sequence[Record]) -> None:
        """Records go along one channel of each edge, or along all. Raises `NoRoom`."""
        for edge in self.edges:
            along = records if edge.mark is None else [edge.mark(record) for record in records]
            for channel, share in zip(edge.channels, _shares(edge, along), strict=True):
                self._put(channel, share)

    def _put(self, channel: Channel, records: Sequence[Record]) -> None:
        size = self.buffer_size or len(records) or 1
        for first in range(0, len(records), size):
            channel.put(Buffer(tuple(records[first : first + size])))

    def has_room(self, slots: int) -> bool:
        """Whether each channel out takes so many elements."""
        return all(channel.room >= slots for channel in self.outputs)


def _shares(edge: Output, records: Sequence[Record]) -> list[Sequence[Record]]:
    count = len(edge.channels)
    if edge.partitioner is None:
        return [records] * count
    if count == 1:
        return [records]
    shares: list[list[Record]] = [[] for _ in range(count)]
    for record in records:
        shares[edge.partitioner(record, count)].append(record)
    return list(shares)


__all__ = ["NoRoom", "Output", "Partitioner", "Phase", "Task"]
