"""Which events leave lines in a log: what its loggers were set to is read off what they wrote."""

from __future__ import annotations

import enum
from collections.abc import Collection

from .patterns import LEVELS, Table
from .telling import Tally


class Seen(enum.Enum):
    """Whether an event leaves a line."""

    ALWAYS = "always"
    """So where there is none, it did not happen."""
    MAYBE = "maybe"
    """Nothing is known of its logger, or the line does not tell of whom it is."""
    NEVER = "never"


class Profile:
    """What a log shows: by the level that each logger writes, and whether threads are told.

    `levels` gives the level of loggers, by the last part of their names; others are taken to write
    what they were seen to write.
    """

    def __init__(self, table: Table, tally: Tally, levels: dict[str, str] | None = None) -> None:
        self.threads = tally.threads
        depth = {logger: len(LEVELS) for logger, _ in tally.loggers}
        for logger, level in tally.loggers:
            depth[logger] = min(depth[logger], LEVELS.index(level))
        for logger, level in (levels or {}).items():
            depth[logger] = LEVELS.index(level)
        self._seen: dict[str, Seen] = {}
        for pattern in table.patterns:
            seen = Seen.MAYBE
            needed = LEVELS.index(pattern.levels[0])
            if needed >= LEVELS.index("INFO"):
                seen = Seen.ALWAYS
            elif pattern.logger in depth:
                seen = Seen.ALWAYS if depth[pattern.logger] <= needed else Seen.NEVER
            if pattern.by_thread and not tally.threads and seen is Seen.ALWAYS:
                seen = Seen.MAYBE
            if pattern.event in self._seen and self._seen[pattern.event] is not seen:
                seen = Seen.MAYBE
            self._seen[pattern.event] = seen

    def of(self, word: str) -> Seen:
        """Whether events of this word leave lines."""
        return self._seen.get(word, Seen.NEVER)

    def has(self, *words: str) -> bool:
        """Whether events of all these words leave lines."""
        return all(self.of(word) is Seen.ALWAYS for word in words)

    def words(self, seen: Seen, among: Collection[str] | None = None) -> tuple[str, ...]:
        """The words that are visible to this degree."""
        return tuple(
            word
            for word, each in self._seen.items()
            if each is seen and (among is None or word in among)
        )


__all__ = ["Profile", "Seen"]
