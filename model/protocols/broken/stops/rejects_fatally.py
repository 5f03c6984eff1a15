"""FIN-04: a stop tells a source to end, and hands the savepoint to its mailbox in a second step.

In between the source may end and close its mailbox. That it takes nothing more is then not told to
the coordinator: it ends the process, with all the tasks in it.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from finale.model.protocols.job.elements import CheckpointId, StopMode
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.sources import Reader
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import EMPTY, STRONG, WEAK, PerEntity, Ref, Set, field, require, rule


class RejectsFatally(StopWithSavepoint):
    """StopWithSavepoint with one mistake."""

    must_fall: ClassVar[str] = "legal-never-fails"

    to_enqueue = field(PerEntity(CheckpointId, Set(Ref(Task))), EMPTY)
    """Sources that were told to end, and whose mailbox does not have the savepoint yet."""

    @rule(fair=STRONG)
    def stop_source(self, task: Reader, checkpoint: Checkpoint) -> None:
        """SP-2, SP-3: a source is told to end; it notes no savepoint."""
        require(task.mail.has(checkpoint), task.is_alive)
        require(self.ends_data_of_source(task, checkpoint), lambda: task.sync != checkpoint)
        require(not self.to_enqueue[checkpoint].has(task))
        task.mail.remove(checkpoint)
        self.to_enqueue[checkpoint].add(task)
        drain = checkpoint.kind == CheckpointKind.DRAIN
        task.stop_reading(StopMode.DRAIN if drain else StopMode.NO_DRAIN)

    @rule(fair=WEAK)
    def enqueue_savepoint(self, task: Reader, checkpoint: Checkpoint) -> None:
        """The source has ended: another thread hands the savepoint to its mailbox, or all ends."""
        require(self.to_enqueue[checkpoint].has(task), lambda: task.has_finished)
        self.to_enqueue[checkpoint].remove(task)
        if task.status == TaskStatus.WAITING_FOR_FINAL_CP:
            task.sync = checkpoint
            task.mail.add(checkpoint)
        else:
            self.restart_all()
