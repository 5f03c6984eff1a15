"""Planted mistakes of `restore` and `restore-unaligned`."""

from __future__ import annotations

from collections.abc import Mapping

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.coordinator.metadata import Encoding
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId, Data, Datum
from finale.model.protocols.restore import Restore
from finale.model.protocols.restore_unaligned import RestoreUnaligned
from finale.model.protocols.task.stateful import Stateful
from finale.model.protocols.task.tasks import Task
from finale.model.rules import STRONG, require, rule, step
from finale.model.topology import OperatorKind, Vertex


class RedistributesByIndex(Restore):
    """Keyed state stays with its subtask, also where there are more subtasks than before.

    Keys are sent to the subtasks that have their ranges, and these do not have what belongs to
    them.
    """

    variant, must_fall = "redistributes-by-index", "each-key-at-its-owner"

    @step
    def take_keys(self, task: Stateful, checkpoint: CheckpointId) -> None:
        """A subtask gets what the one with its index had."""
        self.share_of(task).hand_over_all(task, checkpoint)


class ForgetsMarks(Restore):
    """What was started as finished is not marked as finished in the checkpoints that follow.

    The next start from one of them runs the operators of the vertex again.
    """

    variant, must_fall = "forgets-marks", "finished-stays-marked"

    @step
    def mark_finished_on_restore(self, checkpoint: Checkpoint) -> None:
        """Nobody looks at how the task was started."""


class ForgetsMarksOfSources(Restore):
    """A source that was started as finished is not marked so in the checkpoints that follow.

    Only what reads others is: the next start from one of them runs the source again, for nobody.
    """

    variant, must_fall = "forgets-marks-of-sources", "finished-set-is-closed"

    @step
    def mark_finished_on_restore(self, checkpoint: Checkpoint) -> None:
        """PL-8 for tasks that have inputs."""
        for task in self.tasks:
            if task.inputs and self.skipping.has(task):
                checkpoint.finished.add(task)


class Lasting(Stateful):
    """Keyed state that a new attempt does not clear."""

    @step
    def start_afresh(self) -> None:
        """Nothing is cleared for a new attempt."""


class KeepsOldKeys(Restore):
    """Keyed state outlives the attempt: what was processed since the checkpoint is processed
    again."""

    variant, must_fall = "keeps-old-keys", "each-key-at-its-owner"

    @property
    def task_classes(self) -> Mapping[OperatorKind, type[Task]]:
        return {**super().task_classes, OperatorKind.KEYED: Lasting}


class PlainMinus(Encoding):
    """The special numbers without the offset of one."""

    def mark(self, index: int) -> int:
        """How a subtask is written that has finished."""
        return -index


class MarksFromZero(Restore):
    """A finished subtask is written as its index with a minus: that of the first one is no mark.

    Minus zero is zero, so the first subtask is read as one that runs and has left nothing behind:
    it starts for the first time.
    """

    variant, must_fall = "marks-from-zero", "each-record-is-kept"

    @property
    def encoding(self) -> Encoding:
        return PlainMinus(self.metadata)


class CopiesUnaligned(Restore):
    """A task goes on reading a channel whose barrier has come, and puts into its copy what it
    reads.

    The copies of broadcast state in one checkpoint then differ (S16), as they do where barriers
    overtake records on broadcast edges (V-13).
    """

    variant, must_fall = "copies-unaligned", "broadcast-copies-agree"

    @rule(fair=STRONG)
    def poll_data(self, channel: Channel) -> None:
        """A task processes the record at the head of a channel, blocked or not."""
        task = self.reader(channel)
        require(task.is_alive, channel.queue.head == Data)
        self.process(task, channel)


class KeepsOwnUnion(Restore):
    """Each subtask is restored with its own part of union state instead of all parts."""

    variant, must_fall = "keeps-own-union", "restored-union-is-whole"

    @step
    def assign(self, task: Stateful, checkpoint: CheckpointId) -> None:
        """Each subtask gets its own part of union state back."""
        if task.subtask.vertex.kind == OperatorKind.UNION_STATE:
            self.share_of(task).hand_over_all(task, checkpoint)
        else:
            super().assign(task, checkpoint)


class ClearsWhatIsPlanned(Restore):
    """The state of a task goes as soon as a plan counts it as finished, before that completes."""

    variant, must_fall = "clears-what-is-planned", "each-record-is-kept"

    @step
    def compute_plan(self, checkpoint: Checkpoint) -> None:
        """PL-2.4, and what has finished gives its state back."""
        super().compute_plan(checkpoint)
        for task in self.tasks:
            if isinstance(task, Stateful):
                self.clear_if_counted(task, checkpoint)

    @step
    def clear_if_counted(self, task: Stateful, checkpoint: Checkpoint) -> None:
        """The state of a task that is counted as finished is cleared."""
        if checkpoint.finished.has(task):
            task.start_afresh()


class DealsToTheFirst(Restore):
    """All entries of list state go to the first subtask instead of round all of them."""

    variant, must_fall = "deals-to-the-first", "list-state-goes-round"

    @step
    def deal_out(self, task: Stateful, checkpoint: CheckpointId) -> None:
        """The first subtask gets all entries."""
        for share in self.shares_of(task.subtask.vertex) if task.subtask.index == 0 else ():
            share.hand_over_all(task, checkpoint)


class ReplicatesUnfiltered(RestoreUnaligned):
    """What was in flight to keyed state goes to all whose ranges overlap, and nobody filters it.

    Each of them processes the record: the key has state at subtasks that do not own it.
    """

    variant, must_fall = "replicates-unfiltered", "each-key-at-its-owner"

    def keeps_in_flight(self, record: Datum, vertex: Vertex, index: int) -> bool:
        """A subtask keeps all that it was given."""
        return True
