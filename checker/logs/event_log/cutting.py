"""Cuts a file of event logs between two logs.

A log begins with the first process of a run. Sections of later processes belong to the log in which
their run was told last, wherever they are in the file; a run that begins with a later process has
the folder, and the log, of the one before it.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from finale.model.events import START
from finale.model.given import json_of

Bytes = bytes | mmap.mmap


@dataclass(frozen=True, slots=True)
class ByteSpan:
    """A range of bytes in a file, and the number of its first line."""

    offset: int
    length: int
    line: int


Start = tuple[object, object]
"""Of a section: its run, and the number of its process."""


def logs_in(data: Bytes) -> list[tuple[ByteSpan, ...]]:
    """The places of each log in some bytes. What comes before all of them is of the first one."""
    found = list(_sections(data))
    return [_joined([found[each][0] for each in log]) for log in grouped([s for _, s in found])]


def grouped(starts: Iterable[Start]) -> list[list[int]]:
    """Group the sections of a file by their logs."""
    logs: list[list[int]] = []
    of_run: dict[object, list[int]] = {}
    current: list[int] = []
    for place, (run, process) in enumerate(starts):
        if process == 1 or not logs:
            logs.append([])
            current = logs[-1]
        else:
            current = of_run.get(run, current)
        of_run[run] = current
        current.append(place)
    return logs


def start_in(line: bytes) -> Start | None:
    """Return the run and process in the first line of a section; None for other lines."""
    if not line.startswith(START):
        return None
    try:
        told = json_of(line)
    except ValueError:
        return None  # it is of the section before it, in which it is missed
    return told.get("run"), told.get("process")


def _joined(spans: Iterable[ByteSpan]) -> tuple[ByteSpan, ...]:
    """Join adjacent ranges."""
    found: list[ByteSpan] = []
    for span in spans:
        last = found[-1] if found else None
        if last is not None and last.offset + last.length == span.offset:
            found[-1] = ByteSpan(last.offset, last.length + span.length, last.line)
        else:
            found.append(span)
    return tuple(found)


def _sections(data: Bytes) -> Iterator[tuple[ByteSpan, Start]]:
    """Each section, from its first line to that of the next one."""
    begin, line = 0, 1
    start: Start = (None, None)
    place, first = _start_from(data, 0)
    if first is not None:
        start = first
        place, first = _start_from(data, place + 1)
    while begin < len(data):
        yield ByteSpan(begin, place - begin, line), start
        line += _newlines(data, begin, place)
        begin, start = place, first or start
        place, first = _start_from(data, begin + 1)


def _start_from(data: Bytes, place: int) -> tuple[int, Start | None]:
    """The next first line of a section that is whole, from this place on; else the end."""
    while (place := data.find(START, place)) >= 0:
        if place == 0 or data[place - 1 : place] == b"\n":
            end = data.find(b"\n", place)
            start = start_in(data[place : len(data) if end < 0 else end])
            if start is not None:
                return place, start
        place += 1
    return len(data), None


#: So much is looked at in one go.
_BLOCK = 1 << 20


def _newlines(data: Bytes, begin: int, end: int) -> int:
    return sum(
        data[place : min(place + _BLOCK, end)].count(b"\n") for place in range(begin, end, _BLOCK)
    )
