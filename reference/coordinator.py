"""The checkpoint coordinator: it plans, triggers, completes and aborts checkpoints.

Messages between the coordinator and the tasks arrive some time later, or never.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from finale.reference.formats.snapshots import CheckpointStore

Call = tuple[str, int]
"""A task, and the checkpoint that the message speaks of."""


@dataclass(eq=False)
class Network:
    """The messages under way. Each exists at most once; kinds do not wait for each other."""

    triggers: set[Call] = field(default_factory=set[Call])
    acknowledgements: set[Call] = field(default_factory=set[Call])
    declines: set[int] = field(default_factory=set[int])
    confirmations: set[Call] = field(default_factory=set[Call])
    #: With the newest checkpoint that had completed when the abort was sent, if there was one.
    aborts: dict[Call, int | None] = field(default_factory=dict[Call, int | None])
    end_reports: set[str] = field(default_factory=set[str])

    def forget_answers(self, checkpoint: int) -> None:
        """The coordinator does not wait for a checkpoint any more: answers to it are ignored."""
        self.acknowledgements = {c for c in self.acknowledgements if c[1] != checkpoint}
        self.declines.discard(checkpoint)

    def forget_notices(self, task: str) -> None:
        """Drop the notifications for a task that is gone; its calls still fail."""
        self.confirmations = {c for c in self.confirmations if c[0] != task}
        self.aborts = {call: latest for call, latest in self.aborts.items() if call[0] != task}

    def clear(self) -> None:
        """All connections break."""
        for each in (self.triggers, self.acknowledgements, self.declines, self.confirmations):
            each.clear()
        self.aborts.clear()
        self.end_reports.clear()


class CheckpointKind(enum.Enum):
    """The purpose of a checkpoint."""

    CHECKPOINT = "checkpoint"
    """To start again from after a failure."""
    SAVEPOINT = "savepoint"
    """For a user, who wants the job to go on."""
    DRAIN = "drain"
    SUSPEND = "suspend"
    """To end the job with, for good or to be resumed."""

    @property
    def ends_the_job(self) -> bool:
        return self in (CheckpointKind.DRAIN, CheckpointKind.SUSPEND)


class Status(enum.Enum):
    """The status of a checkpoint."""

    PENDING = "pending"
    COMPLETED = "completed"
    DISCARDED = "discarded"
    """It was complete, and a newer one has taken its place."""
    ABORTED = "aborted"


@dataclass(eq=False)
class Checkpoint:
    """A checkpoint as the coordinator knows it."""

    number: int
    finished: set[str] = field(default_factory=set[str])
    """Tasks that had FINISHED when it was planned."""
    awaited: set[str] = field(default_factory=set[str])
    kind: CheckpointKind = CheckpointKind.CHECKPOINT
    status: Status = Status.PENDING
    told_after: set[int] = field(default_factory=set[int])  # being confirmed when it completed

    @property
    def is_pending(self) -> bool:
        return self.status is Status.PENDING


class Coordinator:
    """Knows who reads whom, and which tasks have FINISHED; nothing else of them."""

    def __init__(
        self,
        producers: Mapping[str, Sequence[str]],
        network: Network,
        store: CheckpointStore,
        *,
        concurrent: int,
        after_finish: bool,
    ) -> None:
        self.producers = {task: tuple(dict.fromkeys(above)) for task, above in producers.items()}
        self.network = network
        self.store = store
        self.concurrent = concurrent
        #: Whether checkpoints go on when some task has FINISHED.
        self.after_finish = after_finish
        self.checkpoints: dict[int, Checkpoint] = {}
        self.last_number = 0
        self.finished: set[str] = set()
        #: A restart takes the newest of these.
        self.stored = {CheckpointKind.CHECKPOINT}
        #: Tasks hear that these have completed.
        self.told = {CheckpointKind.CHECKPOINT, CheckpointKind.DRAIN, CheckpointKind.SUSPEND}
        #: Says whether somebody is there to be told.
        self.listens: Callable[[str], bool]
        #: Is told what has become of a checkpoint.
        self.decided: Callable[[Checkpoint], None]

    @property
    def tasks(self) -> Iterable[str]:
        return self.producers

    @property
    def pending(self) -> list[Checkpoint]:
        return [each for each in self.checkpoints.values() if each.is_pending]

    def waits_for(self, checkpoint: int) -> bool:
        """Whether a checkpoint is pending."""
        return checkpoint in self.checkpoints and self.checkpoints[checkpoint].is_pending

    @property
    def newest_completed(self) -> int | None:
        """The checkpoint that a restart takes."""
        return self.store.newest

    @property
    def job_finished(self) -> bool:
        return len(self.finished) == len(self.producers)

    # --- trigger ---------------------------------------------------------------------------------

    def may_trigger(self) -> bool:
        """Whether there is room for a checkpoint, and something left to be in it."""
        return len(self.pending) < self.concurrent and self.may_plan()

    def may_plan(self) -> bool:
        """Whether somebody is left to take part, and checkpoints go on after the first end."""
        return not self.job_finished and (self.after_finish or not self.finished)

    def trigger(self, kind: CheckpointKind = CheckpointKind.CHECKPOINT) -> Checkpoint:
        """Plan the next checkpoint, and call those that no barrier will reach."""
        number = self.last_number = self.last_number + 1
        plan = Checkpoint(number, set(self.finished), set(self.tasks) - self.finished, kind)
        self.checkpoints[number] = plan
        heads = {task for task in plan.awaited if self.finished.issuperset(self.producers[task])}
        self.network.triggers |= {(task, number) for task in heads}
        return plan

    def task_has_ended(self, checkpoint: int) -> None:
        """A call found its task at its end: no barrier will come of it."""
        if self.waits_for(checkpoint):
            self.abort(checkpoint)

    def retrigger(self, task: str, checkpoint: int) -> None:
        """A call found its task closed: barriers will come of those that read it."""
        plan = self.checkpoints[checkpoint]
        if plan.is_pending:
            plan.awaited.discard(task)
            plan.finished.add(task)
            heads = {t for t in plan.awaited if plan.finished.issuperset(self.producers[t])}
            below = (each for each in heads if task in self.producers[each])
            self.network.triggers.update((each, checkpoint) for each in below)

    # --- answers ---------------------------------------------------------------------------------

    def acknowledged(self, task: str, checkpoint: int) -> None:
        self.checkpoints[checkpoint].awaited.discard(task)

    def is_complete(self, checkpoint: Checkpoint) -> bool:
        return checkpoint.is_pending and not checkpoint.awaited

    def complete(self, checkpoint: Checkpoint) -> None:
        """Make it durable. Then older checkpoints are of no use, and all who took part are told;
        but a user's savepoint replaces none, and none replaces it."""
        number, kind, stored = checkpoint.number, checkpoint.kind, checkpoint.kind in self.stored
        self.store.complete(number, checkpoint.finished, kind=kind.value, newest=stored)
        checkpoint.status = Status.COMPLETED
        if checkpoint.kind is not CheckpointKind.SAVEPOINT:
            self._replace_older(checkpoint, stored=stored)
        checkpoint.told_after = {each for _, each in self.network.confirmations}
        if checkpoint.kind in self.told:
            self.network.confirmations |= {(task, number) for task in self._concerned(checkpoint)}
        self.decided(checkpoint)

    def _replace_older(self, checkpoint: Checkpoint, *, stored: bool) -> None:
        known = (
            each for each in self.checkpoints.values() if each.kind is CheckpointKind.CHECKPOINT
        )
        older = [each for each in known if each.number < checkpoint.number]
        completed = [each for each in older if each.status is Status.COMPLETED]
        for each in completed[::-1][self.store.retained - 1 :] if stored else ():
            each.status = Status.DISCARDED
        for each in (each for each in older if each.is_pending):
            self.abort(each.number)
        self.store.discard_older({each.number for each in self.pending})

    def abort(self, number: int) -> None:
        """Give a pending checkpoint up, and tell those who were to take part."""
        checkpoint = self.checkpoints[number]
        latest = self.newest_completed
        for task in self._concerned(checkpoint):
            self.network.aborts[task, number] = latest
        checkpoint.status = Status.ABORTED
        self.network.forget_answers(number)
        self.decided(checkpoint)

    def _concerned(self, checkpoint: Checkpoint) -> list[str]:
        return [t for t in self.tasks if t not in checkpoint.finished and self.listens(t)]

    def forget(self, in_use: set[int]) -> None:
        """Decided checkpoints of which nothing is under way any more need not be known.

        `in_use`: those that somebody else still speaks of.
        """
        network, newest = self.network, self.newest_completed
        spoken_of = {c for _, c in (*network.triggers, *network.confirmations, *network.aborts)}
        kept = spoken_of | in_use | {newest}
        for number in list(self.checkpoints):
            if not self.checkpoints[number].is_pending and number not in kept:
                del self.checkpoints[number]

    # --- ends ------------------------------------------------------------------------------------

    def task_finished(self, task: str) -> None:
        """A task has FINISHED; with the last one, so has the job."""
        self.finished.add(task)
        if self.job_finished:
            self.shut_down()

    def shut_down(self) -> None:
        """Abort all pending checkpoints, and drop all trigger calls."""
        self.abort_all()
        self.network.triggers.clear()

    def abort_all(self) -> None:
        for checkpoint in self.pending:
            self.abort(checkpoint.number)

    def restart(self) -> None:
        """Start anew: no checkpoint is pending, no message is under way, no task is FINISHED."""
        self.abort_all()
        self.network.clear()
        self.finished.clear()
