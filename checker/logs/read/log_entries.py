"""Groups lines into entries: a line with a time and a logger, and the lines that belong to it.

A stack trace belongs to the line before it. Each line is counted once: either as part of an entry,
or as a line without an entry. Bytes that are not UTF-8 are kept unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .line_patterns import PatternTable
from .log_files import LogLine

#: Some programs begin a text with it.
_BYTE_ORDER_MARK = "\ufeff"
#: What a line looks like that is the rest of an entry whose beginning is missing: a part of a stack
#: trace, or of a first line. All else before the first entry is of whatever starts the process.
_REST = re.compile(
    r"\s+at |\s*\.\.\. \d+ |\s*Caused by: |\s*Suppressed: "
    r"|.*\b(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) +[\w.$]+ +\[.*\] +- "
)
#: So much of what follows a first line is kept with it; all of it is counted.
_KEPT = 400


# Not frozen: that takes three times as long, and each line has one.
@dataclass(slots=True, unsafe_hash=True)
class LogEntry:
    """What one call of a logger has written: where it begins, and how many lines it has."""

    part: int
    line: int
    time: str
    level: str
    logger: str
    """The last part of its name."""
    thread: str
    """Empty where the layout does not tell it."""
    message: str
    more: tuple[str, ...]
    lines: int


@dataclass(frozen=True, slots=True)
class Stray:
    """A line that nothing can be made of: before the first entry, or the half of a first line."""

    part: int
    line: int
    raw: bytes
    whole: bool = True
    """It has its end: else it is the last one, and its log is still written."""
    around: bool = False
    """It stands before the first entry of its log, and is no part of an entry: nothing is missing.
    """


@dataclass
class _Open:
    """An entry whose end has not come yet."""

    line: LogLine
    head: dict[str, str]
    more: list[str] = field(default_factory=list[str])
    lines: int = 1

    def closed(self) -> LogEntry:
        head = self.head
        logger = head["logger"].rpartition(".")[2]
        return LogEntry(self.line.part, self.line.number, head["time"], head["level"], logger,
                     head.get("thread", ""), head["message"], tuple(self.more),
                     self.lines)  # fmt: skip


def entries(lines: Iterable[LogLine], table: PatternTable) -> Iterator[LogEntry | Stray]:
    """The entries that some lines make, in their order, and the lines that make none."""
    (first, *others), start = table.heads, table.start
    current: _Open | None = None
    begun = False
    for line in lines:
        text = line.raw.decode("utf-8", "surrogateescape")
        if line.number == 1:
            text = text.removeprefix(_BYTE_ORDER_MARK)
        # Half a line that tells an event might tell another one than the whole.
        found = first.fullmatch(text) if line.whole else None
        for head in others if found is None and line.whole else ():
            found = found or head.fullmatch(text)
        if found is not None:
            if current is not None:
                yield current.closed()
            current, begun = _Open(line, found.groupdict()), True
        elif current is None or start.match(text):
            if current is not None:
                yield current.closed()
                current = None
            is_rest = begun or start.match(text) or _REST.match(text)
            yield Stray(line.part, line.number, line.raw, line.whole, not is_rest)
            begun = begun or bool(is_rest)
        else:
            current.lines += 1
            if len(current.more) < _KEPT:
                current.more.append(text)
    if current is not None:
        yield current.closed()
