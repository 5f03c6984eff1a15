"""Operators with state that a restart deals out: list state, broadcast state, keyed state.

Models the kinds of state of RC-5 and RC-6 of the fact sheet. An operator keeps every record that it
has processed; how often is counted, so that a record that was there already shows. What a subtask
put into a snapshot is its share of the vertex. A vertex that is started with another parallelism
has shares of subtasks that are no more.
"""

from __future__ import annotations

from finale.model.protocols.job.elements import (
    CheckpointId,
    Datum,
    Effects,
    add_effect,
    clear_effects,
)
from finale.model.protocols.task.tasks import Task
from finale.model.rules import EMPTY, Entity, PerEntity, Ref, Set, define, field, step
from finale.model.topology import OperatorKind, Vertex

#: What is dealt out anew when a vertex is started with another parallelism.
DEALT_OUT = (
    OperatorKind.SPLIT_STATE,
    OperatorKind.UNION_STATE,
    OperatorKind.BROADCAST_STATE,
    OperatorKind.KEYED,
)


class Stateful(Task):
    """A task that keeps the records that it has processed, and passes them on."""

    state = field(Effects, 0)

    data: tuple[Datum, ...] = ()

    @step
    def work(self, record: Datum) -> None:
        """A record is kept, and passed on."""
        add_effect(self.state, record)
        super().work(record)

    @step
    def start_afresh(self) -> None:
        clear_effects(self.state, self.data)

    @define
    def keeps_nothing(self) -> bool:
        """Whether its state is empty."""
        return all(self.state[record] == 0 for record in self.data)


class Share(Entity):
    """What one subtask of a vertex has put into snapshots."""

    content = field(PerEntity(CheckpointId, Effects), 0)
    reported = field(Set(Ref(CheckpointId)), EMPTY)
    """The checkpoints that the subtask took part in: one that had finished reported nothing."""

    def __init__(self, vertex: Vertex, index: int, data: tuple[Datum, ...]) -> None:
        # The name says the index always: it must be the same in a job with another parallelism.
        super().__init__(f"{vertex.name}.{index}.share")
        self.vertex = vertex
        self.index = index
        self.data = data

    @step
    def keep(self, task: Stateful, checkpoint: CheckpointId) -> None:
        """The subtask takes its part of a checkpoint."""
        self.content[checkpoint] = task.state
        self.reported.add(checkpoint)

    @define
    def has_entry(self, checkpoint: CheckpointId, record: Datum) -> bool:
        """Whether a record is in the share."""
        return self.content[checkpoint][record] > 0

    @define
    def is_empty(self, checkpoint: CheckpointId) -> bool:
        """Whether nothing is in the share."""
        return all(self.content[checkpoint][record] == 0 for record in self.data)

    @step
    def hand_over(self, record: Datum, task: Stateful, checkpoint: CheckpointId) -> None:
        """A record of the share becomes part of a task's state."""
        task.state[record] = max(task.state[record], self.content[checkpoint][record])

    @step
    def hand_over_all(self, task: Stateful, checkpoint: CheckpointId) -> None:
        """All records of the share become part of a task's state."""
        for record in self.data:
            self.hand_over(record, task, checkpoint)
