"""Starting a job from a checkpoint whose barriers have overtaken: what was in flight is dealt out.

RC-11 of the fact sheet, over the rules of `restore` and `unaligned`. What was in flight to a vertex
with another parallelism goes on by the kind of its state: with keyed state to all subtasks whose
ranges overlap that of the former one, each of which drops the records of others (RANGE); otherwise
by turns (ROUND_ROBIN). Edges that hold nothing in flight need nothing (UN-6).
Left out: partitioners that go to the first subtask only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, cast

from model.protocols.barriers.logs import LoggedChannel
from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.coordinator.snapshots import Snapshot
from model.protocols.job.elements import Datum
from model.protocols.restore import Restore, RestoreOptions
from model.protocols.unaligned import Unaligned, UnalignedOptions
from model.topology import Channel as Edge
from model.topology import Kind, Vertex


@dataclass(frozen=True)
class RestoreUnalignedOptions(RestoreOptions, UnalignedOptions):
    """The toggles of a start, and those of barriers that overtake."""


class RestoreUnaligned(Restore, Unaligned):
    """Restore with barriers that overtake."""

    key = "restore-unaligned"
    Options: ClassVar[type] = RestoreUnalignedOptions
    parts = (*Restore.parts, *Unaligned.parts)

    def left_behind(self) -> object:
        """With what was in flight."""
        snapshot = super().left_behind()
        if not isinstance(snapshot, Snapshot):
            return None
        newest = self.newest_completed()
        logs = ((each.name, self.logged(each).log[newest]) for each in self.channels)
        in_flight = ((name, tuple(log.at(i).name for i in range(log.length))) for name, log in logs)
        return replace(snapshot, in_flight=tuple(each for each in in_flight if each[1]))

    def load_state(self, snapshot: Snapshot, first: Checkpoint) -> None:
        super().load_state(snapshot, first)
        assert self.former_job is not None
        in_flight, data = dict(snapshot.in_flight), {each.name: each for each in self.data}
        for former in self.former_job.channels:
            for name in in_flight.get(former.name, ()):
                for channel in self.heirs(former, data[name]):
                    channel.log[first].put(data[name])

    def heirs(self, former: Edge, record: Datum) -> Iterator[LoggedChannel]:
        """RC-11: the channels on which a record goes on that was in flight on a former one."""
        vertex = self.job.vertex(former.receiver.vertex.name)
        senders = self.job.vertex(former.sender.vertex.name).parallelism
        for channel in self.channels:
            edge = channel.edge
            if edge.edge.name == former.edge.name and edge.sender.index == (
                former.sender.index % senders
            ):
                index = edge.receiver.index
                given = self.is_given_on(former, vertex, index)
                if given and self.keeps_in_flight(record, vertex, index):
                    yield cast(LoggedChannel, channel)

    def is_given_on(self, former: Edge, vertex: Vertex, index: int) -> bool:
        """RC-11: whether what was in flight to a former subtask is given to one of the new ones."""
        old, new = former.receiver.vertex.parallelism, vertex.parallelism
        if old == new:
            return index == former.receiver.index
        if vertex.kind is Kind.KEYED:
            # The ranges index / new … (index + 1) / new and those of the former overlap.
            return index * old < (former.receiver.index + 1) * new and (
                former.receiver.index * new < (index + 1) * old
            )
        return index == former.receiver.index % new

    def keeps_in_flight(self, record: Datum, vertex: Vertex, index: int) -> bool:
        """RC-11: whether a subtask keeps a record that it was given: those of its own keys."""
        return vertex.kind is not Kind.KEYED or record.owner_among(vertex.parallelism) == index
