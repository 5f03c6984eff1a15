"""The trigger plan (PL-2) of a large job is one small rule, and what it plans is what it says."""

from __future__ import annotations

import pytest

from finale.model.language.build import build
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import Setting
from finale.model.semantics import steps
from finale.model.system import Blocked, State, System, leaves
from finale.model.topology import Job, all_shapes


def built(job: Job) -> tuple[FinalCheckpoint, System]:
    protocol = FinalCheckpoint(Setting(job=job, bounds={"checkpoints": 1}))
    return protocol, build(protocol)


def test_plan_over_sixteen_subtasks_has_few_leaves() -> None:
    table = {"S": {"records": 0, "parallelism": 4}}
    table |= {
        name: {"from": [before], "parallelism": 4}  # type: ignore[dict-item]
        for before, name in (("S", "V"), ("V", "W"), ("W", "X"))
    }
    protocol, system = built(Job.from_table(table))
    assert len(protocol.tasks) == 16
    (plan,) = [rule for rule in system.rules if rule.rule.name == "trigger_checkpoint"]
    assert len(list(leaves(plan.tree))) <= 16
    assert len({type(leaf) for leaf in leaves(plan.tree)}) == 2


def planned(protocol: FinalCheckpoint, system: System, finished: set[str]) -> dict[str, object]:
    """The plan that is made when the coordinator knows these tasks as finished."""
    initial = list(system.initial[0])
    for variable in system.variables:
        if variable.field == "reported_finished":
            initial[variable.offset] = int(variable.entity.name in finished)
    state: State = tuple(initial)
    (step,) = [each for each in steps(system, state) if each.rule.rule.name == "trigger_checkpoint"]
    assert isinstance(step.result, tuple)
    return dict(system.values(step.result))


def names_in(value: object) -> set[str]:
    assert isinstance(value, frozenset)
    return {str(each) for each in value}


@pytest.mark.parametrize("number", range(sum(1 for _ in all_shapes(4))))
def test_plan_of_every_small_job(number: int) -> None:
    """Against PL-2.4 computed on the job itself, for every set of tasks closed under producers."""
    job = list(all_shapes(4))[number]
    protocol, system = built(job)
    names = [task.name for task in protocol.tasks]
    up = {s.name: {u.name for u in job.upstream(s)} for s in job.subtasks}
    for bits in range(2 ** len(names) - 1):
        finished = {name for i, name in enumerate(names) if bits >> i & 1}
        if any(not up[name] <= finished for name in finished):
            continue
        values = planned(protocol, system, finished)
        running = set(names) - finished
        heads = {name for name in running if not up[name] & running}
        assert names_in(values["cp1.triggers"]) == heads
        assert names_in(values["cp1.awaited"]) == running


def test_no_plan_when_all_have_finished() -> None:
    protocol, system = built(Job.from_table({"shape": "pair", "records": 0}))
    (plan,) = [rule for rule in system.rules if rule.rule.name == "trigger_checkpoint"]
    assert any(isinstance(leaf, Blocked) for leaf in leaves(plan.tree))
    with pytest.raises(ValueError, match="not enough values"):
        planned(protocol, system, {task.name for task in protocol.tasks})
