"""How far the judging of an event log is, and where it gives up."""

from __future__ import annotations

from typing import Any

import pytest

from finale.checker.logs.event_log.acceptance import (
    Accepted,
    EventLogVerdict,
    GaveUp,
    Undecided,
    Visibility,
    accept,
)
from finale.checker.logs.event_log.progress import LogProgress, OverTime, SearchEffort
from finale.checker.logs.event_log.reading import read_log
from finale.checker.search.limits import Limits
from finale.reference.settings import Faults
from tests.conformance.logs import CHAIN, engine_of, log_of, without

FAULTS = Faults(checkpoints=9, failures=2, lost_confirmations=1, declines=1, expiries=1)


def chain() -> list[str]:
    return log_of(engine_of(CHAIN, faults=FAULTS), CHAIN, 1)


def judged(lines: list[str], *hidden: str, **more: Any) -> EventLogVerdict:
    return accept(read_log(lines), profile=dict.fromkeys(hidden, Visibility.NEVER), **more)


def costly(**more: Any) -> EventLogVerdict:
    """Of a log that nobody can decide with little."""
    names = ("poll_barrier", "deliver_abort", "apply_acknowledgement")
    return judged(without(chain(), names), *names, judges=False, **more)


def test_the_search_gives_up_in_the_end() -> None:
    conforms = costly(limits=Limits(states_max=40)).conforms
    assert isinstance(conforms, Undecided)
    assert conforms.given_up is GaveUp.STATES
    assert "40 states" in conforms.why
    assert 1 <= conforms.line < conforms.progress.lines
    assert conforms.progress.states >= 40


def test_the_search_gives_up_after_so_long() -> None:
    conforms = costly(limits=Limits(seconds_max=1e-9)).conforms
    assert isinstance(conforms, Undecided)
    assert (conforms.given_up, conforms.progress.states) == (GaveUp.SECONDS, 1)


def test_what_is_accepted_but_not_judged_in_time_is_undecided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def over(effort: SearchEffort, line: int) -> None:
        raise OverTime

    monkeypatch.setattr(SearchEffort, "judges", over)
    limits = Limits(seconds_max=1000)
    assert isinstance(judged(chain(), limits=limits).conforms, Undecided)
    assert isinstance(judged(chain(), judges=False).conforms, Accepted)


def test_how_far_it_is_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finale.checker.logs.event_log.progress.SECONDS_BETWEEN_REPORTS", 0.0)
    told: list[LogProgress] = []
    lines = chain()
    judged(lines, on_progress=told.append)
    for judges in (False, True):
        seen = [progress.line for progress in told if progress.judges is judges]
        assert seen == sorted(seen)
        assert seen[-1] >= len(lines) - 2
    assert {progress.lines for progress in told} == {len(lines) - 1}
    assert told[-1].states >= len(lines) - 2


def test_an_interrupted_search_says_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finale.checker.logs.event_log.progress.SECONDS_BETWEEN_REPORTS", 0.0)

    def interrupt(progress: LogProgress) -> None:
        if progress.line >= 10:
            raise KeyboardInterrupt

    conforms = judged(chain(), on_progress=interrupt).conforms
    assert isinstance(conforms, Undecided)
    assert (conforms.given_up, conforms.line) == (GaveUp.INTERRUPTED, 10)
