"""Finds which events leave lines in a log: the lines show the level of each logger."""

from __future__ import annotations

import enum
import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from finale.checker.logs.lines import OF_CHECKPOINTS, OF_EACH_JOB, OF_TASKS

from .line_patterns import LEVELS, LinePattern, PatternTable
from .log_events import OLDER, LineTally


class Visibility(enum.Enum):
    """Whether an event, or a step of a name, leaves a line in a log."""

    ALWAYS = "always"
    """If there is no line, the event did not happen."""
    MAYBE = "maybe"
    """The level of the logger is unknown, or the line does not name its task."""
    NEVER = "never"


INFO, WARN = LEVELS.index("INFO"), LEVELS.index("WARN")

#: What the clocks of a task's process are called.
CLOCKS_OF_TASKS = ("task.", "tm.")

#: What is missing if the process of a task has no log; the name of the task follows.
LOG_OF = "the log of the process of "
#: What a layout lacks if its lines tell no thread.
THREADS = "thread names in the layout"
#: What a job lacks if several of its vertices have one name.
NAMES = "names that vertices do not share"


class _Loggers:
    """What each logger writes: by the levels that somebody names, else by the lines of the log."""

    def __init__(self, table: PatternTable, tally: LineTally, levels: Mapping[str, str]) -> None:
        self._named = {logger: LEVELS.index(level) for logger, level in levels.items()}
        self._least = dict[str, int]()
        for logger, level in tally.loggers:
            least = self._least.get(logger, len(LEVELS))
            self._least[logger] = min(least, LEVELS.index(level))
        self._least |= self._named
        self._filtered = {
            (logger, "DEBUG")
            for logger, level in tally.loggers
            if level == "TRACE"
            and (logger, "DEBUG") not in tally.loggers
            and logger not in self._named
        }
        highest = max((LEVELS.index(level) for _, level in tally.loggers), default=WARN)
        self._may_lack_warnings = highest < WARN
        each_job = (*OF_EACH_JOB, *OF_CHECKPOINTS)
        # Loggers that may be set to a higher level: a missing line below this one proves nothing.
        self._unsure = {each.logger: WARN for each in table.patterns if each.event in each_job}
        if any(
            each.logger in self._least and each.clock.startswith(CLOCKS_OF_TASKS)
            for each in table.patterns
        ):
            for each in table.patterns:
                if each.event == OF_TASKS and each.logger not in self._least:
                    self._unsure[each.logger] = len(LEVELS)

    def shows(self, pattern: LinePattern) -> Visibility:
        """Whether the logger of a line writes it."""
        logger, level = pattern.logger, pattern.levels[0]
        needed, least = LEVELS.index(level), self._least.get(logger)
        if (logger, level) in self._filtered:
            return Visibility.MAYBE
        if needed == WARN and self._may_lack_warnings and logger not in self._named:
            return Visibility.MAYBE
        if least is not None and least <= needed:
            return Visibility.ALWAYS
        if logger in self._named:
            return Visibility.NEVER
        if needed < INFO:
            return Visibility.MAYBE if least is None else Visibility.NEVER
        is_sure = needed >= self._unsure.get(logger, INFO)
        return Visibility.ALWAYS if is_sure else Visibility.MAYBE


def _other_release(table: PatternTable, tally: LineTally) -> str:
    """The release of a log that is older than those whose lines a table has."""
    first = _numbers(table.since)
    older = [each for each in sorted(tally.versions) if _numbers(each) < first]
    if older:
        return older[0]
    return f"before {table.since}" if tally.words[OLDER] and table.since else ""


def _numbers(version: str) -> tuple[int, ...]:
    """The first two numbers of a version, by which releases are ordered."""
    return tuple(int(each) for each in re.findall(r"\d+", version)[:2])


class LogProfile:
    """What a log shows: by the level that each logger writes, and whether threads are told.

    `levels` gives the level of loggers, by the last part of their names; others are taken to write
    what they were seen to write, and what is at INFO or above. But a logger that writes of each job
    at INFO, and of this one did not, may have been set to WARN. The same holds for the logger that
    writes of each task, if the process of a task has other lines. A logger with lines at TRACE and
    none at DEBUG shows nothing of its lines at DEBUG: a filter may have removed them. So it is with
    lines at WARN if no logger has one, nor one at ERROR: each process of Flink writes some.

    Without `names`, a line that tells its task by the name alone can be of several tasks.
    """

    def __init__(
        self,
        table: PatternTable,
        tally: LineTally,
        levels: Mapping[str, str] | None = None,
        *,
        names: bool = True,
    ) -> None:
        self.table, self._tally, self._levels = table, tally, levels
        self.threads = tally.threads
        self.newest = tally.newest
        self.signs = tally.signs
        self.other_release = _other_release(table, tally)
        """The release that wrote the log, if the table does not have its lines; else empty."""
        loggers = _Loggers(table, tally, levels or {})
        self._seen: dict[str, Visibility] = {}
        self._lacks: dict[str, dict[str, None]] = {}
        for pattern in table.patterns:
            seen = loggers.shows(pattern)
            lacks = self._lacks.setdefault(pattern.event, {})
            if seen is not Visibility.ALWAYS:
                lacks[f"{pattern.levels[0]} of {pattern.logger}"] = None
            if pattern.by_thread and not tally.threads:
                lacks[THREADS] = None
                seen = Visibility.MAYBE if seen is Visibility.ALWAYS else seen
            if pattern.is_by_name and not names:
                lacks[NAMES] = None
                seen = Visibility.MAYBE if seen is Visibility.ALWAYS else seen
            if pattern.event in self._seen and self._seen[pattern.event] is not seen:
                seen = Visibility.MAYBE
            self._seen[pattern.event] = seen

    def without(self, *, threads: bool = False, names: bool = False) -> LogProfile:
        """Return what the same log shows if nobody knows which tasks are meant by threads, or by
        names."""
        tally = replace(self._tally, threads=self.threads and not threads)
        return LogProfile(self.table, tally, self._levels, names=not names)

    def of(self, word: str) -> Visibility:
        """Whether events of this word leave lines."""
        return self._seen.get(word, Visibility.NEVER)

    def has(self, *words: str) -> bool:
        """Whether events of all these words leave lines."""
        return all(self.of(word) is Visibility.ALWAYS for word in words)

    def is_whole(self, *, checkpoints: bool) -> bool:
        """Whether the lines are there that each job leaves, or each job that takes checkpoints."""
        return self.has(*OF_EACH_JOB, *(OF_CHECKPOINTS if checkpoints else ()))

    def lacks(self, *words: str) -> tuple[str, ...]:
        """The levels of loggers, and the part of the layout, with which events of all these words
        would leave lines that tell of whom they are."""
        return tuple(dict.fromkeys(each for word in words for each in self._lacks.get(word, ())))

    def words(self, seen: Visibility, among: Collection[str] | None = None) -> tuple[str, ...]:
        """The words that are visible to this degree."""
        return tuple(
            word
            for word, each in self._seen.items()
            if each is seen and (among is None or word in among)
        )
