"""Notes lines of a task's thread that are missing, or stand elsewhere than they were written.

A shipper moves some lines by a few places. The lines around are in their order then, and the place
that the time of such a line tells is near. A shipper loses some lines, too. Some methods of the
engine write lines that tell no event, and always the same ones (`[[sequence]]` in the table).
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

from finale.checker.logs.lines import ONCE, observed

from .line_patterns import PatternTable
from .log_entries import LogEntry

#: A line that was moved stands at most so many entries apart from its place.
APART = 12
#: So many signs are kept of a log.
SIGNS_KEPT = 100


@dataclass(frozen=True, slots=True, order=True)
class SignLine:
    """A line of a task's thread that shows a damage."""

    part: int
    line: int
    thread: str


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a task's thread, and the time of the line before it, of any thread."""

    time: str
    sign: SignLine
    before: str


_Member = tuple[int, int]
"""A sequence, and the place in it."""


@dataclass
class DamageSigns:
    """The signs of one log."""

    moved: list[SignLine] = field(default_factory=list[SignLine])
    """Lines of a task's thread that stand before an earlier line, or behind a later line of it.

    A clock that is set back moves all lines. So the lines around must be in their order. A line
    whose time is wrong has no place near.
    """
    _unlike: dict[_Member, list[SignLine]] = field(default_factory=dict[_Member, list[SignLine]])
    """By member of a sequence the lines that show that it is missing, or stands elsewhere."""
    _members: Counter[_Member] = field(default_factory=Counter[_Member])
    """How often each member of a sequence was read."""
    _at: dict[str, _Member] = field(default_factory=dict[str, _Member])
    """By thread the latest member of a sequence."""
    _latest: dict[str, _Line | None] = field(default_factory=dict[str, _Line | None], repr=False)
    """By thread its latest line; None for a thread that is not that of one task."""
    _times: deque[str] = field(default_factory=lambda: deque[str](maxlen=APART), repr=False)
    """The times of the lines before."""
    _early: list[tuple[_Line, int]] = field(default_factory=list[tuple[_Line, int]], repr=False)
    """Lines that stand before an earlier one, each until so many entries have been read."""
    _doubted: _Line | None = None
    """The line before, if it is earlier than one of its thread; `before` is that one's time."""
    _read: int = 0

    def note(self, entry: LogEntry, word: str, to: str, table: PatternTable) -> None:
        """Look at an entry, and the event that it tells; `word` is empty if it tells none.

        A wrong protocol could take its steps in another order, so a step counts for nothing.
        """
        self._read += 1
        if self._doubted is not None:
            *before, own = self._times
            if entry.time >= self._doubted.before and any(each <= own for each in before):
                self._keep(self._doubted)
            self._doubted = None
        if self._early:
            self._come(entry.time)
        if not word or (word in ONCE and observed(word, to) is None):
            self._in_thread(entry, table)
        if not word and self._latest[entry.thread] is not None:
            self._in_sequence(entry, table)
        self._times.append(entry.time)

    @property
    def unlike(self) -> list[SignLine]:
        """The lines around which a line that tells no event is missing, or stands elsewhere.

        A line that is seldom where it belongs is not written in this setting.
        """
        seldom = (each for n, each in self._unlike.items() if 2 * len(each) < self._members[n])
        return sorted({sign for each in seldom for sign in each})

    def _in_thread(self, entry: LogEntry, table: PatternTable) -> None:
        before = self._times[-1] if self._times else ""
        line = _Line(entry.time, SignLine(entry.part, entry.line, entry.thread), before)
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
            self._early.append((latest, self._read + APART))
            self._latest[entry.thread] = line
        else:
            self._doubted = _Line(line.time, line.sign, latest.time)

    def _in_sequence(self, entry: LogEntry, table: PatternTable) -> None:
        member = table.member_of(entry.logger, entry.message)
        if member is None:
            return
        self._members[member] += 1
        before = self._at.get(entry.thread)
        self._at[entry.thread] = member
        (sequence, place), (last, at) = member, before or member
        if sequence != last:
            at = -1
        if before is None or place in (0, at + 1):
            return
        missing = [(sequence, each) for each in range(at + 1, place)]
        for each in missing or [member]:
            signs = self._unlike.setdefault(each, [])
            if len(signs) < SIGNS_KEPT:
                signs.append(SignLine(entry.part, entry.line, entry.thread))

    def _come(self, time: str) -> None:
        """Keep the early lines whose place an entry with this time has shown."""
        for line, _ in (each for each in self._early if each[0].time <= time):
            self._keep(line)
        self._early = [e for e in self._early if e[0].time > time and e[1] > self._read]

    def _keep(self, line: _Line) -> None:
        if len(self.moved) < SIGNS_KEPT:
            self.moved.append(line.sign)


__all__ = ["DamageSigns", "SignLine"]
