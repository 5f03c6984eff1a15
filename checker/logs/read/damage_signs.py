"""Notes what no engine writes: a line that stands twice, and lines of a thread in another order.

A shipper sends some lines twice, and moves some by a few places. A wrong protocol could also take a
step twice, so lines that tell a step count for nothing here: `ONCE` in `lines.py` are lines beside
the protocol that an engine writes once.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from finale.checker.logs.lines import ONCE, observed

from .line_patterns import PatternTable
from .log_entries import LogEntry

#: A line that is sent twice stands at most so many lines that tell an event apart.
APART = 24
#: So many signs are kept of a log.
SIGNS_KEPT = 100


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a task's thread, and the time of the line before it, of any thread."""

    time: str
    place: tuple[int, int]
    before: str


@dataclass
class DamageSigns:
    """The signs of one log. Each is a part of the log and a line of the part."""

    doubled: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Lines that stand for the second time, with the same time, thread and text."""
    moved: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Lines of a task's thread that stand before an earlier line, or behind a later line of it.

    A clock that is set back moves all lines. So the lines around must be in their order.
    """
    _recent: deque[tuple[str, ...]] = field(default_factory=deque[tuple[str, ...]], repr=False)
    _latest: dict[str, _Line | None] = field(default_factory=dict[str, _Line | None], repr=False)
    """By thread its latest line; None for a thread that is not that of one task."""
    _before: str = ""
    """The time of the line before."""
    _doubted: _Line | None = None
    """The line before, if it is earlier than one of its thread; `before` is that one's time."""

    def note(self, entry: LogEntry, word: str, to: str, table: PatternTable) -> None:
        """Look at an entry, and the event that it tells; `word` is empty if it tells none."""
        if self._doubted is not None:
            if entry.time >= self._doubted.before:
                self._keep(self.moved, self._doubted.place)
            self._doubted = None
        is_once = word in ONCE and observed(word, to) is None
        if is_once:
            text = entry.time, entry.thread, entry.logger, entry.message
            if text in self._recent:
                self._keep(self.doubled, (entry.part, entry.line))
            self._recent.append(text)
            if len(self._recent) > APART:
                self._recent.popleft()
        if is_once or not word:
            self._in_thread(entry, table)
        self._before = entry.time

    def _in_thread(self, entry: LogEntry, table: PatternTable) -> None:
        line = _Line(entry.time, (entry.part, entry.line), self._before)
        if entry.thread not in self._latest:
            is_of_task = table.thread.fullmatch(entry.thread) is not None
            self._latest[entry.thread] = line if is_of_task else None
            return
        latest = self._latest[entry.thread]
        if latest is None:
            return
        if entry.time >= latest.time:
            self._latest[entry.thread] = line
        elif latest.before <= entry.time:
            self._keep(self.moved, latest.place)
            self._latest[entry.thread] = line
        else:
            self._doubted = _Line(line.time, line.place, latest.time)

    @staticmethod
    def _keep(signs: list[tuple[int, int]], place: tuple[int, int]) -> None:
        if len(signs) < SIGNS_KEPT:
            signs.append(place)


__all__ = ["DamageSigns"]
