"""How far the judging of an event log is, and where it gives up."""

from __future__ import annotations

from typing import Any

import pytest

from checker.logs.event_log.acceptance import Accepted, Given, Undecided, Verdict, Visible, accept
from checker.logs.event_log.effort import Effort, Far, OverTime
from checker.search.limits import Limits
from reference.formats.eventlog import read_log
from reference.settings import Faults
from tests.conformance.logs import CHAIN, engine_of, log_of, without

FAULTS = Faults(checkpoints=9, failures=2, lost_confirmations=1, declines=1, expiries=1)


def chain() -> list[str]:
    return log_of(engine_of(CHAIN, faults=FAULTS), CHAIN, 1)


def judged(lines: list[str], *hidden: str, **more: Any) -> Verdict:
    return accept(read_log(lines), profile=dict.fromkeys(hidden, Visible.NEVER), **more)


def costly(**more: Any) -> Verdict:
    """Of a log that nobody can decide with little."""
    names = ("poll_barrier", "deliver_abort", "apply_acknowledgement")
    return judged(without(chain(), names), *names, judges=False, **more)


def test_the_search_gives_up_in_the_end() -> None:
    conforms = costly(limits=Limits(states_max=40)).conforms
    assert isinstance(conforms, Undecided)
    assert conforms.given_up is Given.STATES
    assert "40 states" in conforms.why
    assert 1 <= conforms.line < conforms.far.lines
    assert conforms.far.states >= 40


def test_the_search_gives_up_after_so_long() -> None:
    conforms = costly(limits=Limits(seconds_max=1e-9)).conforms
    assert isinstance(conforms, Undecided)
    assert (conforms.given_up, conforms.far.states) == (Given.SECONDS, 1)


def test_what_is_accepted_but_not_judged_in_time_is_undecided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def over(effort: Effort, line: int) -> None:
        raise OverTime

    monkeypatch.setattr(Effort, "judges", over)
    limits = Limits(seconds_max=1000)
    assert isinstance(judged(chain(), limits=limits).conforms, Undecided)
    assert isinstance(judged(chain(), judges=False).conforms, Accepted)


def test_how_far_it_is_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checker.logs.event_log.effort.SECONDS_BETWEEN_REPORTS", 0.0)
    told: list[Far] = []
    lines = chain()
    judged(lines, told=told.append)
    for judges in (False, True):
        seen = [far.line for far in told if far.judges is judges]
        assert seen == sorted(seen)
        assert seen[-1] >= len(lines) - 2
    assert {far.lines for far in told} == {len(lines) - 1}
    assert told[-1].states >= len(lines) - 2


def test_an_interrupted_search_says_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checker.logs.event_log.effort.SECONDS_BETWEEN_REPORTS", 0.0)

    def interrupt(far: Far) -> None:
        if far.line >= 10:
            raise KeyboardInterrupt

    conforms = judged(chain(), told=interrupt).conforms
    assert isinstance(conforms, Undecided)
    assert (conforms.given_up, conforms.line) == (Given.INTERRUPTED, 10)
