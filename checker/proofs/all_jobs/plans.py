"""Facts about the plan of a checkpoint and its calls, on a job of any shape (PL-2 … PL-6).

The methods of the coordinator are read off: the plan that begins a checkpoint, the call that
reaches a task or finds it ended, and the acknowledgement. The claims are the properties of the
registry, if there is one. One thing is assumed: a task reports its end only when it is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from finale.checker.proofs.window import Effect
from finale.model.language.entities import Entity
from finale.model.language.properties import Family
from finale.model.properties import checkpoints as said
from finale.model.protocols.coordinator.checkpoints import Checkpoint, CheckpointStatus
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import Setting
from finale.model.topology import Edge, Job, Vertex

from .fact import Fact, FactCase, Marks
from .logic import Logic, Term, Z3Logic
from .reading import StateAfterStep, SymbolicState, claimed
from .window import Among, Binding, JobWindow, Symbol, laid_out

Of = Callable[[Term], Term]
"""Something that is said of a task."""

STATUS = Symbol("status", 0, len(TaskStatus) - 1, False)
CP_STATUS = Symbol("cp1.status", 0, len(CheckpointStatus) - 1, False)


def is_closed(state: SymbolicState, task: Term) -> Term:
    """Whether a task is closed."""
    return state.read(STATUS, (task,)) == list(TaskStatus).index(TaskStatus.CLOSED)


def has_status(state: SymbolicState, status: CheckpointStatus) -> Term:
    """Whether the checkpoint is in a status."""
    return state.read(CP_STATUS, ()) == list(CheckpointStatus).index(status)


@dataclass(frozen=True)
class Plans:
    """The methods of a protocol, in windows onto any job."""

    kind: type[JobProtocol]
    options: Mapping[str, object]

    def _laid_out(self, job: Job) -> tuple[Any, dict[str, Task], Checkpoint]:
        bounds = {"checkpoints": 1, "channel": 2}
        protocol = laid_out(self.kind, Setting(job=job, options=self.options, bounds=bounds))
        return protocol, {task.name: task for task in protocol.tasks}, protocol.checkpoints[0]

    @cached_property
    def plan(self) -> tuple[JobWindow, Task, Checkpoint]:
        """T is any task, P any that it reads."""
        job = Job((Vertex.source("P", records=0), Vertex("T")), (Edge("P", "T"),))
        protocol, named, checkpoint = self._laid_out(job)
        task, producer = named["T"], named["P"]

        def anyone(logic: Logic, binding: Binding, node: Term) -> Term:
            return logic.truth(True)

        def is_read(logic: Logic, binding: Binding, node: Term) -> Term:
            return logic.edge(node, binding[task])

        window = JobWindow(protocol, (), {task: anyone, producer: is_read}, (task,))
        vars(protocol)["tasks"] = window.written
        return window, task, checkpoint

    @cached_property
    def call(self) -> tuple[JobWindow, Task, Checkpoint]:
        """T is one task, D any that reads it, Q any other that D reads, R any other task."""
        sources = (Vertex.source(name, records=0) for name in "TQR")
        job = Job((*sources, Vertex("D")), (Edge("T", "D"), Edge("Q", "D")))
        protocol, named, checkpoint = self._laid_out(job)
        task, below, beside, others = (named[name] for name in "TDQR")

        def reads(logic: Logic, binding: Binding, node: Term) -> Term:
            return logic.edge(binding[task], node)

        def is_read_too(logic: Logic, binding: Binding, node: Term) -> Term:
            is_other = logic.differ(node, binding[task])
            return logic.both(logic.edge(node, binding[below]), is_other)

        def is_elsewhere(logic: Logic, binding: Binding, node: Term) -> Term:
            is_other = logic.differ(node, binding[task])
            return logic.both(logic.negation(logic.edge(binding[task], node)), is_other)

        many: Mapping[Entity, Among] = {below: reads, beside: is_read_too, others: is_elsewhere}
        window = JobWindow(protocol, (task,), many, (below, others))
        vars(protocol)["tasks"] = (task, below, others)
        return window, task, checkpoint

    @cached_property
    def begin(self) -> Effect:
        """PL-2, PL-3: the next checkpoint is begun."""
        window = self.plan[0]
        protocol: Any = window.protocol
        return window.step(protocol.begin)

    def called(self, rule: str) -> Effect:
        """A rule of a task and a checkpoint."""
        window, task, checkpoint = self.call
        return window.step(lambda: getattr(window.protocol, rule)(task, checkpoint))


# --- the plan ------------------------------------------------------------------------------------


def planned(plans: Plans, logic: Z3Logic) -> tuple[SymbolicState, StateAfterStep, list[Term]]:
    """The state before the plan, the one after it, and what holds before it."""
    before = SymbolicState(logic)
    after = StateAfterStep(before, plans.plan[0], plans.begin, {})

    def is_fresh(task: Term) -> Term:
        sets = ("cp1.finished", "cp1.awaited", "cp1.triggers", "cp1.acknowledgements")
        fresh = [logic.negation(before.holds(name, task)) for name in sets]
        reports = logic.implies(before.holds("reported_finished", task), is_closed(before, task))
        return logic.both(*fresh, reports)

    given = [has_status(before, CheckpointStatus.UNUSED), logic.forall(is_fresh)]
    return before, after, given


def marks_of(before: SymbolicState, after: SymbolicState) -> Marks:
    """What is told of the tasks of a counterexample."""
    return {
        "closed": lambda task: is_closed(before, task),
        "reported": before.of("reported_finished"),
        "counted as finished": after.of("cp1.finished"),
        "waited for": after.of("cp1.awaited"),
        "called": after.of("cp1.triggers"),
    }


def _of_plan(plans: Plans, family: Family) -> Fact:
    """What the registry says of plans, of any plan of any job."""

    def ask(logic: Z3Logic) -> list[FactCase]:
        before, after, given = planned(plans, logic)
        window, task, checkpoint = plans.plan
        said_of: Mapping[Entity, Term] = {task: logic.some_node("t")}
        claim = window.claim(family, task, checkpoint)
        is_step = family.kind.is_of_steps
        earlier = before if is_step else after
        holds = claimed(window, claim, earlier, after, said_of)
        return [FactCase("begin", given, holds, marks_of(before, after))]

    cites = (*dict.fromkeys(("PL-2", *family.mark.cites)),)
    return Fact(family.name, cites, family.sentence, ask, of=("begin", "compute_plan"))


def takes_part(logic: Logic, below: Term, gets: Of) -> Term:
    """Where a task takes its part because each input brings a barrier or its end.

    `gets` says of a producer whether its barrier comes; those of which it does not have ended. That
    one barrier is enough, and the order does not matter, is a fact about gates (`alignment.py`).
    """
    return logic.exists(lambda p: logic.both(logic.edge(p, below), gets(p)))


def delivered(
    logic: Z3Logic, after: SymbolicState, given: list[Term], called: Of
) -> tuple[list[Term], Term]:
    """What follows of what a task takes part in: hypotheses, and that of one task, the first in
    order of which it is not so."""

    def arrives(producer: Term, task: Term) -> Term:
        comes = logic.either(logic.holds("takes-part", producer), is_closed(after, producer))
        return logic.implies(logic.edge(producer, task), comes)

    def is_reached(task: Term) -> Term:
        all_arrive = logic.forall(lambda p: arrives(p, task))
        one = takes_part(logic, task, lambda p: logic.holds("takes-part", p))
        return logic.either(called(task), logic.both(all_arrive, one))

    def fine(task: Term) -> Term:
        waits = after.holds("cp1.awaited", task)
        return logic.implies(waits, logic.holds("takes-part", task))

    task = logic.some_node("t")
    first = logic.forall(lambda other: logic.implies(logic.before(other, task), fine(other)))
    reached = logic.implies(is_reached(task), logic.holds("takes-part", task))
    return [*given, first, reached], fine(task)


def _plan_delivers(plans: Plans) -> Fact:
    def ask(logic: Z3Logic) -> list[FactCase]:
        before, after, given = planned(plans, logic)
        hypotheses, claim = delivered(logic, after, given, after.of("cp1.triggers"))
        marks: Marks = {
            **marks_of(before, after),
            "takes part": logic.of("takes-part"),
        }
        return [FactCase("begin", hypotheses, claim, marks)]

    return Fact(
        "plan-reaches-all",
        ("PL-2", "S12"),
        "If each called task takes its part, then each task that is waited for gets a barrier or "
        "an EndOfPartition on every input, one barrier at least, and takes its part.",
        ask,
        of=("begin", "compute_plan"),
    )


def facts_of_plans(plans: Plans) -> list[Fact]:
    """What is claimed of plans as they are made (PL-2)."""
    families = (
        said.plan_is_a_partition,
        said.counted_finished_are_finished,
        said.triggered_tasks_are_heads,
        said.waiting_tasks_are_reached,
    )
    return [*(_of_plan(plans, each) for each in families), _plan_delivers(plans)]
