"""The checkpoint coordinator: plan, trigger, acknowledgement, completion, abort, and its store.

The coordinator plans a checkpoint (PL-2), calls the tasks at the head of the plan (PL-4), waits for
an acknowledgement of each task (AB-2), stores the checkpoint (CN-1) and confirms it to the tasks
(CN-3 … CN-5). A decline or a time-out aborts the checkpoint (AB-1). The rules model PL-1 … PL-9,
CN-1 … CN-5, AB-1 … AB-6 and RC-3 of the fact sheet.

Steps that the atomicity map (1.8) keeps apart stay apart: the plan and each call, the mail and its
run, the acknowledgement and its application, completion and each confirmation, EndOfPartition and
the news that a task is FINISHED. The plan, the id and the pending checkpoint are one step: a
trigger finds a task that ended in between, and a failure in between aborts what it would have
refused. A message to a closed task has no effect and is dropped with the task, except a trigger,
whose failure is the point (PL-5).

The store (Flink's `CheckpointSubsumeHelper`) is no state of its own: which checkpoints have
completed says what the store holds. With `live_checkpoints`, an id that nothing names is given
again, so that a search can answer what must happen again and again (L4). The renaming is canonical:
ids keep their order.

Requests of users are in `requests.py`, failures and failed checkpoints in `failures.py`.
Left out: master hooks, storage failures.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import ClassVar, cast

from finale.model.errors import FinaleError, Place
from finale.model.language.guards import Limit
from finale.model.language.layout import LayoutGuard, is_foreign, mapped
from finale.model.language.observing import observing, sound_kind
from finale.model.language.renaming import names, references, retire
from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.committer import CommittableChannel, Committer, Writer
from finale.model.protocols.coordinator.checkpoints import (
    ABORTED,
    COMPLETED,
    PENDING,
    UNUSED,
    Checkpoint,
    CheckpointKind,
)
from finale.model.protocols.coordinator.options import (
    Acknowledgement,
    CheckpointingMode,
    DuringRestore,
    JobBounds,
    UnionCheck,
    VirtualBarrier,
)
from finale.model.protocols.job.channels import Channel, LoggedChannel
from finale.model.protocols.job.elements import CancelBarrier, CheckpointId, Datum
from finale.model.protocols.job.layout import JobLayout
from finale.model.protocols.layouts import FEW_IDS, for_setting
from finale.model.protocols.sinks import (
    AtLeastOnceSink,
    BufferedSink,
    GreatestIdSink,
    Sink,
    TwoPhaseSink,
)
from finale.model.protocols.task.operators import Buffering, ParkingTask, TickingTask, TimerTask
from finale.model.protocols.task.sources import FetchingSource, IterationHead, Source
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import (
    STRONG,
    WEAK,
    Bool,
    Bound,
    Entity,
    Nothing,
    Protocol,
    Range,
    Setting,
    assumed,
    at_once,
    count,
    define,
    field,
    require,
    rule,
    step,
    within,
)
from finale.model.topology import Job, OperatorKind
from finale.model.topology import Sink as SinkKind

#: The classes of this package say themselves which of their fields name a checkpoint.
_PACKAGE = "finale.model.protocols"


class JobProtocol(Protocol, ABC):
    """A job, and the coordinator of its checkpoints: what every protocol on jobs has.

    Its bounds are these, or have these too. A feature that has rules within a bound of its own
    names the bound in `explores`. Such a rule begins by requiring that the bound is more than 0, so
    that the rule is not in a system where the bound is 0.
    """

    needs_job = True
    Bounds = JobBounds
    bounds: JobBounds
    explores: ClassVar[tuple[str, ...]] = (
        "checkpoints", "live_checkpoints", "channel",
        "failures", "lost_confirmations", "expiries", "declines",
    )  # fmt: skip
    #: Bounds of features that the protocol has, and that it does not explore.
    unexplored: ClassVar[tuple[str, ...]] = ()
    ghosts: ClassVar[Mapping[str, str]] = {
        "effects": "which records became visible outside the job, and how often",
        "cut": "how many records each channel brought, in all and before each checkpoint",
        "taken": "which checkpoints a task took, and which of them after it had finished",
        "progress": "whether a checkpoint has completed since the last one was triggered",
        "watermarks": "at which watermark a record was worked on, and what followed the last one",
        "cancellations": "how many cancellations of a checkpoint were sent down a channel",
    }
    parts: ClassVar[tuple[type[Entity], ...]] = (
        *(Checkpoint, Task, Source, AlignedGate, Channel),
        *(Buffering, TimerTask, ParkingTask, TickingTask),
        *(IterationHead, AtLeastOnceSink, TwoPhaseSink, Writer, Committer),
        *(BufferedSink, GreatestIdSink, FetchingSource),
    )

    #: PL-1: how many checkpoints may be pending at once.
    concurrent: int = 1

    progress = field(Bool, False, ghost="progress")
    """A checkpoint completed, and none was triggered since."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        assert setting.job is not None
        self.job: Job = setting.job
        self._refuse_unexplored()
        self.recycles = int(self.bounds.live_checkpoints) > 0
        self.id_limit = self.bounds.live_checkpoints if self.recycles else self.bounds.checkpoints
        self.checkpoints = tuple(Checkpoint(n + 1) for n in range(self.id_limit))
        layout = JobLayout(self, setting, self.checkpoints)
        self.data_at, self.data = layout.data_at, layout.data
        self.watermarks, self.tags = layout.watermarks, layout.tags
        self.has_watermarks = len(self.watermarks) > 0
        self.tasks, self.task_of = layout.tasks, layout.task_of
        self.channels, self.sinks = layout.channels, layout.sinks
        self._bound_channels()
        self.unions = tuple(
            tuple(self.task_of[each] for each in self.job.subtasks_of(vertex))
            for vertex in self.job.vertices
            if vertex.has_union_state and vertex.parallelism > 1
        )

    @property
    def channel_class(self) -> type[Channel]:
        """What channels are, by the options."""
        return Channel

    @property
    def committable_class(self) -> type[CommittableChannel]:
        """What the channels from writers to committers are."""
        return CommittableChannel

    @property
    def gate_class(self) -> type[AlignedGate]:
        """What handles barriers at a task, by the options."""
        return AlignedGate

    @property
    def source_class(self) -> type[Source]:
        """What sources are, by the options."""
        return Source

    @property
    def task_classes(self) -> Mapping[OperatorKind, type[Task]]:
        """What the tasks of a vertex are that reads others, by its kind. Others are refused."""
        plain = (
            OperatorKind.PASS_THROUGH,
            OperatorKind.KEYED,
            OperatorKind.UNION_STATE,
            OperatorKind.BROADCAST_STATE,
            OperatorKind.SPLIT_STATE,
        )
        return dict.fromkeys(plain, Task) | {
            OperatorKind.BUFFERING: Buffering,
            OperatorKind.TIMER: TimerTask,
            OperatorKind.ASYNC: ParkingTask,
            OperatorKind.TICKING: TickingTask,
            OperatorKind.WRITER: Writer,
        }

    @property
    def sink_classes(self) -> Mapping[SinkKind, type[Sink]]:
        """What sinks are, by their kind. Others are refused."""
        return {
            SinkKind.TWO_PHASE: TwoPhaseSink,
            SinkKind.AT_LEAST_ONCE: AtLeastOnceSink,
            SinkKind.BUFFERED: BufferedSink,
            SinkKind.GREATEST_ID: GreatestIdSink,
            SinkKind.COMMITTER: Committer,
        }

    @classmethod
    def bound_names(cls) -> tuple[str, ...]:
        explored = {name for base in cls.__mro__ for name in vars(base).get("explores", ())}
        own = {each.name for each in fields(cls.Bounds)} - {each.name for each in fields(JobBounds)}
        names = (explored | own) - set(cls.unexplored)
        return tuple(e.name for e in fields(cls.Bounds) if e.name in names)

    def _refuse_unexplored(self) -> None:
        for each in fields(self.bounds):
            if int(getattr(self.bounds, each.name)) and each.name not in self.bound_names():
                raise FinaleError(
                    "unexplored-bound",
                    f'nothing in "{self.key}" happens within the bound "{each.name}"',
                    place=Place(key=f"bounds.{each.name}"),
                    advice="leave it out",
                )

    @property
    def channel_room(self) -> int:
        """How many elements must fit into a channel, so that no step waits for the bound alone.

        One record, with its watermark or all that an operator flushes; what a writer hands over;
        a barrier of each id; EndOfData and EndOfPartition. More records wait, as in back pressure.
        """
        flushed = (len(task.data) for task in self.tasks if isinstance(task, Buffering))
        if self.logs_channels:
            return max(2, self.channel_burst)  # one record overtakes another
        records = max(1, 2 if self.watermarks else 1, *flushed)
        return records + len(self.tags) + len(self.checkpoints) + 2

    @property
    def aborts_on_end(self) -> bool:
        """AL-2: whether an EndOfPartition aborts the alignment under way."""
        return not self.checkpoints_after_finish

    @property
    def logs_channels(self) -> bool:
        """Whether records in flight are part of checkpoints: a plain truth value."""
        return issubclass(self.channel_class, LoggedChannel)

    @property
    def control_elements(self) -> int:
        """How many elements that need no credit a channel with a log must have room for."""
        return len(self.checkpoints)

    @property
    def channel_burst(self) -> int:
        """How many elements one step emits: a flush and EndOfData, a cancelled and a new barrier,
        a record and its watermark."""
        bursts = [len(task.data) + 1 for task in self.tasks if isinstance(task, Buffering)]
        bursts += [2 if len(self.checkpoints) == 1 else 3 for _ in self.tags[:1]]
        bursts += [2 for _ in self.watermarks[:1]]
        return max([2 if len(self.checkpoints) > 1 else 1, *bursts])

    def _bound_channels(self) -> None:
        """Choose the bound of channels if none is given; refuse one that is below a burst.

        A step that emits more than a channel holds would wait for the bound forever, and not for
        the protocol.
        """
        given = int(self.bounds.channel)
        if not given:
            self.bounds = replace(self.bounds, channel=Limit(self.channel_room, "channel"))
        elif given < self.channel_burst:
            raise FinaleError(
                "channel-too-small",
                f"one step of this job emits {self.channel_burst} elements, "
                f"and a channel holds {given}",
                place=Place(key="bounds.channel"),
                advice=f"give the channels room for {self.channel_room} elements, or leave it out",
            )

    @property
    def gives_ids_again(self) -> bool:
        return self.recycles

    @property
    def layout_guard(self) -> LayoutGuard | None:
        """Rules of Finale are known to read nothing of few ids; a variant's are looked at."""
        if not self.recycles:
            return None
        is_users = is_foreign(map(type, (self, *self.entities())))
        return for_setting(FEW_IDS, self.setting) if is_users else None

    def entities(self) -> Sequence[Entity]:
        gates = (task.gate for task in self.tasks)
        known = (*self.checkpoints, *self.tags, *self.data, *self.watermarks)
        return (*known, *self.tasks, *gates, *self.channels, *self.sinks)

    def keeps(self) -> frozenset[str]:
        return super().keeps() | frozenset({"union"} if self.unions else set[str]())

    def limits(self) -> Mapping[str, int]:
        known = {**super().limits(), "data": len(self.data), "times": len(self.watermarks)}
        if not self.logs_channels:
            return known
        slots = int(self.bounds.channel) + self.control_elements + len(self.tags)
        in_flight = len(self.data) + len(self.watermarks) * (int(self.bounds.failures) + 1)
        return {**known, "slots": slots, "in_flight": in_flight}

    def reader(self, channel: Channel) -> Task:
        """The task that a channel leads to."""
        return self.task_of[channel.edge.receiver]

    def writer(self, channel: Channel) -> Task:
        """The task that a channel comes from."""
        return self.task_of[channel.edge.sender]

    def producers(self, task: Task) -> tuple[Task, ...]:
        """up(t): the tasks that a task reads."""
        return mapped(self.writer, task.inputs)

    def consumers(self, task: Task) -> tuple[Task, ...]:
        """down(t): the tasks that read a task."""
        return mapped(self.reader, task.outputs)

    @staticmethod
    def known(checkpoint: CheckpointId) -> Checkpoint:
        """What the coordinator knows of an id."""
        return cast(Checkpoint, checkpoint)

    @property
    @define
    def is_finished(self) -> bool:
        """The coordinator knows every task as FINISHED: the job has."""
        return all(task.reported_finished for task in self.tasks)

    @define
    def terminal(self) -> bool:
        """Whether the job has finished, or only waits for records of sources that never end."""
        return self.is_finished or self.waits_for_records()

    def endings(self) -> Mapping[str, Callable[[], object]]:
        return {
            "the job has ended without finishing": self.has_ended_otherwise,
            "the job has finished": lambda: self.is_finished,
            "the job waits for records that never come": self.waits_for_records,
            **super().endings(),
        }

    @define
    def waits_for_records(self) -> bool:
        """Whether some source never ends, and nothing else is missing but its next record."""
        return False

    @define
    def has_processed_all(self) -> bool:
        """Whether a job that has finished came to the end of its data, and was not suspended."""
        return True

    @define
    def has_ended_otherwise(self) -> bool:
        """The job was cancelled, or has failed and is not started again."""
        return False

    @define
    def has_emitted(self, record: Datum) -> bool:
        """Whether the source of a record has emitted it; only a stop ends one that has more."""
        return True

    @define
    def ended_by_suspension(self, task: Task) -> bool:
        """Whether a stop without drain ended a task's data, and not their end."""
        return False

    @define
    def awaits(self, task: Task, checkpoint: CheckpointId) -> bool:
        """FC-7: whether a task waits for this checkpoint: any from its first final one on."""
        return task.final_from != Nothing and task.final_from <= checkpoint

    @assumed("CheckpointCoordinator.dropSubsumedCheckpoints")
    @define
    def can_be_subsumed(self, checkpoint: Checkpoint) -> bool:
        """CN-1: a savepoint is not made superfluous by a newer checkpoint."""
        return not self.has_kinds or checkpoint.kind == CheckpointKind.CHECKPOINT

    @assumed("CheckpointCoordinator.cleanupAfterCompletedCheckpoint")
    @define
    def subsumes(self, checkpoint: Checkpoint) -> bool:
        """CN-2: the completion of a savepoint makes no older checkpoint superfluous."""
        return not self.has_kinds or checkpoint.kind != CheckpointKind.SAVEPOINT

    def siblings_of(self, sink: Sink) -> tuple[Sink, ...]:
        """The sinks of the subtasks of one vertex."""
        return tuple(each for each in self.sinks if each.vertex == sink.vertex)

    @define
    def newest_completed(self) -> CheckpointId:
        """The restore target and the id that aborts carry; Nothing before the first."""
        newest: CheckpointId = Nothing
        for checkpoint in self.checkpoints:
            newest = checkpoint if self.is_restorable(checkpoint) else newest
        return newest

    @define
    def is_restorable(self, checkpoint: Checkpoint) -> bool:
        """CN-1: the store always holds the newest checkpoint that was put into it."""
        return self.has_entered(checkpoint)

    @define
    def is_in_store(self, checkpoint: Checkpoint) -> bool:
        """CN-1: whether the store holds a checkpoint: it has a place, or no newer one evicts it."""
        has_place = self.has_place_beside(self.places_before(checkpoint))
        return self.has_entered(checkpoint) and (has_place or self.is_spared(checkpoint))

    @step
    def make_room(self) -> None:
        """Bound `live_checkpoints`: with all ids used, the oldest that nothing names is retired."""
        self.make_room_if(True)

    @step
    def make_room_if(self, wanted: bool) -> None:
        """The same if there will be a new checkpoint. No checkpoint may be written before."""
        if self.recycles and wanted:
            for checkpoint in self.checkpoints:
                self._retire_if_free(checkpoint)

    @step
    def _retire_if_free(self, checkpoint: Checkpoint) -> None:
        if self.checkpoints[-1].status != UNUSED and self.is_free(checkpoint):
            self.give_again(checkpoint)

    @step
    def give_again(self, checkpoint: Checkpoint) -> None:
        """Give an id again that is free."""
        # What is older than every live id stays older, and "from this one on" means the next.
        before = self._before(checkpoint)
        for task in self.tasks:
            self._forget_id(task, checkpoint, before)
        retire(checkpoint, Checkpoint)

    def _before(self, checkpoint: Checkpoint) -> CheckpointId:
        position = self.checkpoints.index(checkpoint)
        return self.checkpoints[position - 1] if position else Nothing

    @step
    def _forget_id(self, task: Task, checkpoint: Checkpoint, before: CheckpointId) -> None:
        if task.newest == checkpoint:
            task.newest = before
        if task.confirmed == checkpoint:
            task.confirmed = before

    def is_free(self, checkpoint: Checkpoint) -> bool:
        """Whether neither a rule nor a property can name a checkpoint again.

        A variant may override what names a checkpoint, such as the newest completed one: its rules
        ask the variant, and properties observe with the methods of the protocol. So both are asked.
        """
        if self.is_named_by_variant(checkpoint):
            return False
        unnamed, sound = self.is_unnamed(checkpoint), sound_kind(type(self))
        if sound is type(self):
            return unnamed
        with observing(self, sound):
            return unnamed and self.is_unnamed(checkpoint)

    @define
    def is_unnamed(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint is over, and no message, alignment or restart can name it again."""
        over = checkpoint.status == ABORTED or checkpoint.is_completed
        quiet = (
            checkpoint.triggers.is_empty
            and checkpoint.confirmations.is_empty
            and checkpoint.aborts.is_empty
        )
        return (
            over
            and quiet
            and self.newest_completed() != checkpoint
            and not self.is_in_store(checkpoint)
            and all(other.latest != checkpoint for other in self.checkpoints)
            and all(not task.refers_to(checkpoint) for task in self.tasks)
            and all(not self.waits_for_exactly(task, checkpoint) for task in self.tasks)
            and all(not channel.refers_to(checkpoint) for channel in self.channels)
            and all(not sink.refers_to(checkpoint) for sink in self.sinks)
        )

    def is_named_by_variant(self, checkpoint: Checkpoint) -> bool:
        """Whether a field that only a variant declares names a checkpoint."""
        own = references(checkpoint.world, Checkpoint, _PACKAGE)
        return any(names(variable, checkpoint) for variable in own)

    @define
    def is_remembered(self, checkpoint: Checkpoint) -> bool:
        """Whether what tasks do later is judged by a completed checkpoint: history (S7)."""
        if not self.observes("taken"):
            return False
        final = any(task.taken_after_finish.has(checkpoint) for task in self.tasks)
        return checkpoint.is_completed and final

    def waits_for_exactly(self, task: Task, checkpoint: Checkpoint) -> bool:
        """Whether a task waits for this checkpoint and no later one would do."""
        return False

    #: PL-8: which checkpoints of unevenly finished union state are aborted.
    union_check: UnionCheck = UnionCheck.FINISHED_OR_FINISHING

    @step
    def compute_plan(self, checkpoint: Checkpoint) -> None:
        """PL-2.3, PL-2.4: wait for all that run; trigger those whose producers have all ended."""
        for task in self.tasks:
            self._plan(checkpoint, task)

    @step
    def _plan(self, checkpoint: Checkpoint, task: Task) -> None:
        if self.counts_as_finished(task):
            checkpoint.finished.add(task)
        else:
            checkpoint.awaited.add(task)
            if self.is_head(task):
                checkpoint.triggers.add(task)

    @define
    def counts_as_finished(self, task: Task) -> bool:
        """PL-2.4: whether a task need not take part."""
        return task.reported_finished

    @assumed(
        "DefaultCheckpointPlanCalculator.calculateWithAllTasksRunning",
        "DefaultCheckpointPlanCalculator.calculateAfterTasksFinished",
        without=False,
    )
    @define
    def is_head(self, task: Task) -> bool:
        """PL-2.3, PL-2.4: whether no producer of a task takes part: the task must be triggered."""
        return all(self.counts_as_finished(producer) for producer in self.producers(task))

    @define
    def is_to_be_called(self, task: Task, checkpoint: Checkpoint) -> bool:
        """PL-4: whether a call to a task is on its way."""
        return checkpoint.triggers.has(task)

    @assumed("DefaultCheckpointPlan.fulfillFinishedTaskStatus", without=False)
    @define
    def may_not_complete(self, checkpoint: Checkpoint) -> bool:
        """PL-8: a vertex with union state has finished in part, or its operators have."""
        return any(self._is_uneven(checkpoint, subtasks) for subtasks in self.unions)

    @define
    def _is_uneven(self, checkpoint: Checkpoint, subtasks: tuple[Task, ...]) -> bool:
        if self.union_check == UnionCheck.NONE:
            return False
        if checkpoint.has_some(subtasks, checkpoint.finished):
            return not checkpoint.has_all(subtasks, checkpoint.finished)
        if self.union_check == UnionCheck.FINISHED:
            return False
        some = checkpoint.has_some(subtasks, checkpoint.operators_finished)
        return some and not checkpoint.has_all(subtasks, checkpoint.operators_finished)

    #: CN-3: whether an abort carries the newest completed id.
    aborts_carry_latest: bool = True
    #: CN-5: whether confirmations reach a task in the order in which checkpoints complete.
    confirmations_in_order: bool = False

    losses = field(Range(0, Bound("lost_confirmations")), 0)
    declines = field(Range(0, Bound("declines")), 0)
    expiries = field(Range(0, Bound("expiries")), 0)

    # --- abort -----------------------------------------------------------------------------------

    @step
    def abort(self, checkpoint: Checkpoint) -> None:
        """AB-1: dispose of a pending checkpoint and tell those that it waited for."""
        checkpoint.status = ABORTED
        for task in self.tasks:
            self._notify_abort(task, checkpoint)
        if not checkpoint.aborts.is_empty:
            checkpoint.latest = self.newest_completed()
        checkpoint.finished.clear()
        checkpoint.awaited.clear()
        checkpoint.acknowledgements.clear()
        checkpoint.declined = False
        for channel in self.channels:
            channel.drop_log(checkpoint)

    @assumed("CheckpointCoordinator.sendAbortedMessages")
    @step
    def _notify_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        """CN-3: a task that the aborted checkpoint waited for will be told of the abort."""
        if not checkpoint.finished.has(task) and not task.is_gone:
            checkpoint.aborts.add(task)

    @step
    def give_up_alignment(self, task: Task, checkpoint: CheckpointId) -> None:
        """AL-4: a task unblocks its inputs, declines the checkpoint, and tells those downstream."""
        task.newest = checkpoint
        task.gate.end_alignment()
        self.decline(checkpoint)
        task.broadcast_event(CancelBarrier(checkpoint))

    @step
    def decline(self, checkpoint: CheckpointId) -> None:
        """A task gives a checkpoint up: its decline is on its way."""
        known = self.known(checkpoint)
        if known.is_pending:
            known.declined = True

    @rule(fair=WEAK)
    def apply_decline(self, checkpoint: Checkpoint) -> None:
        """AB-1: a decline arrives and aborts the checkpoint."""
        require(checkpoint.declined)
        self.abort(checkpoint)

    @rule
    def fail_snapshot(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-1: the asynchronous part of a snapshot fails, and the task declines."""
        require(checkpoint.acknowledgements.has(task), task.is_alive)
        self.count_decline()
        checkpoint.acknowledgements.remove(task)
        self.snapshot_failed(checkpoint)

    @step
    def count_decline(self) -> None:
        """One more of the declines that the bounds allow."""
        within(self.declines, self.bounds.declines)
        self.declines += 1

    @step
    def snapshot_failed(self, checkpoint: Checkpoint) -> None:
        """AB-1: a decline for a failed snapshot is on its way."""
        checkpoint.declined = True

    @rule
    def expire(self, checkpoint: Checkpoint) -> None:
        """AB-1: a pending checkpoint times out."""
        require(self.is_timed(checkpoint))
        within(self.expiries, self.bounds.expiries)
        self.expiries += 1
        self.abort(checkpoint)

    @define
    def is_timed(self, checkpoint: Checkpoint) -> bool:
        """AB-1: whether the timer of a checkpoint runs: until it completes, or is aborted."""
        return checkpoint.is_pending

    # --- notifications ---------------------------------------------------------------------------

    @assumed("CheckpointCoordinator.cleanupAfterCompletedCheckpoint")
    @define
    def is_confirmed(self, checkpoint: Checkpoint) -> bool:
        """CN-2: whether the completion of a checkpoint is confirmed to the tasks."""
        if not self.has_kinds or self.savepoint_confirmed:
            return True
        return checkpoint.kind != CheckpointKind.SAVEPOINT

    @assumed("CheckpointCoordinator.sendAcknowledgeMessages")
    @step
    def confirm(self, task: Task, checkpoint: Checkpoint) -> None:
        """CN-1: a task that took part will be told that the checkpoint is complete."""
        took_part = not checkpoint.finished.has(task) and not task.is_gone
        if took_part and self.is_confirmed(checkpoint):
            checkpoint.confirmations.add(task)

    @rule(fair=WEAK)
    def deliver_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-3, CN-3: an abort arrives; first the completion that it carries, then the abort."""
        require(checkpoint.aborts.has(task))
        latest = checkpoint.latest
        checkpoint.notified_of_abort(task)
        if self.aborts_carry_latest and latest != Nothing:
            self.on_confirmation(task, latest)
        task.gate.on_abort(checkpoint)

    @rule(fair=WEAK)
    def deliver_confirmation(self, task: Task, checkpoint: Checkpoint) -> None:
        """FC-7, 1.6: a confirmation arrives; confirmations of several checkpoints in any order."""
        require(checkpoint.confirmations.has(task))
        if self.confirmations_in_order:
            require(self.is_confirmed_next(task, checkpoint))
        checkpoint.confirmations.remove(task)
        self.on_confirmation(task, checkpoint)

    @assumed("CheckpointCoordinator.sendAcknowledgeMessages")
    @define
    def is_confirmed_next(self, task: Task, checkpoint: Checkpoint) -> bool:
        """CN-5: whether the task has been told of each checkpoint that completed before."""
        return all(
            not other.confirmations.has(task) or not self.completed_before(other, checkpoint)
            for other in self.checkpoints
        )

    @define
    def completed_before(self, one: Checkpoint, other: Checkpoint) -> bool:
        """CN-1: which of two completed first: the older one, for a newer one subsumes it."""
        return one < other

    @step
    def note_completion(self, checkpoint: Checkpoint) -> None:
        """CN-5: a protocol whose checkpoints complete in any order keeps the order."""

    @rule
    def lose_confirmation(self, task: Task, checkpoint: Checkpoint) -> None:
        """1.6, CN-5: a confirmation is lost."""
        require(checkpoint.confirmations.has(task))
        within(self.losses, self.bounds.lost_confirmations)
        self.losses += 1
        checkpoint.confirmations.remove(task)

    @abstractmethod
    def on_confirmation(self, task: Task, checkpoint: CheckpointId) -> None:
        """What a task does with a confirmation."""

    @step
    def drop_messages(self, task: Task) -> None:
        """A task closes: no notification reaches it any more."""
        for checkpoint in self.checkpoints:
            checkpoint.drop(task)

    #: Whether there are savepoints, so that a checkpoint has a kind: a plain truth value.
    has_kinds = False
    #: CN-1: how many checkpoints the store holds.
    retained: int = 1
    #: CN-2: whether a savepoint is kept among the checkpoints that a failed job starts again from.
    savepoint_stored: bool = False
    #: CN-2: whether the completion of a savepoint is confirmed to the tasks.
    savepoint_confirmed: bool = False

    def has_place_beside(self, others: int) -> bool:
        """CN-1: whether the store has a place beside so many other checkpoints."""
        return others < self.retained

    @define
    def places_before(self, checkpoint: Checkpoint) -> int:
        """CN-1: how many places go to others first: to newer ones, and to one that is spared."""
        taken: int = sum(
            self.has_entered(other) and (checkpoint < other or self.is_spared(other))
            for other in self.checkpoints
        )
        return taken

    @define
    def is_spared(self, checkpoint: Checkpoint) -> bool:
        """CN-1: whether no newer one evicts it: a savepoint evicts savepoints only, unless it is
        that of a stop. So the last checkpoint before savepoints is spared."""
        if not (self.has_kinds and self.savepoint_stored):
            return False
        return self.has_entered(checkpoint) and all(
            not (checkpoint < newer and self.has_entered(newer))
            or (self.can_be_subsumed(checkpoint) and not self.evicts(newer, checkpoint))
            for newer in self.checkpoints
        )

    @define
    def evicts(self, newer: Checkpoint, last: Checkpoint) -> bool:
        """CN-1: whether the last checkpoint leaves for a newer one: for the savepoint of a stop
        only if there was no place."""
        return newer.kind == CheckpointKind.CHECKPOINT or (
            self.subsumes(newer) and self.finds_no_place(newer, last)
        )

    @define
    def finds_no_place(self, newest: Checkpoint, oldest: Checkpoint) -> bool:
        """CN-1: whether what entered before leaves no place for both."""
        behind: int = sum(
            oldest < each and each <= newest and self.has_entered(each) for each in self.checkpoints
        )
        return not self.has_place_beside(behind)

    @define
    def has_entered(self, checkpoint: Checkpoint) -> bool:
        """CN-2: whether a checkpoint has completed and was put into the store."""
        return checkpoint.is_completed and self.is_stored(checkpoint)

    @assumed("CheckpointCoordinator.completePendingCheckpoint")
    @define
    def is_stored(self, checkpoint: Checkpoint) -> bool:
        """CN-1, CN-2, SS-4: whether a checkpoint that completes is put into the store. Savepoints
        are if the options say so, also those of stops."""
        stores_all = not self.has_kinds or self.savepoint_stored
        return stores_all or checkpoint.kind == CheckpointKind.CHECKPOINT

    # --- what enters and leaves ------------------------------------------------------------------

    @step
    def store(self, checkpoint: Checkpoint) -> None:
        """CN-1: a checkpoint is complete; older ones are subsumed."""
        checkpoint.status = COMPLETED
        for older in self.checkpoints:
            self.subsume(older, checkpoint)

    @at_once(
        "CheckpointCoordinator.completePendingCheckpoint",
        apart="finale.model.protocols.apart:SubsumesLater",
    )
    @assumed("CheckpointCoordinator.dropSubsumedCheckpoints")
    @step
    def subsume(self, older: Checkpoint, newer: Checkpoint) -> None:
        """CN-1: an older checkpoint that is pending is aborted, an evicted one is discarded."""
        if older < newer and self.can_be_subsumed(older) and self.subsumes(newer):
            if older.is_pending:
                self.abort(older)
            if not self.is_in_store(older):
                self.discard(older)

    @step
    def discard(self, checkpoint: Checkpoint) -> None:
        """CN-1: nothing is restored from a checkpoint any more."""
        checkpoint.finished.clear()
        for channel in self.channels:
            channel.drop_log(checkpoint)

    @define
    def restore_point(self) -> CheckpointId:
        """RC-1: what a restart takes: the newest checkpoint of the store, or Nothing."""
        return self.newest_completed()

    @step
    def shut_down(self) -> None:
        """RC-3: the job has ended: what is pending is aborted, and no call finds a task."""
        self.give_up_pending()
        for checkpoint in self.checkpoints:
            checkpoint.triggers.clear()

    @assumed("CheckpointCoordinator.shutdown", "CheckpointCoordinator.stopCheckpointScheduler")
    @step
    def give_up_pending(self) -> None:
        """RC-3, SP-13: what is pending is aborted. Calls that are under way still arrive."""
        for checkpoint in self.checkpoints:
            if checkpoint.is_pending:
                self.abort(checkpoint)
        self.refuse_queued()

    def refuse_queued(self) -> None:
        """Where requests for checkpoints wait, those that do are refused."""

    #: UN-4: whether a task's part is complete once its snapshot is taken; not so where logs follow.
    acknowledges_snapshots = True
    #: PL-2.1: whether checkpoints are taken after tasks have finished (Flink's flag).
    checkpoints_after_finish: bool = True
    #: 1.6: trigger calls to a task arrive, and its mailbox runs them, in their order.
    calls_in_order: bool = False
    #: PL-2.5: what becomes of a checkpoint while some task is being restored.
    during_restore: DuringRestore = DuringRestore.REFUSED
    #: PL-7: where a trigger by RPC puts the barrier on an input that has not ended.
    virtual_barrier: VirtualBarrier = VirtualBarrier.NOW
    #: FC-5: whether a job takes checkpoints by itself.
    checkpointing: CheckpointingMode = CheckpointingMode.CONFIGURED
    #: Whether checkpoints are triggered again and again.
    periodic: bool = True
    #: PL-4: a trigger to a task without a slot counts as sent, and nobody declines.
    unassigned_counts_as_triggered: bool = False
    #: LF-7: a trigger that finds its task ended is not answered at all.
    unanswered_triggers: bool = False
    #: 1.6: what becomes of acknowledgements on their way.
    acknowledgement: Acknowledgement = Acknowledgement.RELIABLE

    # --- trigger ---------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def trigger_checkpoint(self) -> None:
        """PL-1, PL-2, PL-3: the coordinator plans the next checkpoint and makes it pending."""
        self.trigger_next()

    def trigger_next(self) -> None:
        """PL-1, PL-2, PL-3: the next periodic checkpoint is planned and made pending."""
        require(self.all_attempts_run())
        self.admit()
        self.begin()
        if self.observes("progress"):
            self.progress = False

    @define
    def all_attempts_run(self) -> bool:
        """RC-1: whether no failed task waits for its restart."""
        return True

    @define
    def schedules(self) -> bool:
        """Whether periodic checkpoints are taken."""
        return True

    @property
    def is_configured(self) -> bool:
        """Whether the coordinator takes periodic checkpoints: a plain truth value."""
        return self.checkpointing == CheckpointingMode.CONFIGURED

    @property
    def is_batch(self) -> bool:
        """Whether the job runs in batch mode: a plain truth value."""
        return self.checkpointing == CheckpointingMode.BATCH

    @step
    def admit(self) -> None:
        """PL-1, PL-2.1, PL-2.5: whether a checkpoint can be triggered now at all."""
        require(self.triggers_nothing())
        require(self.may_be_pending())
        require(any(not task.reported_finished for task in self.tasks))
        require(self.those_wanted_run())
        require(self.accepts_finished())
        self.make_room()
        within(count(self.checkpoints, lambda each: each.status != UNUSED), self.id_limit)

    @define
    def triggers_nothing(self) -> bool:
        """PL-1: whether no checkpoint is being triggered."""
        return True

    @assumed("CheckpointRequestDecider.chooseRequestToExecute")
    @define
    def may_be_pending(self) -> bool:
        """PL-1: whether fewer checkpoints are pending than may be."""
        return count(self.checkpoints, lambda each: each.is_pending) < self.concurrent

    @define
    def accepts_finished(self) -> bool:
        """PL-2.1, LF-6: whether no task has finished, or checkpoints are taken all the same."""
        if self.checkpoints_after_finish:
            return True
        return all(not task.reported_finished for task in self.tasks)

    @define
    def those_wanted_run(self) -> bool:
        """PL-2.5: whether no task that would take part is still to be restored."""
        return all(self.counts_as_running(task) for task in self.tasks)

    @assumed("DefaultCheckpointPlanCalculator.checkTasksStarted")
    @define
    def counts_as_running(self, task: Task) -> bool:
        """PL-2.5: whether a task can be asked for its part: not before it is restored."""
        if self.during_restore == DuringRestore.REFUSED:
            return task.status != TaskStatus.RESTORING
        return True

    @step
    def begin(self, kind: CheckpointKind = CheckpointKind.CHECKPOINT) -> None:
        """Make the next id pending, with the plan of this moment."""
        # From the last id down, so that one that has just begun is not taken for a used one.
        for position in reversed(range(len(self.checkpoints))):
            self._begin_if_next(position, kind)

    @step
    def _begin_if_next(self, position: int, kind: CheckpointKind) -> None:
        checkpoint = self.checkpoints[position]
        is_next = position == 0 or self.checkpoints[position - 1].status != UNUSED
        if is_next and checkpoint.status == UNUSED:
            checkpoint.status = PENDING
            self.note_kind(checkpoint, kind)
            self.compute_plan(checkpoint)

    def note_kind(self, checkpoint: Checkpoint, kind: CheckpointKind) -> None:
        """Keep the kind of a checkpoint, if there are several kinds."""
        if self.has_kinds:
            checkpoint.kind = kind

    @rule(fair=WEAK)
    def deliver_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-4: a trigger RPC arrives: the mailbox takes it, or the call fails."""
        if self.calls_in_order:
            require(all(e >= checkpoint or not e.triggers.has(task) for e in self.checkpoints))
        require(checkpoint.triggers.has(task))
        checkpoint.triggers.remove(task)
        if self.during_restore == DuringRestore.DECLINED and task.status == TaskStatus.RESTORING:
            self.decline(checkpoint)
        elif task.status in (TaskStatus.QUIESCED, TaskStatus.CLOSED):
            if not self.unanswered_triggers:
                self.trigger_failed(task, checkpoint)
        else:
            task.mail.add(checkpoint)

    @rule
    def find_no_slot(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-4: a task has given its slot back when it is to be triggered: its call counts as sent.

        Only a time-out helps then.
        """
        require(self.unassigned_counts_as_triggered, lambda: checkpoint.triggers.has(task))
        require(task.reported_finished)
        checkpoint.triggers.remove(task)

    @assumed(
        "CheckpointCoordinator.onTriggerFailure", "CheckpointCoordinator.receiveDeclineMessage"
    )
    @step
    def trigger_failed(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-5, LF-7, AB-6: a task that no longer runs is not triggered: the checkpoint is aborted.

        The cancel marker of one that is being cancelled is lost with its channels.
        """
        if checkpoint.is_pending:
            self.abort(checkpoint)

    @rule(fair=STRONG)
    def run_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-7: the mailbox runs a trigger, also while it drains (FC-8)."""
        require(self.is_recovered(task))
        if self.virtual_barrier == VirtualBarrier.BEFORE_END_OF_PARTITION:
            require(task.inputs_ended)
        require(self.is_in_turn(task, checkpoint))
        require(task.mail.has(checkpoint), task.is_alive)
        task.mail.remove(checkpoint)
        task.gate.on_trigger(checkpoint)

    @assumed("CheckpointCoordinator.triggerTasks")
    @define
    def is_in_turn(self, task: Task, checkpoint: Checkpoint) -> bool:
        """PL-4, 1.6: whether the trigger is the mailbox's oldest, if they keep their order."""
        if not self.calls_in_order:
            return True
        return all(e >= checkpoint or not task.mail.has(e) for e in self.checkpoints)

    @assumed("SequentialChannelStateReaderImpl.readInputData")
    @define
    def is_recovered(self, task: Task) -> bool:
        """RC-9: whether a task has processed all that it was given from logs."""
        return all(channel.is_replayed for channel in task.inputs)

    # --- acknowledgement and completion ----------------------------------------------------------

    @step
    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """The task's part is taken: its acknowledgement is on its way, unless logs are missing."""
        known = self.known(checkpoint)
        if self.acknowledges_snapshots:
            self.acknowledge(task, checkpoint)
        if self.unions and known.is_pending and task.has_finished:
            known.operators_finished.add(task)

    @step
    def acknowledge(self, task: Task, checkpoint: CheckpointId) -> None:
        """AB-2: the task's part is complete: its acknowledgement is on its way."""
        known = self.known(checkpoint)
        if known.is_pending:
            known.acknowledgements.add(task)

    @rule(fair=WEAK)
    def apply_acknowledgement(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-2: an acknowledgement arrives; acknowledgements of several tasks in any order.

        AB-5: nothing else makes the coordinator stop waiting for a task.
        """
        require(checkpoint.acknowledgements.has(task))
        checkpoint.acknowledgements.remove(task)
        checkpoint.awaited.remove(task)

    @rule
    def lose_acknowledgement(self, task: Task, checkpoint: Checkpoint) -> None:
        """1.6: an acknowledgement is lost; its task does not know, or sees it and declines."""
        require(self.acknowledgement != Acknowledgement.RELIABLE, int(self.bounds.declines) > 0)
        require(checkpoint.acknowledgements.has(task), task.is_alive)
        self.count_decline()
        checkpoint.acknowledgements.remove(task)
        if self.acknowledgement == Acknowledgement.ANSWERED:
            checkpoint.declined = True

    @rule(fair=WEAK)
    def complete(self, checkpoint: Checkpoint) -> None:
        """CN-1: all have acknowledged: the checkpoint is stored, older ones are subsumed."""
        require(checkpoint.is_pending, self.is_fully_acknowledged(checkpoint))
        if self.may_not_complete(checkpoint):
            self.abort(checkpoint)
        else:
            self.store(checkpoint)
            self.note_completion(checkpoint)
            for task in self.tasks:
                self.confirm(task, checkpoint)
            if self.observes("progress"):
                self.progress = True
        self.completed(checkpoint)

    @assumed("PendingCheckpoint.isFullyAcknowledged")
    @define
    def is_fully_acknowledged(self, checkpoint: Checkpoint) -> bool:
        """AB-2: whether all tasks of the plan have acknowledged a checkpoint."""
        return checkpoint.awaited.is_empty

    def completed(self, checkpoint: Checkpoint) -> None:
        """What a protocol does with a checkpoint that has completed, or was aborted instead."""

    # --- the end ---------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def learn_finished(self, task: Task) -> None:
        """1.8: the coordinator learns that a task is FINISHED, before or after those downstream."""
        require(task.is_closed, not task.reported_finished)
        task.reported_finished = True
        if all(each.reported_finished for each in self.tasks):
            self.shut_down()
