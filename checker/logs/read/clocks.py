"""Estimates how far the clock of each process is ahead, from the messages between processes.

A message is received after it was sent. If the clocks of two processes agree, its time of receipt
is not the earlier one. So the smallest difference of times over all messages of one direction
bounds from above how far the receiver's clock is ahead, and that of the other direction bounds it
from below, as in NTP. If no difference is within all bounds, the clock has jumped, or drifts: then
the lines of its file are cut into sections, each with bounds of its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import inf

from .messages import HappenedBefore

#: Times of lines are cut to milliseconds: the difference of two is wrong by less than this.
PRECISION = 1
#: Threads write their lines a little out of order. A time further back is that of a clock set back.
BACK_MAX = 1000
_ZERO = datetime(1970, 1, 1)


@dataclass(frozen=True)
class ClockSection:
    """Lines of a file with one difference of clocks: how many milliseconds ahead of the
    JobManager's, at least and at most. `first` and `last` are its first and last message."""

    least: float
    most: float
    first: int
    last: int

    @property
    def offset(self) -> float:
        """The estimate: none if the clocks may agree."""
        if self.least - PRECISION <= 0 <= self.most + PRECISION:
            return 0
        if inf in (-self.least, self.most):
            return self.most if self.least == -inf else self.least
        return (self.least + self.most) / 2


@dataclass
class LogClock:
    """The clock of one file. A line is called by its number in the order of messages."""

    sections: list[ClockSection] = field(default_factory=list[ClockSection])
    """None if the file is the JobManager's, or has no messages."""
    backwards: list[tuple[int, float]] = field(default_factory=list[tuple[int, float]])
    """The lines with which it goes back, and how many milliseconds."""
    starts: list[int] = field(default_factory=list[int])
    """The first line of each section."""

    @property
    def is_off(self) -> bool:
        """Whether the clock cannot have agreed with the JobManager's all the time."""
        return bool(self.backwards) or any(each.offset for each in self.sections)

    def offset(self, line: int) -> float:
        """How far the clock is ahead at a line."""
        if not self.sections:
            return 0
        return self.sections[max(0, bisect_right(self.starts, line) - 1)].offset


class Clocks:
    """The clocks of all files, and the time of each line by the JobManager's clock."""

    def __init__(self, order: HappenedBefore) -> None:
        self._order = order
        self.logs: dict[int, LogClock] = {}
        self._raw: list[float] = [0] * len(order.lines)
        """Times by the file's own clock, in milliseconds. Where it goes back, they go on."""
        self._common: list[float] = []
        """The same by the JobManager's clock."""
        self.times: list[float] = []
        """The same, in each file never earlier than the line before."""
        self.reference = 0
        """The file with most lines of a coordinator: all others are compared with its clock."""
        self._carried: dict[int, float] = {}
        for log, lines in order.by_log.items():
            self.logs[log] = self._read(log, lines)
        self._common, self.times = [*self._raw], [*self._raw]
        self._place_all()

    def merged(self) -> list[int]:
        """Return all lines in an order that keeps that of files and messages, and else by time."""
        lines = self._order.lines
        return self._order.in_order(lambda each: (self.times[each], lines[each].event.log))

    def on_common_clock(self, log: int, time: str) -> float | None:
        """Return a time behind the lines of a file by the JobManager's clock, in milliseconds."""
        told, own = milliseconds(time), self._order.by_log.get(log)
        if told is None or not own:
            return told
        return told + self._carried[log] - self.logs[log].offset(own[-1])

    def _read(self, log: int, lines: Sequence[int]) -> LogClock:
        clock, latest, carried = LogClock(), -inf, 0.0
        for number in lines:
            told = milliseconds(self._order.lines[number].event.time)
            time = latest if told is None else told + carried
            if time < latest - BACK_MAX:
                clock.backwards.append((number, latest - time))
                carried += latest - time
                time = latest
            latest = max(latest, time)
            self._raw[number] = time
        self._carried[log] = carried
        return clock

    def _place_all(self) -> None:
        """Compare each file with those whose clocks are known, that with most messages first."""
        by_log, lines = self._order.by_log, self._order.lines
        counts = Counter[tuple[int, int]]()
        for effect, causes in self._order.causes.items():
            for cause in causes:
                one, two = lines[cause].event.log, lines[effect].event.log
                counts.update(((one, two), (two, one)))
        coordinating = {
            log: sum(lines[each].event.clock.startswith("jm") for each in own)
            for log, own in by_log.items()
        }
        rest = sorted(by_log, key=lambda each: -coordinating[each])
        self.reference = rest[0] if rest else 0
        known: list[int] = []
        while rest:
            log = max(rest, key=lambda each: sum(counts[each, one] for one in known))
            if known:
                self.logs[log].sections = self._sections(log, known)
            self._place(log)
            known.append(log)
            rest.remove(log)

    def _sections(self, log: int, known: Collection[int]) -> list[ClockSection]:
        """The sections of a file, by its messages with those whose clocks are known."""
        bounds: list[tuple[int, float, float]] = []
        lines, raw, common = self._order.lines, self._raw, self._common
        for effect, causes in self._order.causes.items():
            receiver = lines[effect].event.log
            for cause in causes:
                sender = lines[cause].event.log
                if receiver == log and sender in known:
                    bounds.append((effect, -inf, raw[effect] - common[cause]))
                elif sender == log and receiver in known:
                    bounds.append((cause, raw[cause] - common[effect], inf))
        found: list[ClockSection] = []
        backwards = [line for line, _ in self.logs[log].backwards]
        for line, least, most in sorted(bounds):
            both = ClockSection(least, most, line, line)
            if found and bisect_right(backwards, line) > bisect_right(backwards, found[-1].last):
                found.append(both)
                continue
            if found:
                before = found[-1]
                both = ClockSection(
                    max(least, before.least), min(most, before.most), before.first, line
                )
            if both.least <= both.most + PRECISION:
                found[-1:] = [both]
            else:
                found.append(ClockSection(least, most, line, line))
        return found

    def _place(self, log: int) -> None:
        """Read the times of a file by the common clock."""
        clock, latest = self.logs[log], -inf
        clock.starts = [self._order.by_log[log][0] if clock.sections else 0]
        clock.starts += [self._begins(log, *both) for both in pairwise(clock.sections)]
        for number in self._order.by_log[log]:
            self._common[number] = self._raw[number] - clock.offset(number)
            latest = max(latest, self._common[number])
            self.times[number] = latest

    def _begins(self, log: int, before: ClockSection, after: ClockSection) -> int:
        """The first line of a section: that with the step of time that fits best, of those between
        the last message of the section before and its own first one."""
        for line, _ in self.logs[log].backwards:
            if before.last < line <= after.first:
                return line
        step = after.offset - before.offset
        lines = [e for e in self._order.by_log[log] if before.last <= e <= after.first]
        pairs = [*pairwise(lines)] or [(after.first, after.first)]
        return min(pairs, key=lambda e: abs(self._raw[e[1]] - self._raw[e[0]] - step))[1]


def milliseconds(text: str) -> float | None:
    """A time as a line has it; None if the digits are no time."""
    try:
        time = datetime.fromisoformat(text.replace(",", "."))
    except ValueError:
        return None
    if time.tzinfo is not None:
        time = time.astimezone(UTC).replace(tzinfo=None)
    return (time - _ZERO) / timedelta(milliseconds=1)
