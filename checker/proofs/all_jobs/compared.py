"""Compares what was read off for any job with what the methods do on small jobs.

A window cannot see everything that Python can do: a method can measure a tuple, or a loop can read
what an earlier round has written. Such a mistake shows on few nodes, and then no fact is claimed.
The states are pseudo-random, reachable or not, and the same each time.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from finale.checker.proofs.window import Effect
from finale.model.language.entities import Entity
from finale.model.language.path_ends import BlockedHere, FaultHere
from finale.model.language.plain import PlainStore
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.coordinator.checkpoints import CheckpointStatus
from finale.model.protocols.coordinator.graph_check import Finished, GraphCheck
from finale.model.rules import Setting
from finale.model.topology import Edge, Job, Pattern, Sink, Vertex, all_shapes

from .alignment import BY_CALL, COMING, IDS, Gates
from .calls import RULES_OF_CALLS
from .logic import GivenGraph
from .plans import Plans
from .reading import StateAfterStep, SymbolicState, returns
from .sending import Outputs
from .starts import Starts
from .window import JobWindow, not_for_any_job

#: What plans and calls read and write; other fields stay as they begin.
PLANNED = frozenset({"status", "reported_finished", "finished", "awaited"})
CALLED = PLANNED | {
    "triggers", "acknowledgements", "mail", "aborts", "confirmations", "declined",
}  # fmt: skip
ALIGNED = frozenset(
    {"ended", "aligned", "blocked", "aligning", "newest", "taken", "aborted", "status"}
)
#: How often a checkpoint is in the state in which most happens to it.
MOSTLY = 0.8
#: Whether an abort carries the newest completed id depends on whether anybody hears of it.
UNTOLD = frozenset({"cp1.latest.0", "cp1.latest.1"})


@dataclass
class Laid:
    """A protocol on a job, in a state of plain values; `nodes` are numbered in their order."""

    protocol: Any
    nodes: tuple[Entity, ...]
    names: JobWindow = field(init=False)

    def __post_init__(self) -> None:
        # A window of all that there is, where nothing stands for many, names the cells alike.
        self.names = JobWindow(self.protocol, self.nodes, {}, ())
        self.reset()

    def reset(self) -> None:
        """Go to the initial state."""
        world = self.names.world
        self.store = PlainStore([world.initial_values(each)[0] for each in world.variables])

    def give(self, entity: Entity, name: str, value: object) -> None:
        """Set a field to a value."""
        self.store.values[entity.variables[name].position] = value

    def members(self, entity: Entity, name: str) -> set[int]:
        """The nodes in a set."""
        found: Any = self.store.values[entity.variables[name].position]
        return {number for number, node in enumerate(self.nodes) if node in found}

    def take(self, step: Callable[[], object]) -> bool:
        """Take a step, and return whether it could be taken."""
        before = list(self.store.values)
        with self.names.world.on(self.store):
            try:
                step()
            except (BlockedHere, FaultHere):
                self.store.values = before
                return False
        return True

    def scramble(self, chance: random.Random, fields: Collection[str]) -> None:
        """Set fields to pseudo-random values of their domains."""
        for variable in self.names.world.variables:
            if variable.field in fields:
                drawn = [chance.randint(cell.low, cell.high) for cell in variable.domain.cells]
                self.store.values[variable.position] = variable.domain.decode(drawn)

    def cells(self) -> dict[tuple[str, tuple[int, ...]], int]:
        """Return the state, by names and the numbers of nodes."""
        encoded = self.names.world.encode(self.store.values)
        return {
            (symbol.name, self._where(node)): encoded[index]
            for index, (symbol, node) in self._symbols()
        }

    def _symbols(self) -> Iterator[tuple[int, Any]]:
        return ((i, self.names.symbol(i)) for i in range(len(self.names.world.cells())))

    def _where(self, node: Entity | None) -> tuple[int, ...]:
        return () if node is None else (self.nodes.index(node),)

    def compare(
        self,
        edges: Collection[tuple[int, int]],
        window: JobWindow,
        step: Effect,
        single: Mapping[Entity, int],
        act: Callable[[], object],
        *,
        when_told: bool = True,
    ) -> bool:
        """Act, and compare with what was read off; return whether the action was possible.

        Raises `not-for-any-job` if they differ. If `when_told`, the formula also says when it is
        possible.
        """
        known = self.cells() | {("edge", edge): 1 for edge in edges}
        before = SymbolicState(GivenGraph(len(self.nodes), known))
        after = StateAfterStep(before, window, step, single)
        taken = self.take(act)
        if when_told and bool(returns(window, step, before, single)) is not taken:
            raise self._differ("whether it can be taken")
        now = self.cells() if taken else known
        for _, (symbol, node) in self._symbols():
            if taken and symbol.name not in UNTOLD:
                told = after.read(symbol, self._where(node))
                if int(told) != now[symbol.name, self._where(node)]:
                    raise self._differ(symbol.name)
        return taken

    def _differ(self, what: str) -> Exception:
        job = ", ".join(str(each) for each in self.protocol.job.edges) or "no edges"
        nodes = f"{len(self.protocol.job.vertices)} vertices and {job}"
        return not_for_any_job(f"on a job with {nodes} it is another, of {what}")


def small_jobs(vertices_max: int) -> list[Job]:
    """All jobs of so many vertices, without sinks."""
    return list(all_shapes(vertices_max, records=0, sink=Sink.NONE))


def other_jobs() -> list[Job]:
    """Jobs that have what no window has: sinks, records, more tasks, several of a vertex."""
    sources = tuple(Vertex.source(f"S{n}") for n in range(4))
    sink = Vertex("K", sink=Sink.TWO_PHASE)
    fan_in = Job((*sources, sink), tuple(Edge(each.name, "K") for each in sources))
    row = Job(
        (sources[0], Vertex("A"), Vertex("B"), sink),
        (Edge("S0", "A"), Edge("A", "B"), Edge("B", "K")),
    )
    two = (Vertex.source("S", parallelism=2), replace(sink, parallelism=2))
    patterns = (Job(two, (Edge("S", "K", pattern),)) for pattern in Pattern)
    return [fan_in, row, *patterns]


def laid_out(
    kind: Any,
    job: Job,
    options: Mapping[str, object],
    checkpoints: int = 1,
    observed: frozenset[str] = frozenset({"taken"}),
) -> Any:
    """A protocol on a job."""
    bounds = {"checkpoints": checkpoints, "channel": 4}
    return kind(Setting(job=job, options=options, bounds=bounds, observe=observed))


def edges_of(protocol: Any) -> set[tuple[int, int]]:
    """Which task reads which, by their numbers."""
    number = protocol.tasks.index
    ends = ((protocol.writer(each), protocol.reader(each)) for each in protocol.channels)
    return {(number(writer), number(reader)) for writer, reader in ends}


def compare_plans(plans: Plans, vertices_max: int = 3, states: int = 10) -> int:
    """Compare the formulas of plans, and return on how many states. Raises `not-for-any-job`."""
    chance, compared = random.Random(1), 0
    for job in (*small_jobs(vertices_max), *other_jobs()):
        protocol = laid_out(plans.kind, job, plans.options)
        real = Laid(protocol, protocol.tasks)
        for _ in range(states):
            real.reset()
            real.scramble(chance, PLANNED)
            if chance.random() < MOSTLY:
                real.give(protocol.checkpoints[0], "status", CheckpointStatus.UNUSED)
            real.compare(edges_of(protocol), plans.plan[0], plans.begin, {}, protocol.begin)
            compared += 1
    return compared


def compare_calls(plans: Plans, vertices_max: int = 3, states: int = 4) -> int:
    """Compare the formulas of calls; return how many were possible. Raises `not-for-any-job`."""
    chance, taken = random.Random(2), 0
    window, called, _ = plans.call
    for job in (*small_jobs(vertices_max), *other_jobs()):
        protocol = laid_out(plans.kind, job, plans.options)
        real = Laid(protocol, protocol.tasks)
        for number, task in enumerate(protocol.tasks):
            for rule in RULES_OF_CALLS * states:
                real.reset()
                real.scramble(chance, CALLED)
                if chance.random() < MOSTLY:
                    real.give(protocol.checkpoints[0], "status", CheckpointStatus.PENDING)
                act = _bound(protocol, rule, task)
                single: Mapping[Entity, int] = {called: number}
                taken += real.compare(edges_of(protocol), window, plans.called(rule), single, act)
    return taken


def _bound(protocol: Any, rule: str, task: Entity) -> Callable[[], object]:
    return lambda: getattr(protocol, rule)(task, protocol.checkpoints[0])


def compare_gates(gates: Gates, inputs_max: int = 4, states: int = 12) -> int:
    """Compare the formulas of gates, and return on how many states. Raises `not-for-any-job`."""
    chance, compared = random.Random(3), 0
    window, one = gates.window
    for count in range(1, inputs_max + 1):
        sources = [Vertex.source(f"S{n}", records=0) for n in range(count)]
        job = Job((*sources, Vertex("T")), tuple(Edge(each.name, "T") for each in sources))
        protocol = laid_out(gates.kind, job, gates.options, checkpoints=IDS)
        real = Laid(protocol, protocol.channels)
        for name in list(gates.events) * states:
            real.reset()
            real.scramble(chance, ALIGNED)
            if not real.cells()["T.newest.0", ()]:
                real.give(protocol.tasks[-1].gate, "aligning", False)
            where = chance.randrange(count)
            act = _told(protocol, name, protocol.channels[where])
            real.compare((), window, gates.events[name], {one: where}, act)
            compared += 1
    return compared


def _told(protocol: Any, name: str, channel: Entity) -> Callable[[], object]:
    gate, coming = protocol.tasks[-1].gate, protocol.checkpoints[COMING]
    how = Arrival.BY_CALL if name == BY_CALL else Arrival.IN_ORDER
    acts = {
        "on_end_of_partition": lambda: gate.on_end_of_partition(channel),
        "on_cancel_barrier": lambda: gate.on_cancel_barrier(coming),
    }
    return acts.get(name, lambda: gate.on_barrier(channel, coming, how))


def compare_outputs(outputs: Outputs, outputs_max: int = 4) -> int:
    """Compare the formulas of sending; return on how many states. Raises `not-for-any-job`."""
    compared = 0
    _, window, _ = outputs.window
    for count in range(1, outputs_max + 1):
        readers = [Vertex(f"D{n}") for n in range(count)]
        edges = tuple(Edge("T", each.name) for each in readers)
        job = Job((Vertex.source("T", records=0), *readers), edges)
        protocol = laid_out(outputs.kind, job, outputs.options, observed=frozenset())
        real = Laid(protocol, protocol.channels)
        task, checkpoint = protocol.tasks[0], protocol.checkpoints[0]
        for step, act in (
            (outputs.performing, partial(protocol.perform, task, checkpoint)),
            (outputs.closing, partial(protocol.close_task, task)),
        ):
            for status in CheckpointStatus:
                real.reset()
                real.give(checkpoint, "status", status)
                compared += real.compare((), window, step, {}, act, when_told=False)
    return compared


def compare_starts(starts: Starts, vertices_max: int = 3) -> int:
    """Compare the check of jobs with that of edges, and return on how many snapshots.

    Raises `not-for-any-job`.
    """
    compared = 0
    for job in small_jobs(vertices_max):
        for patterns in itertools.product(Pattern, repeat=len(job.edges)):
            edges = tuple(map(_with_pattern, job.edges, patterns))
            check = GraphCheck(Job(job.vertices, edges), starts.check)
            names = [vertex.name for vertex in job.vertices]
            for statuses in itertools.product(Finished, repeat=len(names)):
                had = dict(zip(names, statuses, strict=True))
                admitted = all(
                    starts.admitted[edge.pattern, had[edge.source], had[edge.target]]
                    for edge in edges
                )
                whole = check.refusal({name: (status,) for name, status in had.items()})
                if (whole is None) is not admitted:
                    raise not_for_any_job(f"{whole}, and of its edges alone it is another")
                compared += 1
    return compared


def _with_pattern(edge: Edge, pattern: Pattern) -> Edge:
    return replace(edge, pattern=pattern)
