"""The shortest runs to a step that an assumption forbids, though no property falls."""

from __future__ import annotations

from itertools import pairwise

import pytest

from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.checker.studies.first_foreign import RUNS_OF_RULE, first_foreign
from finale.checker.studies.foreign_step import completing, foreign_step
from finale.checker.studies.weaken import weaker
from finale.model.system import System
from finale.model.trace import replay
from tests.docs.pages import ROOT

SPECS = ROOT / "specs"


def systems(spec: str, name: str) -> tuple[System, System]:
    """The system without the assumption, and the one with it."""
    claim = read_spec(SPECS / f"{spec}.toml", catalogue())
    return weaker(claim, name).system(), claim.system()


@pytest.mark.parametrize(
    ("spec", "name", "step"),
    [
        ("failures/region-restart", "counts-as-running", "step 2, trigger_checkpoint(), is no"),
        ("final-checkpoint/pair", "is-fully-acknowledged", "step 2, complete(cp1), is no step"),
        ("final-checkpoint/one-input-ends", "is-aligned", "step 4, poll_barrier(S1→K), has"),
    ],
)
def test_the_first_run_is_a_shortest_one(spec: str, name: str, step: str) -> None:
    own, other = systems(spec, name)
    runs = list(first_foreign(own, other))
    assert step in str(foreign_step(own, other, runs[0]))
    assert all(one.length <= next_.length for one, next_ in pairwise(runs))
    for run in runs:
        replay(own, run)
        found = foreign_step(own, other, run)
        assert found is not None
        assert found.number == run.length
    of_rule = [run.rules[-1] for run in runs]
    assert max(of_rule.count(rule) for rule in of_rule) <= RUNS_OF_RULE


def test_an_assumption_that_changes_no_reachable_step_has_no_run() -> None:
    assert not list(first_foreign(*systems("final-checkpoint/pair", "is-past")))


def test_a_checkpoint_that_the_assumption_aborts_completes_without_it() -> None:
    own, other = systems("stop-with-savepoint/pair-two-checkpoints", "abort-for-stop")
    run = next(first_foreign(own, other))
    step = foreign_step(own, other, run)
    assert step is not None
    longer = completing(own, other, run, step)
    assert longer is not None
    replay(own, longer)
    found = foreign_step(own, other, longer)
    assert found is not None
    assert (found.number, found.completes) == (step.number, "cp1")
