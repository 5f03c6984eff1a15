"""A task: one parallel part of a vertex, with its mailbox, its gate and its operator."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from finale.reference.channel import Channel, NoRoom
from finale.reference.gate import Gate
from finale.reference.operators.base import Operator, SourceOperator

from .channel import Buffer, Element, Record

Partitioner = Callable[[Sequence[Record], int], Sequence[Sequence[Record]]]
"""What each of so many channels takes of some records."""


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

    def shares(self, records: Sequence[Record]) -> Sequence[Sequence[Record]]:
        """Return the records that go to each of its channels."""
        return _shares(self, records)


class Task:
    """The state of a task. The engine decides its next step."""

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
        self.stalled = False
        """It waits for what becomes of that savepoint, and does nothing else."""
        self.stopped: bool | None = None
        """A stop has ended the data of a source; with drain, if it is true."""
        self.was_finished = False
        """It was restored from a checkpoint before which it had FINISHED (RC-7)."""
        self.watermark: int | None = None
        """The operator knows that no record before this time follows."""
        self.gate.reset()

    @property
    def inputs(self) -> tuple[Channel, ...]:
        return self.gate.inputs

    @property
    def source(self) -> SourceOperator | None:
        return self.operator if isinstance(self.operator, SourceOperator) else None

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

    def emit(self, records: Sequence[Record], watermark: int | None = None) -> None:
        """Records go along one channel of each edge, or along all, and a watermark along all.

        Raises `NoRoom`.
        """
        for edge in self.edges:
            along = records if edge.mark is None else [edge.mark(record) for record in records]
            for channel, share in zip(edge.channels, _shares(edge, along), strict=True):
                self._put(channel, share, watermark)

    def _put(self, channel: Channel, records: Sequence[Record], watermark: int | None) -> None:
        size = self.buffer_size or len(records) or 1
        last = max(len(records) - size, 0)
        for first in range(0, max(len(records), watermark is not None), size):
            share = tuple(records[first : first + size])
            channel.put(Buffer(share, watermark if first >= last else None))

    @property
    def watermark_of_inputs(self) -> int | None:
        """No record before this time follows over any input; None where that is not known."""
        ended = (each.data_ended or each.ended for each in self.inputs)
        live = [i for i, over in zip(self.inputs, ended, strict=True) if i.stopped or not over]
        known = [each.watermark for each in live if each.watermark is not None]
        return min(known) if known and len(known) == len(live) else None

    def has_room(self, slots: int) -> bool:
        """Whether each channel out takes so many elements."""
        return all(channel.room >= slots for channel in self.outputs)


def _shares(edge: Output, records: Sequence[Record]) -> Sequence[Sequence[Record]]:
    count = len(edge.channels)
    if edge.partitioner is None or count == 1:
        return [records] * count
    return edge.partitioner(records, count)


__all__ = ["NoRoom", "Output", "Partitioner", "Phase", "Task"]
