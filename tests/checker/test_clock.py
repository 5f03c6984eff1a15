"""Limits of time and interrupts in every phase of a check, by a clock that the tests set."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import pytest

from finale.checker.search import backends
from finale.checker.search.backends import Few
from finale.checker.search.limits import INTERRUPTED, Limits, SearchProgress
from finale.checker.search.native import search as native_search
from finale.checker.search.run import run
from finale.checker.search.verdict import Report, Word
from finale.checker.spec.claim import Spec
from tests.protocols.specs import ROOT, spec_of

#: So many limits and interrupts are tried, spread over the whole check.
LIMITS_TRIED = 16
#: With a clock that ticks once a call, so few states make `auto` change over in the middle.
SMALL = Few(100, math.inf)
LARGE = Few(10**6, math.inf)

Check = Callable[[float | None], Report]


class FakeClock:
    """A clock that goes on by one second each time somebody looks at it."""

    def __init__(self) -> None:
        self.now = 0
        self.interrupted_at = -1

    def __call__(self) -> float:
        self.now += 1
        if self.now == self.interrupted_at:
            raise KeyboardInterrupt
        return float(self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """All searches look at this clock."""
    native_search.prepare(Limits(), None)
    made = FakeClock()
    for name, module in list(sys.modules.items()):
        if name.startswith("finale.checker.search.") and hasattr(module, "perf_counter"):
            monkeypatch.setattr(module, "perf_counter", made)
    return made


@pytest.fixture(params=["readable", "native", "auto: readable", "auto: both", "auto: at once"])
def check(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Check:
    """A check of a spec with several liveness properties, by each way to search."""
    backend, _, way = request.param.partition(": ")
    spec = pair()
    assert spec.counts is not None
    monkeypatch.setattr(backends, "FEW", LARGE if way == "readable" else SMALL)
    if way == "both":
        monkeypatch.setattr("finale.checker.search.run._expected", _nothing)

    def checked(seconds: float | None) -> Report:
        return run(spec, Limits(seconds_max=seconds), backend=backend).report

    return checked


def _nothing(_: Spec) -> None:
    return None


def pair() -> Spec:
    return spec_of(ROOT / "final-checkpoint" / "pair.toml")


def settled(report: Report) -> dict[str, str]:
    """The verdicts that are known."""
    return {each.property: each.word for each in report.verdicts if each.word is not Word.UNKNOWN}


def spread(ticks: int) -> list[int]:
    return sorted({2 + (ticks - 2) * number // LIMITS_TRIED for number in range(LIMITS_TRIED + 1)})


def test_more_time_never_gives_a_worse_answer(check: Check, clock: FakeClock) -> None:
    whole = check(None)
    ticks, known, states, partly = clock.now, dict[str, str](), 0, 0
    for seconds in spread(ticks + 10):
        report = check(seconds)
        found = settled(report)
        assert known.items() <= found.items() <= settled(whole).items()
        assert states <= report.statistics.states
        known, states = found, report.statistics.states
        partly += 0 < len(found) < len(settled(whole))
        assert report.stopped in {"", Limits(seconds_max=seconds).seconds_word}
    assert known == settled(whole)
    assert partly, "some limits leave some properties open"


def test_an_interrupt_at_any_time_gives_a_partial_report(check: Check, clock: FakeClock) -> None:
    report = whole = check(None)
    for tick in spread(clock.now - 1):
        clock.now, clock.interrupted_at = 0, tick
        report = check(None)
        assert report.stopped == INTERRUPTED
        assert settled(report).items() <= settled(whole).items()
    assert settled(report), "an interrupt of liveness leaves what was judged before"


def test_the_phases_are_told_with_an_estimate_and_add_up(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = pair()
    told: list[SearchProgress] = []
    for backend in ("readable", "native"):
        told.clear()
        report = run(spec, progress=told.append, backend=backend).report
        after = [each for each in told if each.after]
        assert [each.after for each in after] == sorted(each.after for each in after)
        assert after[-1].after == "liveness: 2 of 3 properties"
        assert all(each.seconds_left is not None for each in after if "0 of" not in each.after)
        time = report.timing
        parts = time.building, time.compiling, time.searching, time.liveness
        assert all(parts)
        assert sum(parts) <= time.total
