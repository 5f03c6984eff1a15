"""A job laid out: the tasks, channels, checkpoints, records and sinks of a protocol on a job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import ClassVar, cast

from model.errors import FinaleError, Place
from model.language.guards import Limit
from model.protocols.barriers.gate import AlignedGate, GatePorts
from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.job.bounds import JobBounds
from model.protocols.job.channels import Channel
from model.protocols.job.elements import CheckpointId, Datum
from model.protocols.job.records import data_at, tags, ticks, watermarks
from model.protocols.sinks.committer import CommittableChannel, Committer, Writer
from model.protocols.sinks.outside_sinks import BufferedSink, GreatestIdSink
from model.protocols.sinks.sinks import AtLeastOnceSink, Sink, TwoPhaseSink
from model.protocols.task.operators import Buffering, ParkingTask, TickingTask, TimerTask
from model.protocols.task.sources import FetchingSource, IterationHead, Source
from model.protocols.task.tasks import Task
from model.rules import Bool, Entity, Nothing, Protocol, Setting, define, field
from model.topology import Channel as EdgeChannel
from model.topology import Job, Kind, Subtask, Vertex
from model.topology import Sink as SinkKind


class JobProtocol(Protocol):
    """What every protocol on jobs has. Its bounds are these, or have these too.

    A part of a protocol that has rules within a bound of its own names it in `explores`. A rule
    within a bound must not be there where the bound is 0: it begins by requiring that it is more,
    for what a bound forbids is never a deadlock.
    """

    needs_job = True
    Bounds = JobBounds
    bounds: JobBounds
    explores: ClassVar[tuple[str, ...]] = (
        "checkpoints", "live_checkpoints", "channel",
        "failures", "lost_confirmations", "expiries", "declines",
    )  # fmt: skip
    ghosts: ClassVar[tuple[str, ...]] = (
        "effects", "cut", "taken", "progress", "watermarks", "cancellations",
    )  # fmt: skip
    parts: ClassVar[tuple[type[Entity], ...]] = (
        *(Checkpoint, Task, Source, AlignedGate, Channel),
        *(Buffering, TimerTask, ParkingTask, TickingTask),
        *(IterationHead, AtLeastOnceSink, TwoPhaseSink, Writer, Committer),
        *(BufferedSink, GreatestIdSink, FetchingSource),
    )

    #: PL-1: how many checkpoints may be pending at once.
    concurrent: int

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
        made = ticks(self.job, int(self.bounds.ticks))
        self.data_at = data_at(self.job, made)
        self.data = tuple(dict.fromkeys(d for data in self.data_at.values() for d in data))
        self.tasks = tuple(self._task_of(subtask) for subtask in self.job.subtasks)
        cut = "cut" in setting.observe
        self.channels = tuple(self._class_of(e)(e, cut=cut) for e in self.job.channels)
        for channel in self.channels:
            channel.counts_cancellations = "cancellations" in setting.observe
        self.watermarks = watermarks(self.job, int(self.bounds.watermarks))
        self.tags = tags(self.job, len(self.checkpoints))
        self.task_of = {task.subtask: task for task in self.tasks}
        self.sinks: tuple[Sink, ...] = ()
        for task in self.tasks:
            self._connect(task, made, effects="effects" in setting.observe)
        self._pair_writers()
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
    def task_classes(self) -> Mapping[Kind, type[Task]]:
        """What the tasks of a vertex are that reads others, by its kind. Others are refused."""
        plain = (
            Kind.PASS_THROUGH,
            Kind.KEYED,
            Kind.UNION_STATE,
            Kind.BROADCAST_STATE,
            Kind.SPLIT_STATE,
        )
        return dict.fromkeys(plain, Task) | {
            Kind.BUFFERING: Buffering,
            Kind.TIMER: TimerTask,
            Kind.ASYNC: ParkingTask,
            Kind.TICKING: TickingTask,
            Kind.WRITER: Writer,
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
        return tuple(e.name for e in fields(cls.Bounds) if e.name in explored | own)

    def _refuse_unexplored(self) -> None:
        for each in fields(self.bounds):
            if int(getattr(self.bounds, each.name)) and each.name not in self.bound_names():
                raise FinaleError(
                    "unexplored-bound",
                    f'nothing in "{self.key}" happens within the bound "{each.name}"',
                    place=Place(key=f"bounds.{each.name}"),
                    advice="leave it out",
                )

    def _task_of(self, subtask: Subtask) -> Task:
        kind = subtask.vertex.kind
        if subtask.vertex.is_source:
            head = kind is Kind.ITERATION_HEAD
            task: Task = IterationHead(subtask) if head else self.source_class(subtask)
        elif kind in self.task_classes:
            task = self.task_classes[kind](subtask)
        else:
            raise self._not_modelled(subtask.vertex, "kind", kind.value)
        task.gate = self.gate_class(task, cast(GatePorts, self))
        return task

    def _not_modelled(self, vertex: Vertex, key: str, word: str) -> FinaleError:
        return FinaleError(
            "kind-not-modelled",
            f'"{self.key}" does not model what the {key} "{word}" does',
            place=Place(key=f"job.{vertex.name}.{key}"),
            advice="choose another: docs/specs.md lists them",
        )

    def _refuse_copies(self, vertex: Vertex) -> None:
        # The effect of a copy could not be told from that of a record that came twice.
        if any(edge.broadcast for edge in self.job.edges_into(vertex)):
            raise FinaleError(
                "effects-of-copies",
                f'"{vertex.name}" is sent copies of each record, and effects are counted',
                place=Place(key=f"job.{vertex.name}.from"),
                advice="leave out effects = true in [observe], or broadcast = true here",
            )

    @property
    def channel_room(self) -> int:
        """How many elements must fit into a channel, so that no step waits for the bound alone.

        One record, with its watermark or all that an operator flushes; what a writer hands over;
        a barrier of each id; EndOfData and EndOfPartition. More records wait, as in back pressure.
        """
        flushed = (len(task.data) for task in self.tasks if isinstance(task, Buffering))
        records = max(1, 2 if self.watermarks else 1, *flushed)
        return records + len(self.tags) + len(self.checkpoints) + 2

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

    def _connect(
        self, task: Task, made: Mapping[Subtask, tuple[Datum, ...]], *, effects: bool
    ) -> None:
        by_edge = {channel.edge: channel for channel in self.channels}
        task.inputs = tuple(by_edge[edge] for edge in self.job.inputs(task.subtask))
        task.outputs = tuple(by_edge[edge] for edge in self.job.outputs(task.subtask))
        vertex = task.subtask.vertex
        if effects and vertex.parallelism > 1:
            self._refuse_copies(vertex)
        if isinstance(task, Source):
            task.data = tuple(d for d in self.data_at[vertex] if d.source == task.subtask)
        if isinstance(task, Buffering):
            task.data = self.data_at[vertex]
        if isinstance(task, TickingTask):
            task.own = made[task.subtask]
        if vertex.is_sink and vertex.sink not in self.sink_classes:
            raise self._not_modelled(vertex, "sink", vertex.sink.value)
        if effects and vertex.is_sink:
            kind = self.sink_classes[vertex.sink]
            task.sink = kind(task.name, vertex, self.data_at[vertex], self.checkpoints)
            self.sinks += (task.sink,)

    def _class_of(self, edge: EdgeChannel) -> type[Channel]:
        writes = edge.sender.vertex.kind is Kind.WRITER
        return self.committable_class if writes else self.channel_class

    def _pair_writers(self) -> None:
        for task in self.tasks:
            writers = [each for each in self.producers(task) if isinstance(each, Writer)]
            commits = task.subtask.vertex.sink is SinkKind.COMMITTER
            if writers or commits:
                self._refuse_unpaired(task, commits, writers)
                self._pair(writers[0], task)

    def _refuse_unpaired(self, task: Task, commits: bool, writers: list[Writer]) -> None:
        if not commits or len(task.inputs) != 1 or [len(w.outputs) for w in writers] != [1]:
            raise FinaleError(
                "committer-without-writer",
                f'"{task.name}" does not read one writer, and commits alone what it hands over',
                place=Place(key=f"job.{task.subtask.vertex.name}.from"),
                advice='let each subtask with sink = "committer" read one of kind = "writer"',
            )
        if self.recycles:
            raise FinaleError(
                "recycled-tags",
                f'what "{task.name}" commits is called by ids that are given once',
                place=Place(key="bounds.live_checkpoints"),
                advice="use checkpoints instead",
            )

    def _pair(self, writer: Writer, task: Task) -> None:
        writer.checkpoints, writer.tags = self.checkpoints, self.tags
        if isinstance(task.sink, Committer):
            task.sink.tags = self.tags
            writer.committer = task.sink

    @property
    def gives_ids_again(self) -> bool:
        return self.recycles

    def entities(self) -> Sequence[Entity]:
        gates = (task.gate for task in self.tasks)
        known = (*self.checkpoints, *self.tags, *self.data, *self.watermarks)
        return (*known, *self.tasks, *gates, *self.channels, *self.sinks)

    def keeps(self) -> frozenset[str]:
        return super().keeps() | frozenset({"union"} if self.unions else set[str]())

    def limits(self) -> Mapping[str, int]:
        return {**super().limits(), "data": len(self.data), "times": len(self.watermarks)}

    def reader(self, channel: Channel) -> Task:
        """The task that a channel leads to."""
        return self.task_of[channel.edge.receiver]

    def writer(self, channel: Channel) -> Task:
        """The task that a channel comes from."""
        return self.task_of[channel.edge.sender]

    def producers(self, task: Task) -> tuple[Task, ...]:
        """up(t): the tasks that a task reads."""
        return tuple(self.writer(channel) for channel in task.inputs)

    def consumers(self, task: Task) -> tuple[Task, ...]:
        """down(t): the tasks that read a task."""
        return tuple(self.reader(channel) for channel in task.outputs)

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

    @define
    def can_be_subsumed(self, checkpoint: Checkpoint) -> bool:
        """CN-1: whether a newer checkpoint makes this one superfluous."""
        return True

    @define
    def subsumes(self, checkpoint: Checkpoint) -> bool:
        """CN-2: whether the completion of this one makes older ones superfluous."""
        return True

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
        """CN-1: whether the job starts again from a checkpoint as long as none is newer."""
        return checkpoint.is_completed

    @define
    def is_in_store(self, checkpoint: Checkpoint) -> bool:
        """CN-1: whether the job can start again from a checkpoint."""
        return checkpoint.is_completed
