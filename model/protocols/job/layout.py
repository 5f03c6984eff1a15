"""A job laid out: its tasks, channels, records and sinks, made and connected.

For each record the layout says which subtask makes it, which vertices it reaches, and its tag.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import ClassVar, cast

from finale.model.errors import FinaleError, Place
from finale.model.protocols.barriers.gate import AlignedGate, GatePorts
from finale.model.protocols.committer import CommittableChannel, Committer, Writer
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.coordinator.options import JobBounds
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Datum, Tag, Watermark
from finale.model.protocols.sinks import Sink
from finale.model.protocols.task.operators import Buffering, TickingTask
from finale.model.protocols.task.sources import IterationHead, Source
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Setting
from finale.model.topology import Channel as EdgeChannel
from finale.model.topology import Edge, Job, OperatorKind, Subtask, Vertex
from finale.model.topology import Sink as SinkKind


class Kinds(typing.Protocol):
    """What a protocol says of the entities on a job: their classes, and its bounds."""

    key: ClassVar[str]
    bounds: JobBounds
    recycles: bool

    @property
    def channel_class(self) -> type[Channel]: ...

    @property
    def committable_class(self) -> type[CommittableChannel]: ...

    @property
    def gate_class(self) -> type[AlignedGate]: ...

    @property
    def source_class(self) -> type[Source]: ...

    @property
    def task_classes(self) -> Mapping[OperatorKind, type[Task]]: ...

    @property
    def sink_classes(self) -> Mapping[SinkKind, type[Sink]]: ...


class JobLayout:
    """The entities of a job, for one protocol."""

    def __init__(self, kinds: Kinds, setting: Setting, checkpoints: tuple[Checkpoint, ...]) -> None:
        assert setting.job is not None
        self.job, self.kinds, self.checkpoints = setting.job, kinds, checkpoints
        bounds, observe = kinds.bounds, setting.observe
        made = ticks(self.job, int(bounds.ticks))
        self.data_at = data_at(self.job, made)
        self.data = tuple(dict.fromkeys(d for data in self.data_at.values() for d in data))
        self.tasks = tuple(self._task_of(subtask) for subtask in self.job.subtasks)
        self.channels = tuple(
            self._class_of(edge)(edge, cut="cut" in observe) for edge in self.job.channels
        )
        for channel in self.channels:
            channel.counts_cancellations = "cancellations" in observe
        self.watermarks = watermarks(self.job, int(bounds.watermarks))
        self.tags = tags(self.job, len(checkpoints))
        self.task_of = {task.subtask: task for task in self.tasks}
        self.sinks: tuple[Sink, ...] = ()
        for task in self.tasks:
            self._connect(task, made, effects="effects" in observe)
        self._pair_writers()

    def _task_of(self, subtask: Subtask) -> Task:
        kind = subtask.vertex.kind
        if subtask.vertex.is_source:
            head = kind is OperatorKind.ITERATION_HEAD
            task: Task = IterationHead(subtask) if head else self.kinds.source_class(subtask)
        elif kind in self.kinds.task_classes:
            task = self.kinds.task_classes[kind](subtask)
        else:
            raise self._not_modelled(subtask.vertex, "kind", kind.value)
        task.gate = self.kinds.gate_class(task, cast(GatePorts, self.kinds))
        return task

    def _class_of(self, edge: EdgeChannel) -> type[Channel]:
        writes = edge.sender.vertex.kind is OperatorKind.WRITER
        return self.kinds.committable_class if writes else self.kinds.channel_class

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
        if vertex.is_sink and vertex.sink not in self.kinds.sink_classes:
            raise self._not_modelled(vertex, "sink", vertex.sink.value)
        if effects and vertex.is_sink:
            kind = self.kinds.sink_classes[vertex.sink]
            task.sink = kind(task.name, vertex, self.data_at[vertex], self.checkpoints)
            self.sinks += (task.sink,)

    def _pair_writers(self) -> None:
        for task in self.tasks:
            writers = [
                each
                for each in (self.task_of[channel.edge.sender] for channel in task.inputs)
                if isinstance(each, Writer)
            ]
            commits = task.subtask.vertex.sink is SinkKind.COMMITTER
            if writers or commits:
                self._refuse_unpaired(task, commits, writers)
                self._pair(writers[0], task)

    def _pair(self, writer: Writer, task: Task) -> None:
        writer.checkpoints, writer.tags = self.checkpoints, self.tags
        if isinstance(task.sink, Committer):
            task.sink.tags = self.tags
            writer.committer = task.sink

    def _not_modelled(self, vertex: Vertex, key: str, word: str) -> FinaleError:
        return FinaleError(
            "kind-not-modelled",
            f'"{self.kinds.key}" does not model what the {key} "{word}" does',
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

    def _refuse_unpaired(self, task: Task, commits: bool, writers: list[Writer]) -> None:
        if not commits or len(task.inputs) != 1 or [len(w.outputs) for w in writers] != [1]:
            raise FinaleError(
                "committer-without-writer",
                f'"{task.name}" does not read one writer, and commits alone what it hands over',
                place=Place(key=f"job.{task.subtask.vertex.name}.from"),
                advice='let each subtask with sink = "committer" read one of kind = "writer"',
            )
        if self.kinds.recycles:
            raise FinaleError(
                "recycled-tags",
                f'what "{task.name}" commits is called by ids that are given once',
                place=Place(key="bounds.live_checkpoints"),
                advice="use checkpoints instead",
            )


def tags(job: Job, checkpoints: int) -> tuple[Tag, ...]:
    """One tag for each checkpoint and one above them, where anything is tagged."""
    if all(vertex.kind is not OperatorKind.WRITER for vertex in job.vertices):
        return ()
    return (*(Tag(f"tag{n + 1}") for n in range(checkpoints)), Tag("last-tag"))


def watermarks(job: Job, below_maximal: int) -> tuple[Watermark, ...]:
    """So many watermarks, and the maximal one above them; none at all where there are none."""
    if not below_maximal:
        return ()
    some = range(1, below_maximal + 1)
    anywhere = job.subtasks[0]
    return (
        *(Watermark(f"wm{time}", anywhere, time) for time in some),
        Watermark("wm-max", anywhere, below_maximal + 1),
    )


def ticks(job: Job, times: int) -> dict[Subtask, tuple[Datum, ...]]:
    """The records that timers of the clock may make."""
    return {
        subtask: tuple(
            Datum(f"{subtask.name}!{n + 1}", subtask, n + 1, of_clock=True) for n in range(times)
        )
        for subtask in job.subtasks
        if subtask.vertex.kind is OperatorKind.TICKING
    }


def data_at(job: Job, ticks: dict[Subtask, tuple[Datum, ...]]) -> dict[Vertex, tuple[Datum, ...]]:
    """The data that reach each vertex, in the order of sources and numbers."""
    found: dict[Vertex, list[Datum]] = {vertex: [] for vertex in job.vertices}
    groups = max((subtask.records for subtask in job.subtasks), default=0)
    for vertex in job.topological:
        if vertex.is_source:
            found[vertex] = [
                Datum(f"{subtask.name}#{number + 1}", subtask, number + 1, key_groups=groups)
                for subtask in job.subtasks_of(vertex)
                for number in range(subtask.records)
            ]
        elif vertex.chained:
            found[vertex] += _made_by_chained(job, vertex, groups)
        own = [datum for subtask in job.subtasks_of(vertex) for datum in ticks.get(subtask, ())]
        edges = job.edges_out_of(vertex)
        for edge in edges:
            for datum in found[vertex] + own:
                datum.along[edge] = _copy(datum, edge) if len(edges) > 1 else datum
                found[job.vertex(edge.target)].append(datum.along[edge])
    return {vertex: tuple(data) for vertex, data in found.items()}


def _made_by_chained(job: Job, vertex: Vertex, groups: int) -> list[Datum]:
    """What sources chained into a vertex's subtasks emit; numbered through in each subtask."""
    return [
        Datum(f"{name}#{number - before}", subtask, number, key_groups=groups)
        for subtask in job.subtasks_of(vertex)
        for name, before, count in chained_in(subtask)
        for number in range(before + 1, before + count + 1)
    ]


def chained_in(subtask: Subtask) -> tuple[tuple[str, int, int], ...]:
    """The sources chained into a subtask: name, how many records come before its own, how many."""
    counts = subtask.vertex.chained
    return tuple(
        (f"{subtask.name}.source{n + 1}", sum(counts[:n]), count) for n, count in enumerate(counts)
    )


def _copy(datum: Datum, edge: Edge) -> Datum:
    name = f"{datum.name}/{edge.target}{edge.suffix}"
    groups, of_clock = datum.key_groups, datum.of_clock
    return Datum(name, datum.source, datum.number, key_groups=groups, of_clock=of_clock)
