"""Groups lines into entries: a record, and the lines that belong to it.

A stack trace belongs to the record before it, of the same process. Each line is counted once:
either as part of an entry, or as a line without an entry. Bytes that are not UTF-8 are kept
unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .line_patterns import PatternTable
from .log_files import LogLine
from .peeling import CUT, Peeled, Peeler, Record, Source
from .times import TimeKind

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
#: An object in JSON is written over so many lines at most.
_OBJECT_MAX = 10_000


# Not frozen: that takes three times as long, and each line has one.
@dataclass(slots=True, unsafe_hash=True)
class LogEntry:
    """What one call of a logger has written: where it begins, and which lines it has."""

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
    """How many."""
    kind: TimeKind = TimeKind.LOCAL
    """What its time lacks."""
    process: int = 0
    """Which of the processes whose lines the log has."""
    raw: tuple[LogLine, ...] = ()
    """Its lines, if they are asked for."""
    is_open: bool = False
    """Further lines can belong to it: the log ends here."""


@dataclass(frozen=True, slots=True)
class Stray:
    """A line that nothing can be made of: before the first entry, or the half of a first line."""

    part: int
    line: int
    raw: bytes
    whole: bool = True
    """It has its end: else it is the last one, and its log is still written."""
    around: bool = False
    """It stands where no entry can have it, and is no part of one: nothing is missing."""
    process: int = 0
    end: bytes = b"\n"
    is_open: bool = False
    """It is a piece of a line, and the log ends before the line does."""

    @property
    def log_line(self) -> LogLine:
        """The line as it was read."""
        return LogLine(self.part, self.line, self.raw, self.whole, self.end)


@dataclass
class _Open:
    """An entry whose end has not come yet."""

    process: int
    record: Record
    logger: str
    lines: list[LogLine]
    count: int
    more: list[str] = field(default_factory=list[str])

    def closed(self, *, raw: bool, is_open: bool = False) -> LogEntry:
        record, (first, *_) = self.record, self.lines
        return LogEntry(first.part, first.number, record.time, record.level, self.logger,
                        record.thread, record.message, (*record.more, *self.more), self.count,
                        record.kind, self.process, tuple(self.lines) if raw else (),
                        is_open)  # fmt: skip


def entries(
    lines: Iterable[LogLine], table: PatternTable, *, raw: bool = False
) -> Iterator[LogEntry | Stray]:
    """The entries that some lines make, and the lines that make none. Those of each process come in
    their order. With `raw`, entries have their lines."""
    yield from _Grouping(table, raw).entries(lines)


class _Grouping:
    """The entries of one log."""

    def __init__(self, table: PatternTable, raw: bool) -> None:
        self._table, self._peeler, self._raw = table, Peeler(table.layouts), raw
        self._open: dict[int, _Open] = {}
        """By process the entry whose end has not come."""
        self._begun: set[int] = set()
        """The processes that have had an entry, or the rest of one."""
        self._pieces: dict[tuple[Source, str], list[LogLine]] = {}
        """By stream the lines that are pieces of one."""
        self._object: list[LogLine] = []
        """The lines of an object in JSON that has not ended."""
        self._is_closed = False
        """The last record was in JSON, and told its end itself."""

    def entries(self, lines: Iterable[LogLine]) -> Iterator[LogEntry | Stray]:
        for text, own in self._joined(lines):
            peeled = self._peeler.peel(text, whole=own[-1].whole)
            if peeled.goes_on and peeled.stream is not None:
                self._pieces.setdefault(peeled.stream, []).extend(own)
            elif peeled.stream is not None:
                yield from self._taken(peeled, [*self._pieces.pop(peeled.stream, ()), *own])
            else:
                yield from self._taken(peeled, own)
        for each in self._open.values():
            yield each.closed(raw=self._raw, is_open=True)
        for own in (*self._pieces.values(), self._object):
            yield from (_stray(each, 0, around=False, is_open=True) for each in own)

    def _taken(self, peeled: Peeled, own: list[LogLine]) -> Iterator[LogEntry | Stray]:
        text, process, record = peeled.text, peeled.process, peeled.record
        if record is not None:
            if process in self._open:
                yield self._open.pop(process).closed(raw=self._raw)
            logger = record.logger.rpartition(".")[2]
            if logger.startswith(CUT):
                logger = self._table.logger_of(logger.removeprefix(CUT))
            entry = _Open(process, record, logger, own, len(own))
            self._begun.add(process)
            self._is_closed = record.is_closed
            if record.is_closed:
                yield entry.closed(raw=self._raw)
            else:
                self._open[process] = entry
            return
        broken = self._peeler.wants_to_begin(text) or (self._is_closed and text.startswith("{"))
        current = self._open.get(process)
        if current is not None and not broken:
            current.count += len(own)
            if self._raw:
                current.lines += own
            if len(current.more) < _KEPT:
                current.more.append(text)
            return
        if current is not None:
            yield self._open.pop(process).closed(raw=self._raw)
        is_rest = broken or (
            not self._is_closed and (process in self._begun or _REST.match(text) is not None)
        )
        if is_rest:
            self._begun.add(process)
        for each in own:
            yield _stray(each, process, around=not is_rest)

    def _joined(self, lines: Iterable[LogLine]) -> Iterator[tuple[str, list[LogLine]]]:
        """The lines, and those together that an object in JSON is written over."""
        inside: list[str] = []
        for line in lines:
            text = line.raw.decode("utf-8", "surrogateescape")
            if line.number == 1:
                text = text.removeprefix(_BYTE_ORDER_MARK)
            if not inside and not text.endswith("{"):
                yield text, [line]
                continue
            ends = bool(inside) and text.startswith("}") and not text.strip("}], ")
            if ends:
                yield "".join((*inside, text)).strip("[], "), [*self._object, line]
            elif inside and text[:1].isspace() and len(inside) < _OBJECT_MAX:
                inside.append(text)
                self._object.append(line)
                continue
            else:
                yield from ((each, [own]) for each, own in zip(inside, self._object, strict=True))
            begins = not ends and text.endswith("{") and not text.strip("[, {")
            inside, self._object = ([text], [line]) if begins else ([], [])
            if not (begins or ends):
                yield text, [line]


def _stray(line: LogLine, process: int, *, around: bool, is_open: bool = False) -> Stray:
    whole = line.whole and not is_open
    return Stray(line.part, line.number, line.raw, whole, around, process, line.end, is_open)
