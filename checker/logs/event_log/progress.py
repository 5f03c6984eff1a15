"""Counts the work of judging a log: reports progress, and stops at the limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from finale.checker.search.limits import SECONDS_BETWEEN_REPORTS, Limits


@dataclass(frozen=True)
class LogProgress:
    """How far the judging of a log is. Its lines are gone through twice: explained, then judged.

    `states` are those that the search has gone on from, passes over the same lines included.
    """

    line: int
    lines: int
    states: int
    seconds: float
    judges: bool
    """The lines have a run, and its properties are looked at."""


OnProgress = Callable[[LogProgress], None]
"""Called a few times a second while a log is judged, always from the thread that asked for it."""


class OverTime(Exception):
    """The limit of time was hit before there was an answer."""


class SearchEffort:
    """Counts what is done for a log of so many lines, and tells of it."""

    def __init__(
        self,
        lines: int,
        limits: Limits,
        on_progress: OnProgress | None,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self.limits = limits
        self.states = 0
        self.line = 0
        """The last line that some run explains, as far as is known."""
        self._lines = lines
        self._on_progress = on_progress
        self._clock = clock
        self._began = clock()
        self._next = SECONDS_BETWEEN_REPORTS
        self._judged: int | None = None

    @property
    def progress(self) -> LogProgress:
        """How far it is now."""
        judges = self._judged is not None
        line = self.line if self._judged is None else self._judged
        return LogProgress(line, self._lines, self.states, self._clock() - self._began, judges)

    def count(self) -> None:
        """One state more. Raises `OverTime`."""
        self.states += 1
        self._judged = None
        self.look()

    def explains(self, line: int) -> None:
        """A run was found up to this line."""
        self.line = max(self.line, line)

    def judges(self, line: int) -> None:
        """The properties of a run are looked at up to this line. Raises `OverTime`."""
        self._judged = line
        self.look()

    def look(self) -> None:
        """Compare the time with its limit, and tell of the progress. Raises `OverTime`."""
        seconds = self._clock() - self._began
        if self.limits.seconds_max is not None and seconds > self.limits.seconds_max:
            raise OverTime
        if self._on_progress is not None and seconds >= self._next:
            self._next = seconds + SECONDS_BETWEEN_REPORTS
            self._on_progress(self.progress)
