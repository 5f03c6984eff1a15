"""The engine's broken variants make the mistakes of the model's, in lock-step."""

from __future__ import annotations

import pytest

from finale.checker.conformance.lockstep import Agreement, Divergence, LockStep
from finale.reference.broken import BROKEN
from finale.reference.protocols import ENGINES
from tests.protocols.specs import ROOT, spec_of

SPECS = {
    "final-checkpoint/broken/close-aborts-pending": 2_904,
    "final-checkpoint/broken/finish-during-trigger-hangs": 639,
    "legacy-finish/broken/commit-on-close": 1_288,
}


@pytest.mark.parametrize(("name", "observations"), SPECS.items())
def test_the_mistake_is_the_same(name: str, observations: int) -> None:
    spec = spec_of(ROOT / f"{name}.toml")
    outcome = LockStep(spec).run()
    assert isinstance(outcome, Agreement), outcome
    assert outcome.observations == observations
    assert spec.counts is not None
    assert (outcome.states, outcome.transitions) == (spec.counts.states, spec.counts.transitions)


@pytest.mark.parametrize("name", SPECS)
def test_the_protocol_itself_does_not_make_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = spec_of(ROOT / f"{name}.toml")
    assert spec.variant is not None
    monkeypatch.setitem(BROKEN, spec.variant, ENGINES[spec.protocol.key])
    assert isinstance(LockStep(spec).run(), Divergence)


def test_each_has_a_spec() -> None:
    assert {spec_of(ROOT / f"{name}.toml").variant for name in SPECS} == set(BROKEN)
