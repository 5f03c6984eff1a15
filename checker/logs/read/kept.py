"""Keeps what was read, line by line: those that tell events, those that tell none, and the others.

Put together in the order of their lines, they are the log again, byte for byte.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from .entries import Entry, Stray
from .events import Told
from .runs import Run
from .sources import Line


class Why(enum.Enum):
    """Why lines tell no event."""

    IGNORED = "ignored"
    """No pattern of the table is about them."""
    UNREADABLE = "unreadable"
    """Nothing can be made of them, or they are before the first entry."""
    HALF = "half a line"
    """The last line of a file has no end: it is still written, or cut."""


@dataclass(frozen=True, slots=True)
class Raw:
    """Lines that follow each other: of which log and part, from which number on, and their bytes.

    `end` is the end of the last one; those before it have theirs in `raw`.
    """

    log: int
    part: int
    line: int
    lines: int
    raw: bytes
    end: bytes


@dataclass(frozen=True, slots=True)
class KeptEvent:
    """Lines that tell an event. `job` is None where that is not known, as `task` is."""

    at: Raw
    time: str | None
    word: str
    clock: str
    job: str | None
    task: str | None
    attempt: int | None
    checkpoint: int | None
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class KeptRest:
    """Lines that tell no event."""

    at: Raw
    why: Why


@dataclass
class Kept:
    """What the lines of some logs are. `runs` are those that their events are of."""

    runs: Sequence[Run] = ()
    _ahead: list[Line] = field(default_factory=list[Line])
    """The lines that were read and are not of an entry yet."""
    _log: int = 0
    _parsed: list[tuple[Raw, Told]] = field(default_factory=list[tuple[Raw, Told]])
    rest: list[KeptRest] = field(default_factory=list[KeptRest])

    def noting(self, log: int, lines: Iterable[Line]) -> Iterator[Line]:
        """The same lines. What they are told to be is about those that were read last."""
        self._log = log
        assert not self._ahead, "each line of the log before is of something"
        for line in lines:
            self._ahead.append(line)
            yield line

    def take(self, entry: Entry | Stray, event: Told | None) -> None:
        """What the next lines are."""
        if isinstance(entry, Stray):
            self.rest.append(KeptRest(self._raw(1), Why.UNREADABLE if entry.whole else Why.HALF))
        elif event is None:
            self.rest.append(KeptRest(self._raw(entry.lines), Why.IGNORED))
        else:
            self._parsed.append((self._raw(entry.lines), event))

    @property
    def events(self) -> Iterator[KeptEvent]:
        """The events in the order of their lines, with what their runs know of them."""
        known = {id(each.told): (run.job, each) for run in self.runs for each in run.events}
        for raw, told in self._parsed:
            job, event = known.get(id(told), (None, None))
            task = told.task if event is None else event.task
            fields = cast("Mapping[str, str | None]", told.fields)  # of groups that may be empty
            yield KeptEvent(
                raw,
                told.time,
                told.word,
                told.clock,
                job,
                None if task is None else task.name,
                None if task is None else task.attempt,
                told.checkpoint,
                {key: text for key, text in fields.items() if text is not None},
            )

    def _raw(self, count: int) -> Raw:
        mine, self._ahead = self._ahead[:count], self._ahead[count:]
        *before, last = mine
        text = b"".join(each.raw + each.end for each in before) + last.raw
        return Raw(self._log, mine[0].part, mine[0].number, count, text, last.end)


__all__ = ["Kept", "KeptEvent", "KeptRest", "Raw", "Why"]
