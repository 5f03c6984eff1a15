"""Properties asked with arguments left out say what they say of each of their arguments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

import pytest

from finale.checker.logs import property_monitor
from finale.checker.logs.questions import Placeholder, Questions, Touched, questions_of
from finale.checker.logs.replay import partial_model
from finale.checker.search.interpreter.execution import PlainPredicate
from finale.model.rules import Nothing
from tests.cli.running import run

SAMPLES = "validate tests/logs/samples.tar.xz tests/logs/requests.tar.xz --format json"


def _of_each(predicates: Sequence[PlainPredicate], *, by_need: bool) -> tuple[Questions, ...]:
    assert isinstance(by_need, bool)
    return questions_of(predicates, by_need=False)


def test_verdicts_are_those_of_each_predicate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Findings, what is decided, and what that needs: of jobs that fail, hang, and show nothing."""
    left_out = run(SAMPLES)
    partial_model.shaped.cache_clear()
    monkeypatch.setattr(property_monitor, "questions_of", _of_each)
    of_each = run(SAMPLES)
    partial_model.shaped.cache_clear()
    assert left_out == of_each
    assert len(json.loads(of_each.stdout)["results"]) > 5


def test_a_placeholder_notes_each_use_but_for_nothing() -> None:
    left_out = Placeholder(1)
    uses = (
        lambda: left_out == 1,
        lambda: object() == left_out,
        lambda: left_out in {1},
        lambda: left_out in (1, 2),
        lambda: isinstance(left_out, int),
        lambda: bool(left_out),
        lambda: [*cast("list[int]", left_out)],
        lambda: left_out.name,
        lambda: f"{left_out}",
        lambda: left_out < 1,
    )
    for use in uses:
        with pytest.raises(Touched):
            use()
    assert Nothing != left_out, "no entity is Nothing"
