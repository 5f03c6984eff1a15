"""What flows through a channel, and the things that a checkpointing protocol has ids for.

Models 1.5 and 1.6 of the fact sheet. Left out: latency markers, announcements of barriers.
"""

from __future__ import annotations

import enum

from finale.model.language.collections import MapOf
from finale.model.rules import Bool, Entity, PerEntity, Range, Record, Ref, part, step
from finale.model.topology import Edge, Subtask


class Datum(Entity):
    """A source record on one path through the job: its effect on the way to one sink.

    One `of_clock` was made by a timer, at a time that nothing but the clock determines.

    Where a vertex has several edges out, what goes along each is a datum of its own (`along`), so
    that an effect that arrives twice by two paths is not taken for a duplicate.
    """

    #: Of a watermark: which time has come.
    time = 0

    def __init__(
        self,
        name: str,
        source: Subtask,
        number: int,
        *,
        key_groups: int = 1,
        of_clock: bool = False,
    ) -> None:
        super().__init__(name)
        self.of_clock = of_clock
        self.source = source
        self.number = number
        self.key_groups = key_groups
        self.along: dict[Edge, Datum] = {}

    def on(self, edge: Edge) -> Datum:
        """What goes along an edge; itself where it never comes, as a symbolic record might."""
        return self.along.get(edge, self)

    def owner_among(self, parallelism: int) -> int:
        """RC-6: which subtask has the record's key: each has a range of the key groups.

        A record's number is its key, and each key of a source a group of its own.
        """
        return (self.number - 1) % self.key_groups * parallelism // self.key_groups


class Watermark(Datum):
    """A time has come, as far as the sender knows. It travels among the records, as data (1.5)."""

    def __init__(self, name: str, source: Subtask, time: int) -> None:
        super().__init__(name, source, 0)
        self.time = time


#: An effect that is there this often is there too often.
TOO_OFTEN = 2

#: For each record how often its effect is there: 0, 1, 2 (two or more), so that doubling shows.
Effects = PerEntity(Datum, Range(0, TOO_OFTEN))


@step
def add_effect(effects: MapOf[Datum, int], record: Datum, times: int = 1) -> None:
    """The effect of a record is there so many times more."""
    total = effects[record] + times
    effects[record] = TOO_OFTEN if total > TOO_OFTEN else total


@step
def clear_effects(effects: MapOf[Datum, int], data: tuple[Datum, ...]) -> None:
    """No effect is there any more."""
    for record in data:
        effects[record] = 0


class CheckpointId(Entity):
    """A checkpoint by its id. Ids are ordered by when they were given."""

    def __init__(self, number: int) -> None:
        super().__init__(f"cp{number}")
        self.number = number


class Data(Record):
    """A record, or what an operator made of one: its effect is the source record's."""

    record: Datum = part(Ref(Datum))


class Barrier(Record):
    """What comes before it belongs to the checkpoint, what comes after it does not."""

    checkpoint: CheckpointId = part(Ref(CheckpointId))


class CancelBarrier(Record):
    """The checkpoint is given up: do not wait for its barrier (AL-3)."""

    checkpoint: CheckpointId = part(Ref(CheckpointId))


class EndOfData(Record):
    """No more records will come; the sender still runs.

    `drain`: its operators have finished (FC-1); not so where the job is stopped to go on later.
    """

    drain: bool = part(Bool)


class StopMode(enum.Enum):
    """How a stop ends a source's data."""

    NONE = "none"
    DRAIN = "drain"
    NO_DRAIN = "no drain"


class EndOfPartition(Record):
    """The last element of a channel: the sender has closed (FC-9)."""


class Tag(Entity):
    """What a set of committables is called. Tags are ordered; the last is above all checkpoints."""


class Committables(Record):
    """What a writer has staged under a tag is handed over to its committer."""

    tag: Tag = part(Ref(Tag))


AnyElement = Data | EndOfData | Barrier | CancelBarrier | EndOfPartition | Committables
"""What a channel may hold."""
