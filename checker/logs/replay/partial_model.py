"""Builds the model of a job of which only logs are known.

The model has the tasks that the logs name. No line tells which task reads which, and no line tells
some of the variables. A property that reads either is *undecided* for this log: the judge says so
and does not guess.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NoReturn

from finale.checker.logs.partial_state import UnknownHere
from finale.checker.logs.property_monitor import AskedPredicates
from finale.checker.logs.questions import is_monitored
from finale.checker.logs.read.log_events import SOURCES
from finale.checker.search.interpreter.execution import PlainPredicate
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import can_apply
from finale.model.language.build import bindings, world_of
from finale.model.language.plain import PlainStore
from finale.model.language.properties import Taken
from finale.model.language.protocol import Setting
from finale.model.language.starting import Values, start_values
from finale.model.protocols.coordinator.checkpoints import CheckpointKind
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import define
from finale.model.topology import Edge, Job, Pattern, Sink, Vertex


def _unknown() -> NoReturn:
    raise UnknownHere


class PartialModel(StopWithSavepoint):
    """Today's protocol, of which only the tasks are known, and not what they read."""

    key = "partial"
    hides_records = True
    #: It is laid out; from now on it is asked.
    built = False

    def producers(self, task: Task) -> tuple[Task, ...]:
        return _unknown() if self.built else super().producers(task)

    def consumers(self, task: Task) -> tuple[Task, ...]:
        return _unknown() if self.built else super().consumers(task)

    def writer(self, channel: Channel) -> Task:
        return _unknown() if self.built else super().writer(channel)

    @define
    def ended_by_suspension(self, task: Task) -> bool:
        """Whether a task ends while it knows of a savepoint without drain."""
        return any(
            task.sync == checkpoint and checkpoint.kind == CheckpointKind.SUSPEND
            for checkpoint in self.checkpoints
        )


@dataclass(frozen=True)
class ModelSize:
    """How many of everything that a log tells of there are."""

    checkpoints: int
    stops: int = 0
    savepoints: int = 0


@lru_cache(maxsize=16)
def partial_system(
    tasks: tuple[tuple[str, int], ...], size: ModelSize, *, commits: bool = False
) -> PartialSystem:
    """The system for a job; runs of one job have it in common, for it has no state of its own."""
    return PartialSystem(dict(tasks), size, commits=commits)


class PartialSystem:
    """A protocol that stands in for a job, and the properties that can be asked of it.

    `tasks` are vertices, in their order, and how many subtasks each has.
    """

    def __init__(self, tasks: Mapping[str, int], size: ModelSize, *, commits: bool = False) -> None:
        bounds = {
            "checkpoints": max(2, size.checkpoints),
            "channel": 4,
            **{"failures": 1, "declines": 1, "expiries": 1, "cancels": 1, "crashes": 0},
            "stops": max(1, size.stops),
            "savepoints": max(1, size.savepoints),
        }
        history = {"taken", "progress", *({"effects"} if commits else ())}
        self.names: dict[tuple[str, int], str] = {}
        job = _job(tasks, commits)
        setting = Setting(job, {}, {}, bounds, frozenset(history))
        self.protocol = PartialModel(setting)
        self.world = world_of(self.protocol, self.protocol.keeps())
        (usual,) = start_values(self.protocol, self.world)
        store = PlainStore(usual)
        with self.world.on(store):
            for task in self.protocol.tasks:
                task.status = TaskStatus.RESTORING
        self.start: Values = tuple(store.values)
        """No task runs yet."""
        object.__setattr__(self.protocol, "built", True)  # no variable of the state
        numbers: dict[str, int] = {}
        self.tasks: dict[tuple[str, int], Task] = {}
        vertices = dict(zip((vertex.name for vertex in job.vertices), tasks, strict=True))
        for task in self.protocol.tasks:
            vertex = vertices[task.subtask.vertex.name]
            subtask = numbers.get(vertex, 0)
            numbers[vertex] = subtask + 1
            self.tasks[vertex, subtask] = task
        self.predicates = tuple(
            predicate
            for family in catalogue().properties.values()
            if is_monitored(family.kind)
            and not family.on_request
            and can_apply(family, type(self.protocol))
            and (family.needs is None or family.needs in history)
            for predicate in _bound(self.protocol, family)
        )

    @cached_property
    def asked(self) -> AskedPredicates:
        """The predicates, as a monitor of a run asks them."""
        return AskedPredicates(self.predicates, by_need=True)

    def task(self, vertex: str, subtask: int) -> Task | None:
        """The task of this name, if there is one."""
        return self.tasks.get((vertex, subtask))


def _bound(protocol: PartialModel, family: Any) -> list[PlainPredicate]:
    takes_step = Taken in typing.get_type_hints(family.mark.function).values()
    return [
        PlainPredicate(family, arguments, binding, takes_step)
        for arguments, binding, _ in bindings(protocol, family.mark, skip=1)
    ]


def _job(tasks: Mapping[str, int], commits: bool) -> Job:
    """The tasks that are known, each behind the first source: what they read is not known."""
    names = {name: _plain_name(name, number) for number, name in enumerate(tasks)}
    sources = [name for name in tasks if name.startswith(SOURCES)] or list(tasks)[:1]
    others = [name for name in tasks if name not in sources]
    vertices: list[Vertex] = []
    for name, parallelism in tasks.items():
        if name in sources:
            each = 1 if commits else 0
            vertices.append(
                Vertex.source(names[name], records=each, parallelism=parallelism, bounded=False)
            )
        else:
            sink = Sink.TWO_PHASE if commits else Sink.NONE
            vertices.append(Vertex(names[name], parallelism=parallelism, sink=sink))
    edges = [
        Edge(names[source], names[name], Pattern.POINTWISE)
        for name in others
        for source in sources[:1]
    ]
    return Job(tuple(vertices), tuple(edges))


def _plain_name(name: str, number: int) -> str:
    """A name that a vertex of the model may have, as like to the job's as can be."""
    plain = "".join(each for each in name if each.isprintable() and each != "→").strip()
    return plain if plain == name and "." not in name else f"{plain.replace('.', '_')} {number}"
