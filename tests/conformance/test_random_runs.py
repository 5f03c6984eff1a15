"""Random runs of random jobs are runs of their protocols."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checker.conformance.acceptance import Accepted
from checker.conformance.random_runs import RandomRun, judged
from checker.loading import catalogue
from reference.protocols import ENGINES

KNOWN = catalogue()
FAST, ALL = 200, 5_000
#: Runs take their time, and few of what is drawn is thrown away.
UNCHECKED = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@st.composite
def jobs(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    """Sources, operators that read some of what is above them, and sinks."""
    table: dict[str, dict[str, Any]] = {}
    for number in range(draw(st.integers(1, 3))):
        table[f"S{number + 1}"] = {
            "records": draw(st.integers(0, 4)),
            "parallelism": draw(st.integers(1, 2)),
            "bounded": draw(st.integers(0, 5)) > 0,
        }
    for number in range(draw(st.integers(0, 3))):
        table[f"D{number + 1}"] = {
            "from": draw(inputs(list(table))),
            "kind": draw(st.sampled_from(["pass-through", "buffering", "timer"])),
            "parallelism": draw(st.integers(1, 3)),
        }
    above = list(table)
    for number in range(draw(st.integers(1, 2))):
        table[f"K{number + 1}"] = {
            "from": draw(inputs(above)),
            "parallelism": draw(st.integers(1, 2)),
            "sink": draw(st.sampled_from(["two-phase", "at-least-once"])),
        }
    return table


@st.composite
def inputs(draw: st.DrawFn, above: list[str]) -> list[dict[str, Any]]:
    names = draw(st.lists(st.sampled_from(above), min_size=1, max_size=3, unique=True))
    return [
        {
            "vertex": name,
            "pattern": draw(st.sampled_from(["all-to-all", "all-to-all", "pointwise"])),
            "broadcast": draw(st.integers(0, 4)) == 0,
        }
        for name in names
    ]


@st.composite
def runs(draw: st.DrawFn) -> RandomRun:
    protocol = draw(st.sampled_from(sorted(ENGINES)))
    few = st.integers(0, 2)
    faults = {
        "checkpoints": draw(st.integers(1, 8)),
        "failures": draw(few),
        "lost_confirmations": draw(few),
        "declines": draw(few),
        "expiries": draw(few),
    }
    if "request_stop" in ENGINES[protocol].actions:
        faults["stops"] = draw(st.integers(0, 1))
    return RandomRun(
        protocol,
        draw(jobs()),
        options={"concurrent": draw(st.integers(1, 2))} if protocol == "final-checkpoint" else {},
        faults=faults,
        channel=draw(st.integers(6, 10)),
        buffer_size=draw(st.sampled_from([None, 1, 2])),
        seed=draw(st.integers(0, 2**32)),
        steps_max=draw(st.sampled_from([100, 300])),
        weights={"request_stop": 0.2, "poll_data": draw(st.sampled_from([0.2, 1.0, 4.0]))},
    )


def assert_accepted(chosen: RandomRun) -> None:
    verdict = judged(chosen, KNOWN)
    assert isinstance(verdict.conforms, Accepted), verdict.conforms
    assert verdict.conforms.unseen == 0


@settings(max_examples=FAST, deadline=None, suppress_health_check=UNCHECKED)
@given(runs())
def test_random_runs_are_accepted(chosen: RandomRun) -> None:
    assert_accepted(chosen)


@pytest.mark.slow
@settings(max_examples=ALL, deadline=None, suppress_health_check=UNCHECKED)
@given(runs())
def test_thousands_of_random_runs_are_accepted(chosen: RandomRun) -> None:
    assert_accepted(chosen)
