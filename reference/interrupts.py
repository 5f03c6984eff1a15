"""Holds signals back while threads share locks.

Python runs a signal's handler between any two instructions of the main thread. If the handler
raises just after `Condition.__enter__` has acquired its lock, the `with` block has not begun,
nothing releases the lock, and all other threads wait for ever.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

#: By which a user, a supervisor or a terminal that closes ends a run.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def held_back() -> Generator[Callable[[], None]]:
    """Yield a function that handles the signal received meanwhile, where its caller holds no lock.

    A second signal is handled at once: whoever sends it does not want to wait. Outside of the main
    thread, which alone hears of signals, nothing is held back.
    """
    ours = current_thread() is main_thread()
    handlers = {each: signal.getsignal(each) for each in SIGNALS if ours}
    waiting: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        handler = handlers[signal.Signals(number)]
        assert callable(handler)
        handler(number, frame)

    def hold(number: int, frame: FrameType | None) -> None:
        if waiting:
            handle(number, frame)
        waiting.append(number)

    def look() -> None:
        while waiting:
            handle(waiting.pop(), None)

    held = {each: handler for each, handler in handlers.items() if callable(handler)}
    for each in held:
        signal.signal(each, hold)
    try:
        yield look
    finally:
        for each, handler in held.items():
            signal.signal(each, handler)
    look()
