"""Builds the model of a job of which only logs are known.

The model has the tasks that the logs name. No line tells which task reads which, and no line tells
some of the variables. A property that reads either is *undecided* for this log: the judge says so
and does not guess.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn

from finale.checker.logs.partial_state import UnknownHere
from finale.checker.logs.property_monitor import AskedPredicates
from finale.checker.logs.questions import is_monitored
from finale.checker.logs.read.log_events import SOURCES
from finale.checker.search.interpreter.execution import PlainPredicate
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import can_apply
from finale.model.language.build import bindings, world_of
from finale.model.language.plain import PlainStore, Values, start_values
from finale.model.language.properties import Taken
from finale.model.language.protocol import Setting
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
    stops: int = 1
    savepoints: int = 1


Vertices = tuple[tuple[str, int, bool], ...]
"""The vertices of a model: their names, how many subtasks each has, whether it is a source."""


def partial_system(
    tasks: Mapping[str, int], size: ModelSize, *, commits: bool = False
) -> PartialSystem:
    """Return the system for a job; `tasks` are its vertices, and how many subtasks each has.

    Jobs of one shape have their model in common, for it has no state of its own.
    """
    sources = [name for name in tasks if name.startswith(SOURCES)] or list(tasks)[:1]
    vertices = tuple(
        # Findings name sinks, and nothing else, as the model does.
        (_plain_name(name, number) if commits else f"vertex {number}", parallelism, name in sources)
        for number, (name, parallelism) in enumerate(tasks.items())
    )
    return PartialSystem(tuple(tasks), shaped(vertices, size, commits))


class ShapedModel:
    """A protocol that stands in for all jobs of one shape, and what can be asked of it."""

    def __init__(self, vertices: Vertices, size: ModelSize, *, commits: bool) -> None:
        bounds = {
            "checkpoints": max(2, size.checkpoints),
            "channel": 4,
            **{"failures": 1, "declines": 1, "expiries": 1, "cancels": 1, "crashes": 0},
            "stops": size.stops,
            "savepoints": size.savepoints,
        }
        history = {"taken", "progress", *({"effects"} if commits else ())}
        job = _job(vertices, commits)
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
        self.tasks: dict[tuple[int, int], Task] = {}
        """The tasks by their vertex's place and their number."""
        places = {name: place for place, (name, *_) in enumerate(vertices)}
        counted = Counter[int]()
        for task in self.protocol.tasks:
            place = places[task.subtask.vertex.name]
            self.tasks[place, counted[place]] = task
            counted[place] += 1
        self.asked = AskedPredicates(
            (
                predicate
                for family in catalogue().properties.values()
                if is_monitored(family.kind)
                and not family.on_request
                and can_apply(family, type(self.protocol))
                and (family.needs is None or family.needs in history)
                for predicate in _bound(self.protocol, family)
            ),
            by_need=True,
        )


@lru_cache(maxsize=64)
def shaped(vertices: Vertices, size: ModelSize, commits: bool) -> ShapedModel:
    """Return the model of a shape, which jobs have in common."""
    return ShapedModel(vertices, size, commits=commits)


class PartialSystem:
    """A job as its log names it, and the model that stands in for it."""

    def __init__(self, names: Sequence[str], model: ShapedModel) -> None:
        self.protocol, self.world, self.start = model.protocol, model.world, model.start
        self.asked = model.asked
        """The predicates, as a monitor of a run asks them."""
        self.tasks = {(names[place], number): task for (place, number), task in model.tasks.items()}

    def task(self, vertex: str, subtask: int) -> Task | None:
        """The task of this name, if there is one."""
        return self.tasks.get((vertex, subtask))


def _bound(protocol: PartialModel, family: Any) -> list[PlainPredicate]:
    takes_step = Taken in family.mark.hints.values()
    return [
        PlainPredicate(family, arguments, binding, takes_step)
        for arguments, binding, _ in bindings(protocol, family.mark, skip=1)
    ]


def _job(vertices: Vertices, commits: bool) -> Job:
    """The tasks that are known, each behind the first source: what they read is not known."""
    made: list[Vertex] = []
    for name, parallelism, is_source in vertices:
        if is_source:
            records = 1 if commits else 0
            made.append(
                Vertex.source(name, records=records, parallelism=parallelism, bounded=False)
            )
        else:
            sink = Sink.TWO_PHASE if commits else Sink.NONE
            made.append(Vertex(name, parallelism=parallelism, sink=sink))
    first, *_ = (name for name, _, is_source in vertices if is_source)
    others = (name for name, _, is_source in vertices if not is_source)
    edges = tuple(Edge(first, name, Pattern.POINTWISE) for name in others)
    return Job(tuple(made), edges)


def _plain_name(name: str, number: int) -> str:
    """A name that a vertex of the model may have, as like to the job's as can be."""
    plain = "".join(each for each in name if each.isprintable() and each != "→").strip()
    return plain if plain == name and "." not in name else f"{plain.replace('.', '_')} {number}"
