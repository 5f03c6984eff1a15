"""Holds back the signals by which a run is told to end."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from threading import current_thread, main_thread

from finale.reference.interrupts import Signals

#: By which a user, a supervisor or a terminal that closes ends a run.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: Who ignores a signal, or handles it in another way, goes on to do so.
_USUAL = (signal.SIG_DFL, signal.default_int_handler)


@contextmanager
def held_back(*, at_once: bool) -> Generator[Signals]:
    """Hold signals back, in the main thread, which alone hears of them."""
    signals = Signals(at_once=at_once)
    ours = current_thread() is main_thread()
    before = {each: signal.getsignal(each) for each in SIGNALS if ours}
    taken = {each: handler for each, handler in before.items() if handler in _USUAL}
    for each in taken:
        signal.signal(each, signals.receive)
    try:
        yield signals
    finally:
        for each, handler in taken.items():
            signal.signal(each, handler)
