"""Facts about all jobs: proven of the protocol, refuted by the smallest graph of what is wrong."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from finale.checker.proofs.all_jobs.alignment import Gates, facts_of_gates
from finale.checker.proofs.all_jobs.calls import facts_of_calls
from finale.checker.proofs.all_jobs.fact import (
    Fact,
    FactCase,
    FactProven,
    FactRefuted,
    FactUndecided,
    counterexample,
    prove,
)
from finale.checker.proofs.all_jobs.facts import groups_of
from finale.checker.proofs.all_jobs.logic import SoMany, Term, Z3Logic
from finale.checker.proofs.all_jobs.plans import Plans, facts_of_plans
from finale.checker.proofs.all_jobs.reading import StateAfterStep, SymbolicState
from finale.checker.proofs.all_jobs.sending import Outputs, facts_of_outputs
from finale.checker.proofs.all_jobs.starts import Starts, facts_of_starts
from finale.checker.proofs.all_jobs.window import Binding, Symbol
from finale.checker.report.proofs import graph_lines
from finale.model.errors import FinaleError
from finale.model.language.protocol import Protocol
from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.broken.final_checkpoint.finish import (
    PlansByEndOfData,
    TriggersAll,
    WaitsForLostAck,
    WaitsForTheFinished,
)
from finale.model.protocols.broken.legacy_finish import IgnoresEnds, NeverSupersedes
from finale.model.protocols.chained_sources import ChainedSources
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.coordinator.graph_check import Check
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.finish_options import FinishRace
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.legacy_finish import LegacyFinish
from finale.model.protocols.task.tasks import Task
from finale.model.protocols.two_phase_commit import TwoPhaseCommit
from finale.model.protocols.unaligned import Unaligned
from finale.model.rules import count, define, each, step
from tests.cli.running import run


class ForgetsConsumers(FinalCheckpoint):
    """A call that finds its task ended calls nobody instead (PL-6 without its point)."""

    @step
    def _retrigger(self, task: Task, checkpoint: Checkpoint) -> None:
        checkpoint.declined = checkpoint.declined


class RetriggersAll(FinalCheckpoint):
    """All consumers of a task that is found ended are called, whoever else feeds them."""

    @step
    def _retrigger(self, task: Task, checkpoint: Checkpoint) -> None:
        if checkpoint.awaited.has(task):
            checkpoint.triggers.add(task)


class CountsProducers(FinalCheckpoint):
    """A task is called when at most one of its producers runs."""

    @define
    def is_head(self, task: Task) -> bool:
        return count(self.producers(task), lambda p: not self.counts_as_finished(p)) <= 1


class LooksBack(FinalCheckpoint):
    """What is planned for a task depends on what was planned for others before."""

    @step
    def compute_plan(self, checkpoint: Checkpoint) -> None:
        super().compute_plan(checkpoint)
        each(self.tasks, lambda task: self._look_back(checkpoint, task))

    @step
    def _look_back(self, checkpoint: Checkpoint, task: Task) -> None:
        if any(checkpoint.triggers.has(producer) for producer in self.producers(task)):
            checkpoint.triggers.remove(task)


class SendsNoBarrier(FinalCheckpoint):
    """A task takes its part, and tells nobody."""

    @step
    def perform(self, task: Task, checkpoint: CheckpointId) -> None:
        self.snapshot_taken(task, checkpoint)


class EagerGate(AlignedGate):
    """A gate that takes the last barrier for granted where nothing is blocked."""

    @define
    def is_aligned(self) -> bool:
        return any(channel.aligned for channel in self.task.inputs)


class Eager(FinalCheckpoint):
    """Whose gates do not wait."""

    @property
    def gate_class(self) -> type[AlignedGate]:
        return EagerGate


def outcomes(facts: list[Fact]) -> dict[str, int]:
    """The sizes of the smallest graphs that refute facts, of those that are refuted."""
    found = {fact.name: prove(fact) for fact in facts}
    assert not [name for name, each in found.items() if isinstance(each, FactUndecided)]
    return {name: o.graph.size for name, o in found.items() if isinstance(o, FactRefuted)}


@pytest.mark.parametrize("kind", [FinalCheckpoint, ChainedSources])
def test_all_facts_are_as_expected(kind: type[Protocol]) -> None:
    facts = [fact for group in groups_of(kind) for fact in group.facts]
    assert len(facts) == 26
    for fact in facts:
        outcome = prove(fact)
        assert isinstance(outcome, FactProven if fact.holds else FactRefuted), fact.name


PLANS: list[tuple[Any, dict[str, int]]] = [
    (TriggersAll, {"triggered-tasks-are-heads": 2}),
    (
        PlansByEndOfData,
        {"counted-finished-are-finished": 1, "triggered-tasks-are-heads": 2, "plan-reaches-all": 3},
    ),
    (
        WaitsForTheFinished,
        {"plan-is-a-partition": 1, "waiting-tasks-are-reached": 1, "plan-reaches-all": 1},
    ),
]


@pytest.mark.parametrize(("kind", "falls"), PLANS)
def test_a_wrong_plan_is_refuted(kind: Any, falls: Mapping[str, int]) -> None:
    assert outcomes(facts_of_plans(Plans(kind, {}))) == falls


CALLS: list[tuple[Any, dict[str, int]]] = [
    (WaitsForLostAck, {"no-call-is-lost": 1}),
    (ForgetsConsumers, {"who-waits-is-reached": 2}),
    (RetriggersAll, {"only-heads-are-called": 3}),
]


@pytest.mark.parametrize(("kind", "falls"), CALLS)
def test_a_wrong_call_is_refuted(kind: Any, falls: Mapping[str, int]) -> None:
    plans = Plans(kind, {"finish_race": FinishRace.RETRIGGER})
    assert outcomes(facts_of_calls(plans)) == falls


GATES: list[tuple[Any, dict[str, int]]] = [
    (
        IgnoresEnds,
        {
            "ended-inputs-count": 2,
            "alignment-waits-for-someone": 2,
            "part-is-taken-with-the-last": 2,
        },
    ),
    (
        NeverSupersedes,
        {
            "ended-inputs-count": 2,
            "alignment-waits-for-someone": 2,
            "blocked-for-a-reason": 2,
            "part-is-taken-with-the-last": 2,
        },
    ),
    (Eager, {"part-is-taken-with-the-last": 2}),
]


@pytest.mark.parametrize(("kind", "falls"), GATES)
def test_a_wrong_gate_is_refuted(kind: Any, falls: Mapping[str, int]) -> None:
    assert outcomes(facts_of_gates(Gates(kind, {}))) == falls


def test_a_barrier_that_is_not_sent_is_missed() -> None:
    falls = outcomes(facts_of_outputs(Outputs(SendsNoBarrier, {})))
    assert falls == {"barrier-on-every-output": 1}


CHECKS = {
    Check.FULL: {"finished-tasks-are-closed": 4},
    Check.OFF: {
        "finished-vertices-are-closed": 2,
        "no-part-reads-what-runs": 2,
        "finished-tasks-are-closed": 2,
    },
    Check.IGNORE_PARTIAL: {"no-part-reads-what-runs": 2, "finished-tasks-are-closed": 3},
}


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_that_leaves_something_out_is_refuted(check: Check) -> None:
    assert outcomes(facts_of_starts(Starts(check))) == CHECKS[check]


def test_a_job_in_a_circle_is_not_reached() -> None:
    """The order of tasks is needed: where two read each other nobody is called."""

    class Cyclic(SoMany):
        def __init__(self, size: int) -> None:
            super().__init__(size)
            del self.axioms[1:]

    (delivers,) = (f for f in facts_of_plans(Plans(FinalCheckpoint, {})) if "all" in f.name)
    asked = reaches_all(delivers)
    assert not is_satisfiable(SoMany(2), asked)
    assert is_satisfiable(Cyclic(2), asked)


def reaches_all(fact: Fact) -> Callable[[Z3Logic], list[Term]]:
    """The question of a fact, and that the whole job is as its hypotheses say of a part."""

    def asked(logic: Z3Logic) -> list[Term]:
        (question,) = fact.ask(logic)
        return [*question.given, logic.negation(question.claim)]

    return asked


def is_satisfiable(logic: SoMany, asked: Callable[[Z3Logic], list[Term]]) -> bool:
    solver = logic.z3.Solver(ctx=logic.context)
    formulas = asked(logic)
    solver.add(*logic.axioms, *formulas)
    return bool(solver.check() == logic.z3.sat)


def test_what_counts_is_refused() -> None:
    plans = Plans(CountsProducers, {})
    with pytest.raises(FinaleError, match="counted as one") as error:
        prove(facts_of_plans(plans)[2])
    assert error.value.code == "not-for-any-job"


def test_what_depends_on_the_order_of_a_loop_is_refused() -> None:
    with pytest.raises(FinaleError, match="read after that of others was written") as error:
        prove(facts_of_plans(Plans(LooksBack, {}))[2])
    assert error.value.code == "not-for-any-job"


def test_who_hears_of_an_abort_is_told_but_not_whether_anybody_does() -> None:
    plans = Plans(FinalCheckpoint, {})
    window, task, _ = plans.call
    logic = SoMany(2)
    binding: Binding = {task: logic.some_node("t")}
    after = StateAfterStep(SymbolicState(logic), window, plans.called("deliver_trigger"), binding)
    assert after.holds("cp1.aborts", logic.nodes[0]) is not None
    with pytest.raises(FinaleError, match="cannot be told"):
        after.read(Symbol("cp1.latest.0", 0, 1, True), ())


def test_gates_that_do_not_block_are_not_asked() -> None:
    titles = [group.title for group in groups_of(Unaligned)]
    assert len(titles) == 5
    assert not any("alignment" in title for title in titles)


def test_a_protocol_without_plans_is_refused() -> None:
    with pytest.raises(FinaleError, match="nothing is claimed") as error:
        groups_of(TwoPhaseCommit)
    assert error.value.code == "no-facts"


def test_hypotheses_that_contradict_each_other_prove_nothing() -> None:
    (fact, *_) = facts_of_plans(Plans(FinalCheckpoint, {}))

    def impossible(logic: Z3Logic) -> list[Any]:
        (question,) = fact.ask(logic)
        never = [*question.given, logic.truth(False)]
        return [type(question)(question.case, never, question.claim, question.marks)]

    empty = Fact("nothing", (), "Nothing.", impossible)
    with pytest.raises(AssertionError, match="taken for granted"):
        prove(empty)


def test_no_smaller_graph_refutes() -> None:
    facts = facts_of_calls(Plans(RetriggersAll, {"finish_race": FinishRace.RETRIGGER}))
    (fact,) = (each for each in facts if each.name == "only-heads-are-called")
    graphs = [counterexample(fact, size) for size in range(1, 5)]
    assert [graph is None for graph in graphs] == [True, True, False, False]
    assert list(itertools.chain(*(e[:2] for e in graphs[2].edges)))  # type: ignore[union-attr]


def drawn(fact: Fact, outcome: object) -> str:
    assert isinstance(outcome, FactRefuted)
    return "\n".join(line.plain for line in graph_lines(fact, outcome.graph, 100))


def test_the_smallest_graph_is_drawn() -> None:
    (fact,) = (f for f in facts_of_plans(Plans(TriggersAll, {})) if "heads" in f.name)
    assert drawn(fact, prove(fact)) == (
        "    refuted by 2 tasks, the smallest number, in begin:\n"
        "      ┌────────────┐   ┌────────────┐\n"
        "      │ V1         │──▶│ V2         │\n"
        "      │ waited for │   │ waited for │\n"
        "      │ called     │   │ called     │\n"
        "      └────────────┘   └────────────┘"
    )


def test_tasks_inputs_and_outputs_are_drawn_where_they_belong() -> None:
    (tasks,) = (f for f in facts_of_starts(Starts(Check.FULL)) if not f.holds)
    text = drawn(tasks, prove(tasks))
    assert "A1 and A2 are of one vertex" in text
    assert "B1 and B2 are of one vertex" in text
    (aligns,) = (f for f in facts_of_gates(Gates(LegacyFinish, {})) if "with-the-last" in f.name)
    text = drawn(aligns, prove(aligns))
    assert text.count("▶│ T │") == 1
    assert "now: on_end_of_partition" in text
    sends = facts_of_outputs(Outputs(SendsNoBarrier, {}))[0]
    text = drawn(sends, prove(sends))
    assert text.index("│ T │") < text.index("gets nothing")


def test_what_is_not_decided_says_what_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over endless graphs it is not so, on finite ones it is: each has an end."""
    monkeypatch.setattr("finale.checker.proofs.all_jobs.fact.RESOURCES_MAX", 600_000)

    def ask(logic: Z3Logic) -> list[FactCase]:
        ends = logic.exists(
            lambda n: logic.forall(lambda other: logic.negation(logic.before(n, other)))
        )
        return [FactCase("any", [], ends, {})]

    outcome = prove(Fact("some-node-is-last", (), "Some node is last.", ask), nodes_max=3)
    assert isinstance(outcome, FactUndecided)
    assert outcome.nodes == 3
    assert outcome.why.startswith("any: ")


def test_the_command_line_says_what_fell() -> None:
    ran = run("prove --all-jobs --variant triggers-all --format json")
    assert ran.exit == 1
    told = json.loads(ran.stdout)
    assert not told["ok"]
    fell = {row["fact"]: row for row in told["facts"] if row["verdict"] != row["expected"]}
    assert set(fell) == {"triggered-tasks-are-heads", "only-heads-are-called"}
    assert fell["triggered-tasks-are-heads"]["edges"] == [["V1", "V2"]]
    assert fell["triggered-tasks-are-heads"]["nodes"]["V2"] == ["waited for", "called"]
