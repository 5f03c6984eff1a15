"""A checkpoint as the coordinator knows it: its plan, its messages under way, what came of it.

Models `PendingCheckpoint` and `CompletedCheckpoint` (1.1, 1.2 of the fact sheet).
"""

from __future__ import annotations

import enum

from finale.model.language.collections import SetOf
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.tasks import Task
from finale.model.rules import EMPTY, Bool, Enum, Nothing, Option, Ref, Set, define, field, step


class CheckpointStatus(enum.Enum):
    """What the coordinator knows of a checkpoint id."""

    UNUSED = "unused"
    PENDING = "pending"
    COMPLETED = "completed"
    ABORTED = "aborted"


class CheckpointKind(enum.Enum):
    """What a checkpoint is for: to restart from, or what a user asked for."""

    CHECKPOINT = "checkpoint"
    SAVEPOINT = "savepoint"
    DRAIN = "drain"
    SUSPEND = "suspend"


UNUSED, PENDING = CheckpointStatus.UNUSED, CheckpointStatus.PENDING
COMPLETED, ABORTED = CheckpointStatus.COMPLETED, CheckpointStatus.ABORTED


class Checkpoint(CheckpointId):
    """One checkpoint: its plan, the messages under way for it, and what came of it."""

    status = field(Enum(CheckpointStatus), UNUSED, effect=(COMPLETED,))
    kind = field(Enum(CheckpointKind), CheckpointKind.CHECKPOINT, ghost="kinds")
    """Kept by protocols with more than one kind."""
    finished = field(Set(Ref(Task)), EMPTY)
    """Tasks that the plan counts as finished; all others must acknowledge."""
    triggers = field(Set(Ref(Task)), EMPTY, messages="to")
    """Trigger RPCs under way."""
    awaited = field(Set(Ref(Task)), EMPTY)
    """Tasks whose acknowledgement is missing."""
    acknowledgements = field(Set(Ref(Task)), EMPTY, messages="from")
    """Acknowledgements under way."""
    declined = field(Bool, False, messages="held")
    """A decline is under way."""
    confirmations = field(Set(Ref(Task)), EMPTY, messages="to")
    """Tasks to which a notification is under way: the checkpoint is complete (CN-2)."""
    aborts = field(Set(Ref(Task)), EMPTY, messages="to")
    """Tasks to which a notification is under way: the checkpoint was aborted (AB-3)."""
    overtaken_by = field(Set(Ref(CheckpointId)), EMPTY, ghost="completion-order")
    """Newer checkpoints that had completed when this one did, and were still being confirmed."""
    latest = field(Option(Ref(CheckpointId)), Nothing)
    """The newest completed checkpoint when this one was aborted: its aborts carry it (CN-3)."""
    operators_finished = field(Set(Ref(Task)), EMPTY, ghost="union")
    """Tasks that acknowledged with their operators' end behind them (PL-8)."""

    @property
    def is_pending(self) -> bool:
        return self.status == PENDING

    @property
    def is_completed(self) -> bool:
        return self.status == COMPLETED

    @define
    def has_some(self, tasks: tuple[Task, ...], among: SetOf[Task]) -> bool:
        """Whether one of the tasks is in a set of this checkpoint."""
        return any(among.has(task) for task in tasks)

    @define
    def has_all(self, tasks: tuple[Task, ...], among: SetOf[Task]) -> bool:
        """Whether all of the tasks are in a set of this checkpoint."""
        return all(among.has(task) for task in tasks)

    @step
    def drop(self, task: Task) -> None:
        """What is under way to a task has no receiver any more."""
        self.confirmations.remove(task)
        self.notified_of_abort(task)

    @step
    def notified_of_abort(self, task: Task) -> None:
        """The abort has reached a task; with the last one, what they carried is forgotten."""
        self.aborts.remove(task)
        if self.aborts.is_empty:
            self.latest = Nothing
