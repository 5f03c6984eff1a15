"""Who gets which state: what is in a snapshot is dealt out to the subtasks that start from it.

Models RC-4, RC-5 and RC-6 of the fact sheet. As long as the parallelism stays, list and keyed state
stays with its subtask, and what a finished subtask had is gone. With another parallelism list state
is dealt out entry by entry and keyed state by ranges of key groups. Union state goes to everybody,
and broadcast state is copied from those that have reported a copy.
"""

from __future__ import annotations

import enum

from model.protocols.job.elements import CheckpointId, Datum
from model.protocols.task.execution import TaskExecution
from model.protocols.task.stateful import DEALT_OUT, Share, Stateful
from model.protocols.task.tasks import Task
from model.rules import Setting, count, define, step
from model.topology import Kind, Vertex


class BroadcastFrom(enum.Enum):
    """RC-5: whose copy of broadcast state is handed on where the parallelism has changed."""

    REPORTERS = "reporters"
    FIRST = "first"


class Assignment(TaskExecution):
    """A job whose state is dealt out when it starts from a checkpoint."""

    #: RC-5: whose copy of broadcast state is handed on.
    broadcast_from: BroadcastFrom = BroadcastFrom.REPORTERS

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.shares = tuple(
            Share(vertex, index, self.data_at[vertex])
            for vertex in self.job.vertices
            if vertex.kind in DEALT_OUT
            for index in range(max(vertex.parallelism, self.former_parallelism(vertex)))
        )
        for task in self.tasks:
            if isinstance(task, Stateful):
                task.data = self.data_at[task.subtask.vertex]

    def former_parallelism(self, vertex: Vertex) -> int:
        """The parallelism of a vertex in the snapshot that the job is started from."""
        return vertex.parallelism

    @define
    def is_rescaled(self, vertex: Vertex, checkpoint: CheckpointId) -> bool:
        """Whether a checkpoint was taken when the vertex had another parallelism."""
        return False

    def shares_of(self, vertex: Vertex) -> tuple[Share, ...]:
        """The shares of the subtasks of a vertex, also of those that are no more."""
        return tuple(share for share in self.shares if share.vertex == vertex)

    def share_of(self, task: Stateful) -> Share:
        """What a task puts into snapshots."""
        return self.shares_of(task.subtask.vertex)[task.subtask.index]

    @step
    def keep_snapshot(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-5, RC-6: the state of an operator becomes part of the checkpoint."""
        super().keep_snapshot(task, checkpoint)
        if isinstance(task, Stateful) and self.keeps_snapshots:
            self.share_of(task).keep(task, checkpoint)

    @step
    def restore_from(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-4, RC-5, RC-6: a task gets its state."""
        super().restore_from(task, checkpoint)
        if isinstance(task, Stateful):
            task.start_afresh()
            self.assign(task, checkpoint)

    @step
    def assign(self, task: Stateful, checkpoint: CheckpointId) -> None:
        """RC-5, RC-6: by its kind."""
        vertex = task.subtask.vertex
        if vertex.kind == Kind.UNION_STATE:
            for share in self.shares_of(vertex):
                share.hand_over_all(task, checkpoint)
        elif vertex.kind == Kind.BROADCAST_STATE:
            self.copy_broadcast(task, checkpoint)
        elif not self.is_rescaled(vertex, checkpoint):
            self.share_of(task).hand_over_all(task, checkpoint)
        elif vertex.kind == Kind.KEYED:
            self.take_keys(task, checkpoint)
        else:
            self.deal_out(task, checkpoint)

    @step
    def take_keys(self, task: Stateful, checkpoint: CheckpointId) -> None:
        """RC-6: a subtask gets the keys of its range, whoever had them."""
        vertex, index = task.subtask.vertex, task.subtask.index
        for share in self.shares_of(vertex):
            for record in task.data:
                if record.owner_among(vertex.parallelism) == index:
                    share.hand_over(record, task, checkpoint)

    @step
    def deal_out(self, task: Stateful, checkpoint: CheckpointId) -> None:
        """RC-5: the entries of list state go round the subtasks."""
        shares = self.shares_of(task.subtask.vertex)
        entries = tuple((share, record) for share in shares for record in task.data)
        for position in range(len(entries)):
            self._deal(entries[position], entries[:position], task, checkpoint)

    @step
    def _deal(
        self,
        entry: tuple[Share, Datum],
        before: tuple[tuple[Share, Datum], ...],
        task: Stateful,
        checkpoint: CheckpointId,
    ) -> None:
        parallelism, index = task.subtask.vertex.parallelism, task.subtask.index
        rank = count(before, lambda each: each[0].has_entry(checkpoint, each[1]))
        turns = tuple(range(index, len(before) + 1, parallelism))
        if any(rank == turn for turn in turns):
            entry[0].hand_over(entry[1], task, checkpoint)

    # --- broadcast state -------------------------------------------------------------------------

    @step
    def copy_broadcast(self, task: Stateful, checkpoint: CheckpointId) -> None:
        """RC-5: its own copy or, where it has none, one of those that were reported, by turns."""
        shares = self.shares_of(task.subtask.vertex)
        if self.is_rescaled(task.subtask.vertex, checkpoint):
            if self.broadcast_from == BroadcastFrom.FIRST:
                shares[0].hand_over_all(task, checkpoint)
            else:
                self._copy_by_turns(task, checkpoint)
        elif self.share_of(task).reported.has(checkpoint):
            self.share_of(task).hand_over_all(task, checkpoint)
        else:
            self._copy_by_turns(task, checkpoint)

    @step
    def _copy_by_turns(self, task: Stateful, checkpoint: CheckpointId) -> None:
        shares = self.shares_of(task.subtask.vertex)
        for position in range(len(shares)):
            if self._is_turn(position, task, checkpoint):
                shares[position].hand_over_all(task, checkpoint)

    @define
    def _is_turn(self, position: int, task: Stateful, checkpoint: CheckpointId) -> bool:
        """Whether the copy of one subtask is the one that a task gets: the (i mod n)-th."""
        shares, index = self.shares_of(task.subtask.vertex), task.subtask.index
        reporters = count(shares, lambda each: each.reported.has(checkpoint))
        rank = count(shares[:position], lambda each: each.reported.has(checkpoint))
        numbers = tuple(range(1, len(shares) + 1))
        is_next = any(reporters == n and rank == index % n for n in numbers)
        return shares[position].reported.has(checkpoint) and is_next
