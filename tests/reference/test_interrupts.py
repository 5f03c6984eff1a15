"""Signals that are held back while threads share locks."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from reference.interrupts import held_back


class Told(Exception):
    """A signal's handler was called."""


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    def tell(number: int, _: object) -> None:
        raise Told(signal.Signals(number).name)

    before = signal.signal(signal.SIGHUP, tell)
    yield
    assert signal.signal(signal.SIGHUP, before) is tell


def test_a_signal_is_handled_when_it_is_looked_for() -> None:
    with held_back() as look:
        look()
        signal.raise_signal(signal.SIGHUP)
        with pytest.raises(Told, match="SIGHUP"):
            look()
        look()


def test_the_second_is_handled_at_once() -> None:
    with held_back() as look:
        signal.raise_signal(signal.SIGHUP)
        with pytest.raises(Told):
            signal.raise_signal(signal.SIGHUP)
        with pytest.raises(Told):
            look()


def test_none_is_lost_at_the_end() -> None:
    with pytest.raises(Told), held_back():
        signal.raise_signal(signal.SIGHUP)


def test_an_error_is_not_covered_by_a_signal() -> None:
    def fails() -> None:
        with held_back():
            signal.raise_signal(signal.SIGHUP)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()


def test_another_thread_than_the_main_one_holds_nothing_back() -> None:
    def handlers() -> list[object]:
        with held_back():
            return [signal.getsignal(each) for each in (signal.SIGHUP, signal.SIGINT)]

    with ThreadPoolExecutor(1) as pool:
        before = [signal.getsignal(each) for each in (signal.SIGHUP, signal.SIGINT)]
        assert pool.submit(handlers).result() == before
