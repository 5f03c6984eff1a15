"""What is proven of pending checkpoints is kept by two rules: no other changes who is in a plan."""

from __future__ import annotations

from typing import Any

import pytest

from finale.checker.proofs.all_jobs.calls import RULES_OF_CALLS
from finale.model.language.build import build
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.finish_options import FinishRace
from finale.model.rules import Setting
from finale.model.semantics import steps
from finale.model.system import State, System
from finale.model.topology import Job

SETS = ("finished", "awaited", "triggers")
CHECKPOINTS = ("cp1", "cp2")


def plans(system: System, state: State) -> dict[str, Any]:
    """The plans of the checkpoints that are pending."""
    values: Any = system.values(state)
    return {
        checkpoint: [values[f"{checkpoint}.{name}"] for name in SETS]
        for checkpoint in CHECKPOINTS
        if values[f"{checkpoint}.status"].value == "pending"
    }


@pytest.mark.parametrize(
    "race", [pytest.param(FinishRace.ABORT, marks=pytest.mark.slow), FinishRace.RETRIGGER]
)
def test_no_other_rule_changes_who_is_in_a_pending_plan(race: FinishRace) -> None:
    job = Job.from_table({"shape": "pair", "records": 0})
    bounds = {"checkpoints": 2, "channel": 2, "expiries": 1, "declines": 1}
    system = build(FinalCheckpoint(Setting(job=job, options={"finish_race": race}, bounds=bounds)))
    seen = set(system.initial)
    pending, changing = list(seen), set[str]()
    while pending:
        state = pending.pop()
        before = plans(system, state)
        for taken in steps(system, state):
            assert isinstance(taken.result, tuple)
            after = plans(system, taken.result)
            if any(before[each] != after[each] for each in before.keys() & after.keys()):
                changing.add(taken.rule.rule.name)
            if taken.result not in seen:
                seen.add(taken.result)
                pending.append(taken.result)
    assert changing == set(RULES_OF_CALLS)
