"""Holds signals back until a run stands between two steps.

An exception of a signal's handler comes between any two instructions: amid a step, or where a lock
is acquired and the `with` block that releases it has not begun.
"""

from __future__ import annotations


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
