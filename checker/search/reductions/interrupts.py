"""Keeps the user's interrupt from being lost while z3 works.

Python raises an interrupt in whatever code runs, and drops it inside of a `__del__`. z3 frees its
terms in `__del__` all the time.
"""

from __future__ import annotations

import signal
from threading import current_thread, main_thread
from types import FrameType, TracebackType


class Interrupts:
    """While entered, raises an interrupt at once, or else at the next `look`."""

    def __init__(self) -> None:
        self._is_kept = self._is_entered = False

    def __enter__(self) -> Interrupts:
        is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if is_usual and current_thread() is main_thread():
            signal.signal(signal.SIGINT, self._interrupted)
            self._is_entered = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_entered:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if kind is None:
            self.look()

    def look(self) -> None:
        """Raises KeyboardInterrupt if one was kept."""
        if self._is_kept:
            raise KeyboardInterrupt

    def _interrupted(self, _number: int, frame: FrameType | None) -> None:
        self._is_kept = True
        while frame is not None:
            if frame.f_code.co_name == "__del__":
                return
            frame = frame.f_back
        raise KeyboardInterrupt


__all__ = ["Interrupts"]
