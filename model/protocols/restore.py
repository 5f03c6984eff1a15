"""Starting a job from a checkpoint: state is dealt out, and what has finished stays finished.

Rules RC-4 … RC-8 and RC-11 of the fact sheet and the metadata of PL-9, over the finish of FLIP-147.

**The start.** A spec with `[resume]` asks about the second of two jobs: its initial states are what
the first can leave behind. The snapshot takes the first checkpoint id: it is completed when the job
begins, and each task is restored from it as after a failure. A task of a vertex that has finished
altogether is started as finished: it does not run its operators, and passes on the ends of its
inputs. The transactions that the snapshot lists are committed before the job begins.

**Who gets which state.** As long as the parallelism stays, list and keyed state stays with its
subtask, and what a finished subtask had is gone. With another parallelism list state is dealt out
entry by entry and keyed state by ranges of key groups. Union state goes to everybody, and broadcast
state is copied from those that have reported a copy.

**What was in flight** to a vertex with another parallelism goes on by the kind of its state: with
keyed state to all subtasks whose ranges overlap that of the former one, each of which drops the
records of others (RANGE); otherwise by turns (ROUND_ROBIN). Edges that hold nothing in flight need
nothing (UN-6).

What may be changed between two jobs is in `coordinator/graph_check.py`.
Left out: operator chains, so that the operators of a vertex finish alike (RC-8 i); state of
operators that the new job does not have, which Flink refuses unless told otherwise; sources or
sinks with another parallelism; partitioners that go to the first subtask only.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, cast

from finale.model.language.plain import state_after
from finale.model.protocols.coordinator.checkpoints import COMPLETED, Checkpoint
from finale.model.protocols.coordinator.graph_check import (
    Check,
    GraphCheck,
    refuse_changes,
    statuses_in,
)
from finale.model.protocols.coordinator.metadata import (
    Encoding,
    Flags,
    Metadata,
    Snapshot,
    contents_of,
    fill,
)
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.finish_options import FinalCheckpointOptions
from finale.model.protocols.job.channels import Channel, LoggedChannel
from finale.model.protocols.job.elements import CheckpointId, Datum
from finale.model.protocols.task.operators import Buffering
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.stateful import DEALT_OUT, Share, Stateful
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import (
    EMPTY,
    WEAK,
    Bool,
    Entity,
    Nothing,
    Ref,
    Set,
    Setting,
    count,
    define,
    field,
    require,
    rule,
    step,
)
from finale.model.topology import Channel as Edge
from finale.model.topology import Job, OperatorKind, Vertex


class BroadcastFrom(enum.Enum):
    """RC-5: whose copy of broadcast state is handed on where the parallelism has changed."""

    REPORTERS = "reporters"
    FIRST = "first"


@dataclass(frozen=True)
class RestoreOptions(FinalCheckpointOptions):
    """The toggles of final checkpoints, and those of a start."""

    #: RC-8: what of the check of the graph is made
    check: Check = Check.FULL
    #: RC-5: whose copy of broadcast state is handed on where the parallelism has changed
    broadcast_from: BroadcastFrom = BroadcastFrom.REPORTERS
    #: RC-4: state that is rebuilt keeps the mark that its operator had finished
    rebuild_keeps_finished: bool = True
    #: H13: a source that is restored without state takes that for its first start
    empty_means_start: bool = False
    #: PL-8: the state of a coordinator is kept when its vertex has finished, and refused
    keeps_coordinator_state: bool = False
    #: PL-9: how finished operators are marked in the metadata
    metadata: Metadata = Metadata.SENTINEL


class Restore(FinalCheckpoint):
    """FinalCheckpoint, with operators that have state, and starts from what a job left behind."""

    key = "restore"
    Options: ClassVar[type] = RestoreOptions
    parts = (*FinalCheckpoint.parts, Stateful, Share)

    #: RC-5: whose copy of broadcast state is handed on.
    broadcast_from: BroadcastFrom = BroadcastFrom.REPORTERS

    def __init__(self, setting: Setting) -> None:
        former = setting.former
        self.former_job: Job | None = former.protocol.setting.job if former else None
        if former is not None:
            assert setting.job is not None
            refuse_changes(cast(Job, self.former_job), setting.job)
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
        former = self.former_vertex(vertex)
        return former.parallelism if former else 0

    @define
    def is_rescaled(self, vertex: Vertex, checkpoint: CheckpointId) -> bool:
        """Whether a checkpoint was taken when the vertex had another parallelism."""
        if self.former_parallelism(vertex) == vertex.parallelism:
            return False
        return self.is_first(checkpoint)

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
        """RC-4: what had finished altogether is started as finished; what is new, from nothing."""
        if self.has_finished_fully(task.subtask.vertex, checkpoint):
            self.start_finished(task, checkpoint)
        elif self.is_new(task.subtask.vertex) and self.is_first(checkpoint):
            task.confirmed = checkpoint
            self.restart_from_nothing(task)
        else:
            self.restore_with_state(task, checkpoint)
            if self.empty_means_start and isinstance(task, Source):
                self._start_if_empty(task, checkpoint)

    @step
    def restore_with_state(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-4, RC-5, RC-6: a task gets its state, its own or what is dealt out to it."""
        super().restore_from(task, checkpoint)
        if isinstance(task, Stateful):
            task.start_afresh()
            self.assign(task, checkpoint)

    @step
    def assign(self, task: Stateful, checkpoint: CheckpointId) -> None:
        """RC-5, RC-6: by its kind."""
        vertex = task.subtask.vertex
        if vertex.kind == OperatorKind.UNION_STATE:
            for share in self.shares_of(vertex):
                share.hand_over_all(task, checkpoint)
        elif vertex.kind == OperatorKind.BROADCAST_STATE:
            self.copy_broadcast(task, checkpoint)
        elif not self.is_rescaled(vertex, checkpoint):
            self.share_of(task).hand_over_all(task, checkpoint)
        elif vertex.kind == OperatorKind.KEYED:
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

    starts_from_snapshots: ClassVar[bool] = True
    unexplored = ("watermarks",)  # What is dealt out anew of logs is records.
    #: RC-8: what of the check of the graph is made.
    check: Check = Check.FULL
    #: FLINK-23809: whether state that is rebuilt keeps the mark that its operator had finished.
    rebuild_keeps_finished: bool = True
    #: H13: whether a source that is restored without state takes that for its first start.
    empty_means_start: bool = False
    #: PL-9: how finished operators are marked.
    metadata: Metadata = Metadata.SENTINEL

    skipping = field(Set(Ref(Task)), EMPTY, ghost="starts")
    """Tasks that were started as finished (RC-7)."""
    refused = field(Bool, False, ghost="resumed", effect=True)
    """The job was not started at all (RC-8)."""

    @property
    def restarts(self) -> bool:
        return self.recovers or self.is_resumed

    @property
    def keeps_snapshots(self) -> bool:
        return True

    def keeps(self) -> frozenset[str]:
        starts = {"starts"} if self.restarts else set[str]()
        resumed = {"resumed"} if self.is_resumed else set[str]()
        return super().keeps() | starts | resumed

    def entities(self) -> Sequence[Entity]:
        return (*super().entities(), *self.shares)

    @property
    def is_resumed(self) -> bool:
        """Whether the job is started from a snapshot of another: a plain truth value."""
        return self.former_job is not None

    def is_new(self, vertex: Vertex) -> bool:
        """Whether the job that left the snapshot behind did not have a vertex."""
        return self.former_vertex(vertex) is None

    def former_vertex(self, vertex: Vertex) -> Vertex | None:
        """The vertex in the job that left the snapshot behind, or None where it is new."""
        known = self.former_job.vertices if self.former_job else self.job.vertices
        return next((each for each in known if each.name == vertex.name), None)

    @define
    def is_first(self, checkpoint: CheckpointId) -> bool:
        """Whether a checkpoint is the snapshot that the job was started from."""
        return self.is_resumed and checkpoint == self.checkpoints[0]

    @define
    def has_finished_fully(self, vertex: Vertex, checkpoint: CheckpointId) -> bool:
        """RC-4: whether a checkpoint counts all subtasks of a vertex as finished."""
        known = self.known(checkpoint)
        return known.has_all(self.tasks_of(vertex), known.finished)

    def tasks_of(self, vertex: Vertex) -> tuple[Task, ...]:
        """The subtasks of a vertex."""
        return tuple(self.task_of[each] for each in self.job.subtasks_of(vertex))

    @define
    def is_skipping(self, task: Task) -> bool:
        """RC-7: whether a task was started as finished."""
        return self.restarts and self.skipping.has(task)

    @define
    def is_refused(self) -> bool:
        """RC-8: whether the job was not started."""
        return self.is_resumed and self.refused

    @define
    def has_lost_own_state(self, task: Task) -> bool:
        """RC-4: whether a task runs that had finished when the checkpoint was taken that it was
        restored from, while others of its vertex had not."""
        newest = self.restore_point()
        is_marked = any(
            newest == each and task.confirmed == each and each.finished.has(task)
            for each in self.checkpoints
        )
        return self.restarts and is_marked and not self.is_skipping(task)

    # --- a start ---------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def restore(self, task: Task) -> None:
        """RC-1, RC-4: a task starts again from the newest completed checkpoint, or from nothing."""
        if self.is_resumed:
            require(not self.refused)
        super().restore(task)

    @rule
    def fail(self) -> None:
        """RC-1: a task fails: pending checkpoints are aborted, and all attempts end."""
        if self.is_resumed:
            require(not self.refused)
        super().fail()
        self.skipping.clear()

    @define
    def terminal(self) -> bool:
        """The job has ended or goes on for ever, or it was not started."""
        return self.is_refused() or super().terminal()

    @step
    def start_finished(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-4, RC-7: a task of a vertex that has finished does not run its operators."""
        if self.rebuild_keeps_finished:
            self.restore_with_state(task, checkpoint)
            self.skipping.add(task)
        else:
            task.confirmed = checkpoint
            self.restart_from_nothing(task)

    @step
    def _start_if_empty(self, task: Source, checkpoint: CheckpointId) -> None:
        if self.known(checkpoint).finished.has(task):
            task.remaining = len(task.data)

    @step
    def process(self, task: Task, channel: Channel) -> None:
        """RC-7: a task that was started as finished has no operator that would take a record."""
        if self.restarts and self.skipping.has(task):
            channel.queue.take()
        else:
            super().process(task, channel)

    @step
    def answered(self, checkpoint: Checkpoint) -> None:
        """PL-8: what was started as finished is marked so again in a checkpoint that completes."""
        if self.restarts and checkpoint.is_completed:
            self.mark_finished_on_restore(checkpoint)

    @step
    def mark_finished_on_restore(self, checkpoint: Checkpoint) -> None:
        """PL-8: tasks that were started as finished count as finished in what they take part in."""
        for task in self.tasks:
            if self.skipping.has(task):
                checkpoint.finished.add(task)

    # --- what is left behind ---------------------------------------------------------------------

    def left_behind(self) -> object:
        """What the newest completed checkpoint holds. The state that it is asked of is changed."""
        newest = self.newest_completed()
        if newest == Nothing:
            return None
        finished = self.known(newest).finished
        for sink in self.sinks:
            sink.restore(newest)
        running = [task for task in self.tasks if not finished.has(task)]
        return Snapshot(
            frozenset(task.name for task in self.tasks if finished.has(task)),
            tuple((t.name, t.offset[newest]) for t in running if isinstance(t, Source)),
            tuple(
                (t.name, contents_of(t.buffered[newest], t.data))
                for t in running
                if isinstance(t, Buffering)
            ),
            tuple(
                (share.name, contents_of(share.content[newest], share.data))
                for share in self.shares
                if share.reported.has(newest)
            ),
            tuple((sink.name, contents_of(sink.visible, sink.data)) for sink in self.sinks),
            self.in_flight(newest) if self.logs_channels else (),
        )

    def in_flight(self, checkpoint: CheckpointId) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """RC-11: what a checkpoint has logged on each channel, by names."""
        logs = ((each.name, self.logged(each).log[checkpoint]) for each in self.channels)
        named = ((name, tuple(log.at(i).name for i in range(log.length))) for name, log in logs)
        return tuple(each for each in named if each[1])

    def start_states(self) -> Sequence[Mapping[str, object]] | None:
        former = self.setting.former
        if former is None:
            return None
        snapshots = [cast(Snapshot, each) for each in former.snapshots()]
        return [state_after(self.world, partial(self.load, each)) for each in snapshots]

    def load(self, snapshot: Snapshot) -> None:
        """Begin with a snapshot as the first completed checkpoint, or refuse it (RC-8)."""
        flags = self.flags_in(snapshot)
        for task in self.tasks:
            task.status = TaskStatus.RESTORING
        first = self.checkpoints[0]
        first.status = COMPLETED
        for task in self.tasks:
            if self._is_marked(task, flags):
                first.finished.add(task)
        if GraphCheck(self.job, self.check).refusal(statuses_in(flags)) is None:
            self.load_state(snapshot, first)
        else:
            self.refused = True

    def flags_in(self, snapshot: Snapshot) -> Mapping[str, Flags]:
        """PL-9: what had finished, by vertex, written into metadata and read again."""
        assert self.former_job is not None
        encoding = self.encoding
        found: dict[str, Flags] = {}
        for vertex in self.former_job.vertices:
            subtasks = self.former_job.subtasks_of(vertex)
            marks = frozenset(s.index for s in subtasks if s.name in snapshot.finished)
            found[vertex.name] = encoding.decode(encoding.encode(Flags(len(subtasks), marks)))
        return found

    @property
    def encoding(self) -> Encoding:
        """PL-9: how metadata is written and read."""
        return Encoding(self.metadata)

    def _is_marked(self, task: Task, flags: Mapping[str, Flags]) -> bool:
        vertex = task.subtask.vertex
        if vertex.name not in flags:
            return False
        known = flags[vertex.name]
        same = known.parallelism == vertex.parallelism
        return known.is_full or (same and task.subtask.index in known.finished)

    def load_state(self, snapshot: Snapshot, first: Checkpoint) -> None:
        """The state in a snapshot becomes that of the first checkpoint."""
        remaining, held = dict(snapshot.remaining), dict(snapshot.held)
        shares, visible = dict(snapshot.shares), dict(snapshot.visible)
        for task in self.tasks:
            if isinstance(task, Source) and not first.finished.has(task):
                # A subtask of which the snapshot knows nothing starts for the first time.
                task.offset[first] = remaining.get(task.name, len(task.data))
            if isinstance(task, Buffering):
                fill(task.buffered[first], task.data, held.get(task.name, ()))
        for share in self.shares:
            if share.name in shares:
                share.reported.add(first)
                fill(share.content[first], share.data, shares[share.name])
        for sink in self.sinks:
            fill(sink.visible, sink.data, visible.get(sink.name, ()))
        self.load_in_flight(dict(snapshot.in_flight), first)

    def load_in_flight(self, logged: Mapping[str, tuple[str, ...]], first: Checkpoint) -> None:
        """RC-11: what was in flight becomes part of the first checkpoint."""
        assert self.former_job is not None
        data = {each.name: each for each in self.data}
        for former in self.former_job.channels:
            for name in logged.get(former.name, ()):
                for channel in self.heirs(former, data[name]):
                    channel.log[first].put(data[name])

    #: PL-8: the state of a coordinator is kept when its vertex has finished, and refused.
    keeps_coordinator_state: bool = False

    @property
    def task_classes(self) -> Mapping[OperatorKind, type[Task]]:
        return {**super().task_classes, **dict.fromkeys(DEALT_OUT, Stateful)}

    @define
    def may_not_complete(self, checkpoint: Checkpoint) -> bool:
        """PL-8: or the metadata of a finished vertex refuses the state of its coordinator."""
        if self.keeps_coordinator_state and self._has_finished_source(checkpoint):
            return True
        return super().may_not_complete(checkpoint)

    @define
    def _has_finished_source(self, checkpoint: Checkpoint) -> bool:
        return any(
            checkpoint.has_all(self.tasks_of(source), checkpoint.finished)
            for source in self.job.sources
        )

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
        if vertex.kind is OperatorKind.KEYED:
            # The ranges index / new … (index + 1) / new and those of the former overlap.
            return index * old < (former.receiver.index + 1) * new and (
                former.receiver.index * new < (index + 1) * old
            )
        return index == former.receiver.index % new

    def keeps_in_flight(self, record: Datum, vertex: Vertex, index: int) -> bool:
        """RC-11: whether a subtask keeps a record that it was given: those of its own keys."""
        return (
            vertex.kind is not OperatorKind.KEYED or record.owner_among(vertex.parallelism) == index
        )
