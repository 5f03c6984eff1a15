"""Holds signals back until a run stands between two steps.

Python runs a signal's handler between any two instructions of the main thread. An exception from
there can leave a step half done, and a lock taken for ever: `Condition.__enter__` has acquired it,
and the `with` block that releases it has not begun.
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from threading import current_thread, main_thread

#: By which a user, a supervisor or a terminal that closes ends a run.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: Who ignores a signal, or handles it in another way, goes on to do so.
_USUAL = (signal.SIG_DFL, signal.default_int_handler)


class Interrupted(KeyboardInterrupt):
    """A signal asks a run to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Signals:
    """The signals of a run: the first is raised where `look` is called.

    A second one means that its sender does not want to wait. With `at_once` it is raised wherever
    the run is; else whoever waits asks whether it `is_urgent`.
    """

    def __init__(self, *, at_once: bool = False) -> None:
        self._at_once = at_once
        self._waiting: list[int] = []
        self._is_ending = False
        self.cut = False
        """Whether the run ended amid a step."""

    @property
    def are_waiting(self) -> bool:
        """Whether there is one that was not raised."""
        return bool(self._waiting)

    @property
    def is_urgent(self) -> bool:
        """Whether another one has come since one was raised."""
        return self._is_ending and self.are_waiting

    def look(self) -> None:
        """Raises `Interrupted` if a signal is waiting."""
        if self._waiting:
            self._is_ending = True
            raise Interrupted(self._waiting.pop(0))

    def receive(self, number: int, _: object) -> None:
        """Handle a signal."""
        self._waiting.append(number)
        if self._at_once and not self._is_ending and len(self._waiting) > 1:
            self.cut = True
            self.look()


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
