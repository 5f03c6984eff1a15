"""Events of an engine tell the attempt that they are of: a failure begins the next one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from finale.checker.logs.event_log.acceptance import Accepted, EventLogVerdict, Rejected, accept
from finale.checker.logs.event_log.reading import read_log
from finale.checker.logs.findings import Coverage
from finale.checker.spec.catalogue import catalogue
from finale.reference.settings import Faults
from tests.conformance.logs import PAIR, changed, engine_of, log_of

KNOWN = catalogue()
Events = list[dict[str, Any]]


def judged(lines: list[str]) -> EventLogVerdict:
    return accept(read_log(lines), known=KNOWN, judges=False)


def failing(seed: int = 1) -> list[str]:
    """A run that fails twice, and restores its tasks each time."""
    lines = log_of(engine_of(PAIR, faults=Faults(checkpoints=3, failures=2)), PAIR, seed)
    assert [json.loads(line)["event"] for line in lines].count("fail") == 2
    return lines


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_failure_begins_the_next_attempt(seed: int) -> None:
    lines = failing(seed)
    assert max(json.loads(line).get("attempt", 0) for line in lines) == 3
    assert isinstance(judged(lines).conforms, Accepted)


def always(attempt: int) -> Callable[[Events], Events]:
    return lambda events: [event | {"attempt": attempt} for event in events]


def late(events: Events) -> Events:
    """The last event is of the attempt before."""
    return [*events[:-1], events[-1] | {"attempt": events[-1]["attempt"] - 1}]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (always(1), "is restored again in attempt 1"),
        (always(99), "it is of attempt 99, after one of attempt 1"),
        (late, "after one of attempt 3"),
    ],
)
def test_another_attempt_is_rejected(change: Callable[[Events], Events], why: str) -> None:
    verdict = judged(changed(failing(), change))
    assert isinstance(verdict.conforms, Rejected)
    assert why in verdict.conforms.refusals[0].why


def test_where_something_is_missing_attempts_say_nothing() -> None:
    lines = failing()
    at = next(n for n, line in enumerate(lines) if '"restore"' in line)
    verdict = judged([*lines[:at], lines[at][:20], *lines[at + 1 :]])
    assert isinstance(verdict.conforms, Accepted)
    assert verdict.coverage is Coverage.GAP
