"""The facts about all jobs on every small one, by the model's own methods and without z3.

All graphs of up to three vertices with all marks, and up to five in the slow tests: what is proven
must hold there, and what is refuted must fail, first on a graph of the size that z3 says.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from finale.checker.proofs.all_jobs.alignment import Gates, facts_of_gates
from finale.checker.proofs.all_jobs.calls import facts_of_calls
from finale.checker.proofs.all_jobs.compared import (
    Laid,
    compare_starts,
    edges_of,
    laid_out,
    small_jobs,
)
from finale.checker.proofs.all_jobs.fact import FactRefuted, prove
from finale.checker.proofs.all_jobs.plans import Plans, facts_of_plans
from finale.checker.proofs.all_jobs.starts import Starts, facts_of_starts
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.broken.final_checkpoint.finish import (
    PlansByEndOfData,
    TriggersAll,
    WaitsForLostAck,
    WaitsForTheFinished,
)
from finale.model.protocols.broken.legacy_finish import IgnoresEnds
from finale.model.protocols.coordinator.graph_check import Check, Finished, GraphCheck
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.finish_options import FinishRace
from finale.model.protocols.legacy_finish import LegacyFinish
from finale.model.protocols.task.tasks import TaskStatus
from finale.model.topology import Edge, Job, Pattern, Vertex

FEW, MANY = 3, 5

#: Of a task: it runs, it has closed and nobody knows, or it has and the coordinator knows; or its
#: operators have finished, and it waits.
RUNS, WAITS, CLOSED, REPORTED = "runs", "waits", "closed", "reported"


@dataclass
class Small:
    """A protocol on a small job, its tasks marked; sets of tasks are by their numbers."""

    real: Laid
    edges: set[tuple[int, int]]
    marks: tuple[str, ...]

    def __post_init__(self) -> None:
        self.real.reset()
        statuses = {RUNS: TaskStatus.RUNNING, WAITS: TaskStatus.WAITING_FOR_FINAL_CP}
        for task, mark in zip(self.real.nodes, self.marks, strict=True):
            self.real.give(task, "status", statuses.get(mark, TaskStatus.CLOSED))
            self.real.give(task, "reported_finished", mark == REPORTED)
        self.real.take(self.real.protocol.begin)

    def all_with(self, name: str) -> set[int]:
        """The tasks in a set of the checkpoint."""
        return self.real.members(self.real.protocol.checkpoints[0], name)

    @property
    def numbers(self) -> range:
        return range(len(self.marks))

    @property
    def closed(self) -> set[int]:
        return {n for n in self.numbers if self.marks[n] in (CLOSED, REPORTED)}

    @property
    def is_pending(self) -> bool:
        with self.real.names.world.on(self.real.store):
            return bool(self.real.protocol.checkpoints[0].is_pending)

    def producers(self, task: int) -> set[int]:
        return {one for one, other in self.edges if other == task}

    def takers(self, called: Collection[int]) -> set[int]:
        """Who takes part: who is called, and who gets a barrier or an end on every input."""
        takes = set(called)
        for task in self.numbers:  # in an order in which edges go forward
            above = self.producers(task)
            if above & takes and above <= takes | self.closed:
                takes.add(task)
        return takes

    def deliver(self, task: int) -> None:
        protocol = self.real.protocol
        node = protocol.tasks[task]
        assert self.real.take(lambda: protocol.deliver_trigger(node, protocol.checkpoints[0]))


def marked(kind: Any, size: int, options: dict[str, object], words: str) -> Iterator[Small]:
    """All jobs up to a size with all marks; of more than three tasks those that can be.

    A task can have closed when all that it reads has; that is not taken for granted by what is
    proven, and so not on few tasks here.
    """
    for job in small_jobs(size):
        protocol = laid_out(kind, job, options)
        real, edges = Laid(protocol, protocol.tasks), edges_of(protocol)
        for marks in itertools.product(words.split(), repeat=len(job.vertices)):
            if len(marks) <= FEW or can_be(marks, edges):
                yield Small(real, edges, marks)


def can_be(marks: tuple[str, ...], edges: set[tuple[int, int]]) -> bool:
    ended = {number for number, mark in enumerate(marks) if mark in (CLOSED, REPORTED)}
    return all(one in ended for one, other in edges if other in ended)


def plan_failures(kind: Any, size: int) -> dict[str, int]:
    """For each fact that a plan contradicts, the smallest number of tasks on which."""
    found: dict[str, int] = {}
    for small in marked(kind, size, {}, f"{RUNS} {WAITS} {REPORTED}"):
        finished, awaited = small.all_with("finished"), small.all_with("awaited")
        called = small.all_with("triggers")
        fails = {
            "plan-is-a-partition": finished & awaited or finished | awaited != set(small.numbers),
            "counted-finished-are-finished": not finished <= small.closed,
            "triggered-tasks-are-heads": any(
                not small.producers(t) <= small.closed for t in called
            ),
            "waiting-tasks-are-reached": any(
                t not in called and not small.producers(t) & awaited for t in awaited
            ),
            "plan-reaches-all": not awaited <= small.takers(called),
        }
        for name in (name for name, failed in fails.items() if failed):
            found.setdefault(name, len(small.marks))
    return found


def refuted(facts: Any) -> dict[str, int]:
    """What z3 says of the same."""
    outcomes = {fact.name: prove(fact) for fact in facts}
    return {name: o.graph.size for name, o in outcomes.items() if isinstance(o, FactRefuted)}


PLANS = (FinalCheckpoint, TriggersAll, PlansByEndOfData, WaitsForTheFinished)


@pytest.mark.parametrize("kind", PLANS)
def test_plans_of_small_jobs_agree(kind: Any) -> None:
    assert plan_failures(kind, FEW) == refuted(facts_of_plans(Plans(kind, {})))


@pytest.mark.slow
def test_plans_of_jobs_of_five() -> None:
    assert plan_failures(FinalCheckpoint, MANY) == {}


# --- calls ---------------------------------------------------------------------------------------


def call_failures(kind: Any, race: FinishRace, size: int) -> dict[str, int]:
    """For each fact that calls contradict, in whatever order they arrive, the smallest job."""
    found: dict[str, int] = {}
    options: dict[str, object] = {"finish_race": race}
    for small in marked(kind, size, options, f"{RUNS} {CLOSED} {REPORTED}"):
        pending = [(tuple(small.real.store.values), frozenset(small.all_with("triggers")))]
        seen = set(pending)
        while pending:
            values, called = pending.pop()
            small.real.store.values = list(values)
            under_way = small.all_with("triggers")
            for name in failed_calls(small, called):
                found.setdefault(name, len(small.marks))
            for task in under_way:
                small.real.store.values = list(values)
                small.deliver(task)
                after = tuple(small.real.store.values)
                following = (after, called | small.all_with("triggers"))
                if lost(small, task):
                    found.setdefault("no-call-is-lost", len(small.marks))
                if small.is_pending and following not in seen:
                    seen.add(following)
                    pending.append(following)
    return found


def lost(small: Small, task: int) -> bool:
    """Whether a call that has arrived left the checkpoint waiting for a task that has ended."""
    return small.is_pending and task in small.all_with("awaited") and task in small.closed


def failed_calls(small: Small, called: frozenset[int]) -> Iterator[str]:
    """The facts that a state contradicts in which a checkpoint is pending."""
    finished, awaited = small.all_with("finished"), small.all_with("awaited")
    if any(not small.producers(t) <= finished for t in called):
        yield "only-heads-are-called"
    apart = finished <= small.closed and not finished & awaited
    if not apart or any(t not in called and small.producers(t) <= finished for t in awaited):
        yield "who-waits-is-reached"
    answered = not small.all_with("triggers") and called & small.closed <= finished
    if answered and not awaited <= small.takers(called - finished):
        yield "calls-reach-all"


CALLS = [
    *itertools.product([FinalCheckpoint, WaitsForLostAck], FinishRace),
    (WaitsForTheFinished, FinishRace.RETRIGGER),
]


def test_calls_of_small_jobs_agree() -> None:
    for kind, race in CALLS[:3]:
        proven = refuted(facts_of_calls(Plans(kind, {"finish_race": race})))
        assert call_failures(kind, race, FEW) == proven


@pytest.mark.slow
@pytest.mark.parametrize("race", FinishRace)
def test_calls_of_jobs_of_five(race: FinishRace) -> None:
    assert call_failures(FinalCheckpoint, race, MANY) == {}


# --- alignment -----------------------------------------------------------------------------------

BARRIER, END = "barrier", "end"


def fails_to_align(kind: Any, inputs: int) -> bool:
    """Whether some order of barriers and ends, one an input, is not answered by the task's part
    with the last of them, and only then; without any barrier never."""
    sources = [Vertex.source(f"S{n}", records=0) for n in range(inputs)]
    job = Job((*sources, Vertex("T")), tuple(Edge(each.name, "T") for each in sources))
    protocol = laid_out(kind, job, {})
    real = Laid(protocol, protocol.channels)
    for order in itertools.permutations(range(inputs)):
        for words in itertools.product((BARRIER, END), repeat=inputs):
            if not answered_rightly(real, [(n, words[n]) for n in order]):
                return True
    return False


def answered_rightly(real: Laid, events: list[tuple[int, str]]) -> bool:
    protocol = real.protocol
    gate, checkpoint = protocol.tasks[-1].gate, protocol.checkpoints[0]
    real.reset()
    for place, (number, word) in enumerate(events, 1):
        channel = protocol.channels[number]
        if word == BARRIER:
            real.take(lambda: gate.on_barrier(channel, checkpoint, Arrival.IN_ORDER))  # noqa: B023
        else:
            real.take(lambda: gate.on_end_of_partition(channel))  # noqa: B023
        come = place == len(events) and BARRIER in [each for _, each in events]
        values = real.store.values
        task, channels = protocol.tasks[-1], protocol.channels
        if (checkpoint in values[task.variables["taken"].position]) is not come:
            return False
        if come and any(values[each.variables["blocked"].position] for each in channels):
            return False
    return True


@pytest.mark.parametrize("kind", [FinalCheckpoint, LegacyFinish, IgnoresEnds])
def test_alignments_of_few_inputs_agree(kind: Any) -> None:
    sizes = [size for size in range(1, FEW + 1) if fails_to_align(kind, size)]
    falls = refuted(facts_of_gates(Gates(kind, {}))).get("part-is-taken-with-the-last")
    assert sizes[:1] == ([] if falls is None else [falls])


@pytest.mark.slow
def test_alignments_of_five_inputs() -> None:
    assert not fails_to_align(FinalCheckpoint, MANY)


# --- starts --------------------------------------------------------------------------------------


def with_patterns(job: Job, parallelism: tuple[int, ...]) -> Iterator[Job]:
    """A job with each of both patterns on each edge; where there are many, on all of them."""
    vertices = tuple(
        Vertex.source(v.name, parallelism=p) if v.is_source else Vertex(v.name, parallelism=p)
        for v, p in zip(job.vertices, parallelism, strict=True)
    )
    many = len(job.edges) > FEW
    alike = ((pattern,) * len(job.edges) for pattern in Pattern)
    for patterns in alike if many else itertools.product(Pattern, repeat=len(job.edges)):
        edges = zip(job.edges, patterns, strict=True)
        yield Job(vertices, tuple(Edge(e.source, e.target, pattern) for e, pattern in edges))


def status_of(job: Job, vertex: Vertex, finished: Collection[object]) -> Finished:
    tasks = job.subtasks_of(vertex)
    had = sum(each in finished for each in tasks)
    if had == len(tasks):
        return Finished.FULLY
    return Finished.PARTIALLY if had else Finished.RUNNING


def start_failures(check: Check, size: int, width: int) -> dict[str, int]:
    """For each fact that the check contradicts, the fewest vertices, or tasks, on which."""
    found: dict[str, int] = {}

    def note(name: str, nodes: int) -> None:
        found[name] = min(nodes, found.get(name, nodes))

    for shape in small_jobs(size):
        for wide in itertools.product(range(1, width + 1), repeat=len(shape.vertices)):
            for job in with_patterns(shape, wide):
                for bits in itertools.product((False, True), repeat=len(job.subtasks)):
                    finished = set(itertools.compress(job.subtasks, bits))
                    check_start(job, check, finished, note)
    return found


def check_start(job: Job, check: Check, finished: set[Any], note: Any) -> None:
    had = {vertex.name: status_of(job, vertex, finished) for vertex in job.vertices}
    refusal = GraphCheck(job, check).refusal({name: (status,) for name, status in had.items()})
    closed = all(set(job.upstream(task)) <= finished for task in finished)
    if refusal is not None:
        if closed:
            note("what-can-be-is-accepted", len(job.subtasks))
        return
    if not closed:
        note("finished-tasks-are-closed", len(job.subtasks))
    for edge in job.edges:
        source, target = had[edge.source], had[edge.target]
        if target is Finished.FULLY and source is not Finished.FULLY:
            note("finished-vertices-are-closed", len(job.vertices))
        to_all = edge.pattern is Pattern.ALL_TO_ALL
        if target is not Finished.RUNNING and (
            source is Finished.RUNNING or (to_all and source is not Finished.FULLY)
        ):
            note("no-part-reads-what-runs", len(job.vertices))


@pytest.mark.parametrize("check", [Check.FULL, Check.OFF, Check.IGNORE_PARTIAL])
def test_starts_of_small_jobs_agree(check: Check) -> None:
    assert start_failures(check, 2, 3) == refuted(facts_of_starts(Starts(check)))


@pytest.mark.slow
def test_starts_of_jobs_of_five() -> None:
    assert start_failures(Check.FULL, MANY, 1) == {}
    assert start_failures(Check.FULL, MANY - 1, 2) == {"finished-tasks-are-closed": 4}
    assert compare_starts(Starts(Check.FULL), MANY - 1) > 10_000
