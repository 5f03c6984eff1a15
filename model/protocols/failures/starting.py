"""A job that is started from a snapshot of another: of the same shape, rescaled, or changed.

Models RC-4, RC-7 and RC-8 of the fact sheet. The snapshot takes the first checkpoint id: it is
completed when the job begins, and each task is restored from it as after a failure. A task of a
vertex that has finished altogether is started as finished: it does not run its operators, and
passes on the ends of its inputs. The transactions that the snapshot lists are committed before the
job begins. Left out: state of operators that the new job does not have, which Flink refuses unless
told otherwise, and sources or sinks with another parallelism.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar, cast

from model.errors import FinaleError, Place
from model.language.collections import MapOf
from model.language.starting import state_after
from model.protocols.coordinator.checkpoints import COMPLETED, Checkpoint
from model.protocols.coordinator.graph_check import Check, Finished, GraphCheck, Statuses
from model.protocols.coordinator.metadata import Encoding, Flags, Metadata
from model.protocols.coordinator.snapshots import Contents, Snapshot
from model.protocols.failures.assignment import Assignment
from model.protocols.job.channels import Channel
from model.protocols.job.elements import CheckpointId, Datum
from model.protocols.task.operators import Buffering
from model.protocols.task.sources import Source
from model.protocols.task.stateful import DEALT_OUT
from model.protocols.task.tasks import Task, TaskStatus
from model.rules import (
    EMPTY,
    WEAK,
    Bool,
    Entity,
    Nothing,
    Ref,
    Set,
    Setting,
    define,
    field,
    require,
    rule,
    step,
)
from model.topology import Job, Vertex


class Starting(Assignment):
    """A job that may have been started from a snapshot, and that leaves snapshots behind."""

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
    refused = field(Bool, False, ghost="resumed")
    """The job was not started at all (RC-8)."""

    def __init__(self, setting: Setting) -> None:
        former = setting.former
        self.former_job: Job | None = former.protocol.setting.job if former else None
        if former is not None:
            assert setting.job is not None
            _refuse_changes(cast(Job, self.former_job), setting.job)
        super().__init__(setting)

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

    def former_parallelism(self, vertex: Vertex) -> int:
        former = self.former_vertex(vertex)
        return former.parallelism if former else 0

    @define
    def is_first(self, checkpoint: CheckpointId) -> bool:
        """Whether a checkpoint is the snapshot that the job was started from."""
        return self.is_resumed and checkpoint == self.checkpoints[0]

    @define
    def is_rescaled(self, vertex: Vertex, checkpoint: CheckpointId) -> bool:
        if self.former_parallelism(vertex) == vertex.parallelism:
            return False
        return self.is_first(checkpoint)

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
    def restore_from(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-4: what had finished altogether is started as finished; what is new, from nothing."""
        if self.has_finished_fully(task.subtask.vertex, checkpoint):
            self.start_finished(task, checkpoint)
        elif self.is_new(task.subtask.vertex) and self.is_first(checkpoint):
            task.confirmed = checkpoint
            self.restart_from_nothing(task)
        else:
            super().restore_from(task, checkpoint)
            if self.empty_means_start and isinstance(task, Source):
                self._start_if_empty(task, checkpoint)

    @step
    def start_finished(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-4, RC-7: a task of a vertex that has finished does not run its operators."""
        if self.rebuild_keeps_finished:
            super().restore_from(task, checkpoint)
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
                (t.name, _contents(t.buffered[newest], t.data))
                for t in running
                if isinstance(t, Buffering)
            ),
            tuple(
                (share.name, _contents(share.content[newest], share.data))
                for share in self.shares
                if share.reported.has(newest)
            ),
            tuple((sink.name, _contents(sink.visible, sink.data)) for sink in self.sinks),
        )

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
        if GraphCheck(self.job, self.check).refusal(_statuses(flags)) is None:
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
                _fill(task.buffered[first], task.data, held.get(task.name, ()))
        for share in self.shares:
            if share.name in shares:
                share.reported.add(first)
                _fill(share.content[first], share.data, shares[share.name])
        for sink in self.sinks:
            _fill(sink.visible, sink.data, visible.get(sink.name, ()))


def _statuses(flags: Mapping[str, Flags]) -> Statuses:
    return {name: (_status(each),) for name, each in flags.items()}


def _status(flags: Flags) -> Finished:
    if flags.is_full:
        return Finished.FULLY
    return Finished.PARTIALLY if flags.finished else Finished.RUNNING


def _contents(effects: MapOf[Datum, int], data: tuple[Datum, ...]) -> Contents:
    return tuple((record.name, effects[record]) for record in data if effects[record])


def _fill(effects: MapOf[Datum, int], data: tuple[Datum, ...], contents: Contents) -> None:
    known = dict(contents)
    for record in data:
        effects[record] = known.get(record.name, 0)


def _refuse_changes(former: Job, job: Job) -> None:
    """Refuse what a snapshot of the former job says nothing about, or too much."""
    new = {vertex.name: vertex for vertex in job.vertices}
    for old in former.vertices:
        vertex = new.get(old.name)
        if vertex is None:
            problem = f'the job has no "{old.name}", whose state would be lost'
        elif (vertex.kind, vertex.sink) != (old.kind, old.sink):
            problem = f'"{old.name}" is of another kind than in the job before'
        elif vertex.records != old.records:
            problem = f'the source "{old.name}" has other records than in the job before'
        elif vertex.parallelism != old.parallelism and vertex.kind not in DEALT_OUT:
            problem = f'"{old.name}" has another parallelism, and a state that is not dealt out'
        else:
            continue
        raise FinaleError(
            "resume-changes-too-much",
            problem,
            place=Place(key="job"),
            advice="keep the vertices of the job before; add some, or change the parallelism of "
            "those with keyed, split, union or broadcast state",
        )
