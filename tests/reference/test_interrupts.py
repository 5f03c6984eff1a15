"""Signals that are held back until a run stands between two steps."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from finale.cli.run import SIGNALS, held_back
from finale.reference.interrupts import Interrupted


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    """The handlers of a process that nobody has told anything; they are put back."""
    defaults = dict.fromkeys(SIGNALS, signal.SIG_DFL)
    defaults[signal.SIGINT] = signal.default_int_handler  # type: ignore[assignment]
    before = {each: signal.signal(each, handler) for each, handler in defaults.items()}
    yield
    assert {each: signal.signal(each, handler) for each, handler in before.items()} == defaults


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_raised_when_it_is_looked_for(number: int) -> None:
    with held_back(at_once=True) as signals:
        signals.look()
        signal.raise_signal(number)
        with pytest.raises(Interrupted) as raised:
            signals.look()
        assert raised.value.number == number
        assert not signals.are_waiting


def test_the_second_is_raised_at_once_if_the_run_has_no_threads() -> None:
    with held_back(at_once=True) as signals:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(Interrupted):
            signal.raise_signal(signal.SIGTERM)
        assert signals.cut
        signal.raise_signal(signal.SIGTERM)  # the run is ending


def test_with_threads_none_is_raised_but_where_it_is_looked_for() -> None:
    with held_back(at_once=False) as signals:
        for _ in range(3):
            signal.raise_signal(signal.SIGHUP)
        assert signals.are_waiting
        assert not signals.is_urgent
        with pytest.raises(Interrupted):
            signals.look()
        assert signals.is_urgent


def test_whoever_ignores_or_handles_a_signal_goes_on_to() -> None:
    def handler(*_: object) -> None:
        pass

    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, handler)
    with held_back(at_once=True) as signals:
        signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGTERM) is handler
        signals.look()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def test_another_thread_than_the_main_one_holds_nothing_back() -> None:
    def handlers() -> list[object]:
        with held_back(at_once=True):
            return [signal.getsignal(each) for each in SIGNALS]

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(handlers).result() == [signal.getsignal(each) for each in SIGNALS]
