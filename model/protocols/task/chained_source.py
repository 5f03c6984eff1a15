"""A source that is chained into a task, and shares the main loop and gate of the task (SP-4)."""

from __future__ import annotations

from finale.model.protocols.job.channels import RecordCount
from finale.model.protocols.job.elements import CheckpointId, Datum, StopMode
from finale.model.rules import Bool, Entity, Enum, PerEntity, define, field, step
from finale.model.topology import Subtask


def _records(source: ChainedSource) -> int:
    return len(source.data)


class ChainedSource(Entity):
    """A source whose records go to the operator of the task that it is chained into."""

    remaining = field(RecordCount, _records)
    """How many records are still to come."""
    ended = field(Bool, False)
    """It has reported the end of its data."""
    aligned = field(Bool, False)
    """Its barrier is there: it emits nothing until those of the other inputs are, too."""
    mode = field(Enum(StopMode), StopMode.NONE, ghost="stops")
    """How a stop has told it to end its data."""
    offset = field(PerEntity(CheckpointId, RecordCount), 0, ghost="recovery")
    """What remained when a checkpoint was taken."""

    def __init__(self, name: str, subtask: Subtask, data: tuple[Datum, ...]) -> None:
        super().__init__(name)
        self.subtask = subtask
        self.data = data

    def after(self, record: Datum) -> int:
        """How many records of its own come after one of them."""
        return len(self.data) - 1 - self.data.index(record)

    @define
    def has_emitted(self, record: Datum) -> bool:
        """Whether it has emitted a record of its own."""
        return self.remaining <= self.after(record)

    @define
    def had_emitted(self, record: Datum, checkpoint: CheckpointId) -> bool:
        """Whether it had emitted a record of its own when a checkpoint was taken."""
        return self.offset[checkpoint] <= self.after(record)

    @define
    def ended_by_itself(self) -> bool:
        """Whether no stop has ended its data."""
        return self.ended and self.mode == StopMode.NONE

    @step
    def restart(self, remaining: int) -> None:
        """A new attempt of its task: so many records are to come."""
        self.remaining = remaining
        self.ended = False
