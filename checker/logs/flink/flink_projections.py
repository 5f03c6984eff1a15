"""Chooses the projections of the system that the lines of a log speak of.

A projection is about one task and one or two checkpoints: what the coordinator knows of them, which
messages are under way, and what the task has done. Everything else of the job is free
(`projection.py`). So one small job stands for every job: it has a source, and a task with several
inputs and an output; the checkpoint has an older and a newer neighbour.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import cast

from finale.checker.cache.parts import CachedParts
from finale.checker.cache.store import Store, users_store
from finale.checker.logs.event_log.section_setting import protocol_of
from finale.checker.logs.lines import BY_STATUS, BY_STEP, BY_VARIABLE, CRASH, Observed
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.typed import options_of
from finale.model.errors import FinaleError
from finale.model.expressions import Expression
from finale.model.language.build import build
from finale.model.language.predicates import where
from finale.model.language.protocol import Setting
from finale.model.protocols.coordinator.checkpoints import ABORTED, CheckpointStatus
from finale.model.protocols.task.execution import TaskExecution
from finale.model.protocols.task.tasks import TaskStatus
from finale.model.system import GroundRule, System
from finale.model.topology import Edge, Job, OperatorKind, Pattern, Vertex

from .possible_values import reachable_values
from .projected_updates import CellValues
from .projection import Box, CellFeature, Label, Projection, Values, exact

#: The tasks of the job that stands for all: one that reads none, and one that reads others.
SOURCE, READER = "A", "C"
#: Its checkpoint, and those before and after it.
OWN, OLDER, NEWER = "cp2", "cp1", "cp3"
#: One of the inputs of the one that reads.
_CHANNEL = f"{SOURCE}→{READER}"
_TASKS = ("A", "B", "C", "D")
_POINTS = (OLDER, OWN, NEWER)
#: So many checkpoints there are: as many can be pending.
POINTS = len(_POINTS)
#: A task fails, or is cancelled: many lines may tell so, or none.
DIES = "dies"
#: The input of a task that is looked at ends: no line tells it.
ENDS = "ends"
#: The task is told of the abort of another checkpoint, which may tell it of a completion, too.
OTHER = "is told of the abort of another"


@dataclass(frozen=True)
class ProofSetting:
    """What a system is built of: the same for all runs whose lines say the same of it."""

    protocol: str
    options: tuple[tuple[str, object], ...]
    bounds: tuple[tuple[str, int], ...]


def _job() -> Job:
    vertices = (
        Vertex.source("A", records=0),
        Vertex.source("B", records=0),
        Vertex("C", OperatorKind.PASS_THROUGH),
        Vertex("D", OperatorKind.PASS_THROUGH),
    )
    # D has two inputs, so that nothing is known of it that holds only behind one input.
    pairs = (("A", "C"), ("B", "C"), ("C", "D"), ("B", "D"))
    return Job(vertices, tuple(Edge(a, b, Pattern.ALL_TO_ALL) for a, b in pairs))


@dataclass(frozen=True)
class BuiltSystem:
    """A system, the protocol that it was built of, and the values that each cell may have."""

    system: System
    protocol: TaskExecution
    reachable: CellValues


@lru_cache(maxsize=16)
def system_of(given: ProofSetting) -> BuiltSystem:
    """The system whose parts are looked at."""

    def complain(code: str, message: str, advice: str, _: str) -> FinaleError:
        return FinaleError(code, message, advice=advice)

    kind = protocol_of(given.protocol, catalogue())
    options = options_of(kind.Options, dict(given.options), complain)
    # It counts as a class of the model's, so that the cache keeps its parts.
    own = {"hides_records": True, "__module__": kind.__module__}
    without = cast("type[TaskExecution]", type(f"{kind.__name__}WithoutRecords", (kind,), own))
    bounds = {name: number for name, number in given.bounds if name in without.bound_names()}
    bounds |= {"checkpoints": len(_POINTS), "channel": 3}
    history = frozenset({"taken", "progress"})
    protocol = without(Setting(_job(), {}, options, bounds, history))
    with closing(users_store() or Store(None)) as store:
        parts = CachedParts(store)
        system = build(protocol, parts=parts)
        parts.end()
    return BuiltSystem(system, protocol, reachable_values(system))


class CellIndex:
    """Finds the cells of a system by what they say."""

    def __init__(self, system: System) -> None:
        self._offsets = {each.name: each.offset for each in system.variables}

    def has(self, name: str) -> bool:
        return name in self._offsets

    def number(self, name: str) -> int:
        """The cell of a variable that has one."""
        return self._offsets[name]

    def option(self, name: str) -> tuple[int, int]:
        """The cells of an option: whether there is one, and which."""
        return self._offsets[name], self._offsets[name] + 1

    def task(self, name: str, task: str) -> int:
        """Whether a task is in a set."""
        return self._offsets[name] + _TASKS.index(task)

    def point(self, name: str, point: str) -> int:
        """Whether a checkpoint is in a set."""
        return self._offsets[name] + _POINTS.index(point)


_INDEX = _POINTS.index(OWN)
_THERE, _ANY = frozenset((1,)), frozenset((0, 1))
_OTHERS = frozenset(each for each in range(len(_POINTS)) if each != _INDEX)
#: Of an option: another checkpoint, or none; or the one that is looked at.
_IS_OWN: tuple[Box, ...] = ((_ANY, _OTHERS), (_THERE, frozenset((_INDEX,))))
#: Of an option: an older checkpoint, or none; the one that is looked at; a newer one.
_AGES: tuple[Box, ...] = ((_ANY, frozenset((0,))), *((_THERE, frozenset((n,))) for n in (1, 2)))
#: Of an option: none, or which.
_EACH: tuple[Box, ...] = (
    (frozenset((0,)), frozenset((0,))),
    *((_THERE, frozenset((n,))) for n in range(len(_POINTS))),
)
_STATUSES = list(TaskStatus)
NO_MORE = (_STATUSES.index(TaskStatus.FAILED), _STATUSES.index(TaskStatus.RESTORING))
_POINT_STATUSES = list(CheckpointStatus)


class StepLabels:
    """What steps of a part show, as far as it has the cells that tell it."""

    def __init__(self, names: Sequence[str], task: str) -> None:
        self._at = {name: place for place, name in enumerate(names)}
        self._both = (("task", task), ("checkpoint", OWN))
        self._task = task

    def __call__(self, rule: GroundRule, before: Values, after: Values) -> frozenset[Label]:
        found = {*self._by_name(rule), *self._by_change(before, after)}
        if rule.rule.name == CRASH:
            # A coordinator whose process ends writes nothing of what is pending then.
            found = {Observed.CRASHED, *found} - {BY_STATUS[ABORTED]}
        reads = rule.rule.name == "poll_barrier" and rule.binding == (("channel", _CHANNEL),)
        if reads and self._reads_own(before, after):
            found.add(Observed.BARRIER)
        if rule.rule.name == "deliver_abort" and rule.binding[0] == self._both[0]:
            if self._confirms(before, after):
                found.add(Observed.CONFIRMED)
            if "aborts" in self._at and rule.binding != self._both:
                found.add(OTHER)
        return frozenset(found)

    def _by_name(self, rule: GroundRule) -> Iterator[Label]:
        """What always shows when a rule is taken for the task and the checkpoint."""
        shown = BY_STEP.get(rule.rule.name)
        if shown is None or not any(name in self._at for name in shown.facts.tells):
            return
        if shown is Observed.CONFIRMED and "released" in self._at:
            if rule.binding[0] == self._both[0]:
                yield shown  # whatever the checkpoint is
        elif rule.binding == self._both:
            yield shown

    def _confirms(self, before: Values, after: Values) -> bool:
        """Whether the task learns, on the way, that the checkpoint, or some one, is complete."""
        if "confirmed is own" in self._at:
            place = self._at["confirmed is own"]
            return before[place] != after[place] == 1
        if "confirmed" not in self._at:
            return False
        return self._of("confirmed", before) < self._of("confirmed", after)

    def _reads_own(self, before: Values, after: Values) -> bool:
        """Whether the barrier that is read from the input is the checkpoint's, and counts: it is
        the last one, with which the task takes its part, or others are missing."""
        if "aligned" not in self._at:
            return False
        waits = self._of("aligned", after) and self._of("newest", after) == _INDEX
        return self._comes("taken", before, after) or bool(waits and before != after)

    def _of(self, name: str, values: Values) -> int:
        return values[self._at[name]]

    def _by_change(self, before: Values, after: Values) -> Iterator[Label]:
        if "checkpoint" in self._at:
            status = _POINT_STATUSES[self._of("checkpoint", after)]
            if self._of("checkpoint", before) != self._of("checkpoint", after) and (
                status in BY_STATUS
            ):
                yield BY_STATUS[status]
        dies = False
        if "task" in self._at:
            old, new = self._of("task", before), self._of("task", after)
            dies = new in NO_MORE
            yield from _life(old, new)
        if self._comes("mail", before, after):
            yield BY_VARIABLE["mail"]
        if self._comes("taken", before, after) and not dies:
            yield BY_VARIABLE["taken"]
        if self._comes("reported", before, after):
            yield BY_VARIABLE["reported_finished"]
        if self._comes("ended", before, after):
            yield ENDS

    def _comes(self, name: str, before: Values, after: Values) -> bool:
        return name in self._at and self._of(name, before) < self._of(name, after)


def _life(before: int, after: int) -> Iterator[Label]:
    if before == after:
        return
    if after in NO_MORE:
        if before not in NO_MORE:
            yield DIES
    elif before == _STATUSES.index(TaskStatus.RESTORING):
        yield Observed.RUNS
    elif _STATUSES[after] in BY_STATUS:
        yield BY_STATUS[_STATUSES[after]]


@dataclass(frozen=True)
class ProjectionOutline:
    """What a part looks at. Lines show it that tell of its cells."""

    names: tuple[str, ...]
    also: frozenset[Observed] = frozenset()
    hides: frozenset[Observed] = frozenset()
    """Lines that are not looked at, though they tell of its cells."""

    @cached_property
    def shows(self) -> frozenset[Observed]:
        told = {kind for kind in Observed if not {*kind.facts.tells}.isdisjoint(self.names)}
        return frozenset(told | self.also) - self.hides


#: The parts, by their names.
PARTS: dict[str, ProjectionOutline] = {
    "acknowledgement": ProjectionOutline(
        ("checkpoint", "finished", "awaited", "acknowledgements", "taken", "newest", "aligning",
         "reported", "task"),
    ),
    "call": ProjectionOutline(
        ("checkpoint", "triggers", "mail", "taken", "newest", "aligning", "task")
    ),
    "barrier": ProjectionOutline(
        ("aligned", "blocked", "ended", "aligning", "newest", "taken", "mail", "task"),
        hides=frozenset((Observed.LEFT, Observed.ENDED, Observed.CRASHED)),
    ),
    "notice": ProjectionOutline(
        ("checkpoint", "finished", "confirmations", "aborts", "confirmed is own",
         "own.latest is own", "older.latest is own", "newer.latest is own"),
    ),
    "restart": ProjectionOutline(("checkpoint",), also=frozenset((Observed.RESTORED,))),
    "life": ProjectionOutline(("task", "reported", "released", "confirmed")),
}  # fmt: skip


def _feature(system: System, name: str, task: str) -> CellFeature:
    cells = CellIndex(system)
    match name:
        case "checkpoint":
            return exact(system, cells.number(f"{OWN}.status"))
        case "finished" | "awaited" | "acknowledgements" | "confirmations" | "aborts" | "triggers":
            return exact(system, cells.task(f"{OWN}.{name}", task))
        case "mail" | "taken":
            return exact(system, cells.point(f"{task}.{name}", OWN))
        case "task":
            return exact(system, cells.number(f"{task}.status"))
        case "reported":
            return exact(system, cells.number(f"{task}.reported_finished"))
        case "released":
            return exact(system, cells.number(f"{task}.released"))
        case "aligned" | "blocked" | "ended":
            return exact(system, cells.number(f"{_CHANNEL}.{name}"))
        case "aligning":
            return exact(system, cells.number(f"{task}.gate.aligning"))
        case "newest":
            return CellFeature(cells.option(f"{task}.newest"), _AGES)
        case "confirmed":
            return CellFeature(cells.option(f"{task}.confirmed"), _EACH)
        case "confirmed is own":
            return CellFeature(cells.option(f"{task}.confirmed"), _AGES)
        case _:
            other = {"older": OLDER, "own": OWN, "newer": NEWER}[name.partition(".")[0]]
            return CellFeature(cells.option(f"{other}.latest"), _IS_OWN)


@lru_cache(maxsize=128)
def projection_of(given: ProofSetting, name: str, task: str) -> Projection:
    """A part of a system: that of one task and the checkpoint, or of one of them alone."""
    built, names = system_of(given), PARTS[name].names
    system = built.system
    features = [_feature(system, each, task) for each in names]
    overtakes = CellIndex(system).has(f"{task}.gate.started")

    def is_possible(values: Values) -> bool:
        return overtakes or is_taken_once(dict(zip(names, values, strict=True)))

    labels = StepLabels(names, task)
    return Projection(system, built.reachable, features, labels, is_possible)


@lru_cache(maxsize=16)
def restores(given: ProofSetting) -> Expression:
    """Where a restart takes the checkpoint that is looked at."""
    protocol = system_of(given).protocol
    own = next(each for each in protocol.checkpoints if each.name == OWN)
    return where(protocol.world, lambda: protocol.restore_point() == own)


def is_taken_once(values: Mapping[str, int]) -> bool:
    """Who has taken its newest checkpoint does not wait for barriers any more.

    So it is in each state of each protocol whose barriers do not overtake: a test explores them.
    """
    aligns = values.get("aligning") and values.get("taken")
    return not aligns or values["newest"] != _INDEX
