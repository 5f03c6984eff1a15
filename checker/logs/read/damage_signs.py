"""Notes lines that are missing, or stand elsewhere than they were written, as no protocol explains.

A shipper moves some lines by a few places. The lines around are in their order then, and the place
that the time of such a line tells is near. A shipper loses some lines, too. Some methods of the
engine write lines that tell no event, and always the same ones (`[[sequence]]` in the table).
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field

from finale.checker.logs.lines import ONCE, observed

from .line_patterns import PatternTable
from .log_entries import LogEntry

#: A line that was moved stands at most so many entries apart from its place.
APART = 12
#: A line is early if so many lines behind it have earlier times: one thread can be late by a line.
BEHIND = 2
#: So many early lines show a damage, if they are so many of a thousand lines. Logs of 140 real runs
#: have at most 2, and 0.15 of a thousand.
EARLY, OF_A_THOUSAND = 3, 2
#: So many signs of each kind are kept of a log.
SIGNS_KEPT = 100


# Not frozen: that takes three times as long, and each line has one.
@dataclass(slots=True, order=True)
class SignLine:
    """A line that shows a damage."""

    part: int
    line: int
    thread: str


@dataclass(slots=True)
class _Line:
    """A line, its time, and the time of the line before it, of any thread."""

    sign: SignLine
    time: str
    before: str


@dataclass(slots=True)
class _Early:
    """A line that stands before a line with an earlier time."""

    line: _Line
    until: int
    """The number of the last entry that can show its place."""
    behind: int = 1
    """How many lines behind it have earlier times."""


_Member = tuple[int, int]
"""A sequence of the table, and the place in it."""


@dataclass
class DamageSigns:
    """The signs of one log."""

    doubled: list[SignLine] = field(default_factory=list[SignLine])
    """Lines that tell no event and come again in their thread at the same time."""
    moved: list[SignLine] = field(default_factory=list[SignLine])
    """Lines of a task's thread that stand before an earlier line, or behind a later line of it.

    A clock that is set back moves all lines. So the lines around must be in their order. A line
    whose time is wrong has no place near. A wrong protocol could take its steps in another order,
    so a line that tells a step does not count.
    """
    _read: int = 0
    _times: deque[str] = field(default_factory=lambda: deque[str](maxlen=APART))
    """The times of the lines before."""
    _before: _Line | None = None
    """The line before."""
    _latest: dict[str, _Line | None] = field(default_factory=dict[str, _Line | None])
    """By thread its latest line; None for a thread that is not that of one task."""
    _early_in_thread: list[_Early] = field(default_factory=list[_Early])
    _late: tuple[_Line, str] | None = None
    """The line before, if it is earlier than one of its thread, and the time of that one."""
    _early: list[_Early] = field(default_factory=list[_Early])
    _shown_early: list[SignLine] = field(default_factory=list[SignLine])
    _early_count: int = 0
    _at: dict[str, tuple[_Member, str, str]] = field(
        default_factory=dict[str, tuple[_Member, str, str]]
    )
    """By thread the latest member of a sequence, its time and its message."""
    _members: Counter[_Member] = field(default_factory=Counter[_Member])
    """How often each member of a sequence was read."""
    _lacking: defaultdict[_Member, list[SignLine]] = field(
        default_factory=lambda: defaultdict[_Member, list[SignLine]](list)
    )
    """By member of a sequence the lines that come without it."""

    @property
    def early(self) -> list[SignLine]:
        """The lines before lines with earlier times, if they are too many for threads that are
        late."""
        many = max(EARLY, self._read * OF_A_THOUSAND / 1000)
        return self._shown_early if self._early_count >= many else []

    @property
    def lacking(self) -> list[SignLine]:
        """The lines before which a line that tells no event is missing.

        A line that is missing as often as it is there is not written in this setting.
        """
        seldom = (e for n, e in self._lacking.items() if 2 * len(e) < self._members[n])
        return sorted({(e.part, e.line): e for each in seldom for e in each}.values())

    def note(self, entry: LogEntry, word: str, to: str, table: PatternTable) -> None:
        """Look at an entry, and the event that it tells; `word` is empty if it tells none."""
        self._read += 1
        before, time = self._before, entry.time
        self._before = line = _Line(
            SignLine(entry.part, entry.line, entry.thread),
            time,
            "" if before is None else before.time,
        )
        if self._late is not None:
            *others, own = self._times
            if time >= self._late[1] and any(each <= own for each in others):
                self._add(self.moved, [self._late[0].sign])
            self._late = None
        if self._early_in_thread:
            self._early_in_thread, shown = self._places_of(self._early_in_thread, time, 1)
            self._add(self.moved, shown)
        if self._early:
            self._early, shown = self._places_of(self._early, time, BEHIND)
            self._early_count += len(shown)
            self._add(self._shown_early, shown)
        if before is not None and before.before <= time < before.time:
            self._early.append(_Early(before, self._read + APART))
        if not word or (word in ONCE and observed(word, to) is None):
            self._note_thread(entry, line, table)
        if not word and self._latest[entry.thread] is not None:
            self._note_sequence(entry, line, table)
        self._times.append(time)

    def _places_of(
        self, early: list[_Early], time: str, behind: int
    ) -> tuple[list[_Early], list[SignLine]]:
        """Early lines whose place is still to come, and those whose place this time shows."""
        shown = [e.line.sign for e in early if e.line.time <= time and e.behind >= behind]
        rest = [each for each in early if each.line.time > time and each.until > self._read]
        for each in rest:
            each.behind += 1
        return rest, shown

    def _note_thread(self, entry: LogEntry, line: _Line, table: PatternTable) -> None:
        """Compare a line with the line before it in the thread of a task."""
        if entry.thread not in self._latest:
            is_of_task = table.thread.fullmatch(entry.thread) is not None
            self._latest[entry.thread] = line if is_of_task else None
            return
        latest = self._latest[entry.thread]
        if latest is None:
            return
        if line.time < latest.time and latest.before > line.time:
            self._late = line, latest.time
            return
        if line.time < latest.time:
            self._early_in_thread.append(_Early(latest, self._read + APART))
        self._latest[entry.thread] = line

    def _note_sequence(self, entry: LogEntry, line: _Line, table: PatternTable) -> None:
        """Compare a line with the sequence that has it. If a method fails, the rest does not come;
        some begin again."""
        member = table.member_of(entry.logger, entry.message)
        if member is None:
            return
        self._members[member] += 1
        before, time, message = self._at.get(entry.thread, (None, "", ""))
        self._at[entry.thread] = member, entry.time, entry.message
        if before is None:
            return  # the log may begin within the sequence
        if (before, time, message) == self._at[entry.thread]:
            self._add(self.doubled, [line.sign])
        sequence, place = member
        next_place = before[1] + 1 if before[0] == sequence else 0
        for each in range(next_place, place):
            self._add(self._lacking[sequence, each], [line.sign])

    @staticmethod
    def _add(signs: list[SignLine], more: list[SignLine]) -> None:
        signs += more[: SIGNS_KEPT - len(signs)]


__all__ = ["DamageSigns", "SignLine"]
