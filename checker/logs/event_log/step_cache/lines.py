"""Reads the lines of event logs in bulk, by splitting them: the engine writes lines in one form.

A section is read here if all its lines have that form and no line but the last ones is missing. Any
other section is read by `reading.py`, which knows every form.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from finale.checker.logs.event_log.acceptance import AttemptEvent, first_wrong
from finale.checker.logs.event_log.cutting import logs_in
from finale.checker.logs.event_log.reading import EventLine, ReadLog, Section, about_of, read_log
from finale.model.errors import FinaleError
from finale.model.events import START, STRUCK, WORDS
from finale.model.given import json_of

_NUMBER = rb"(?:0|[1-9][0-9]{0,14})"
_TEXT = rb'[^"\\\x00-\x1f]*'
#: How `EventLog` writes what happened and where, the checkpoint, and what else.
_HEAD = re.compile(
    rb'(\{"event":"[a-z_]+"(?:,"attempt":%(n)s)?(?:,"vertex":"%(t)s","subtask":%(n)s)?'
    rb'(?:,"channel":"%(t)s")?)(?:,"checkpoint":(%(n)s))?(,"fields":\{[^{}\x00-\x1f]*\})?'
    % {b"n": _NUMBER, b"t": _TEXT}
)
#: And at the end of a line the clock, and the number on it.
_TAIL = re.compile(rb'(%s)","seq":(%s)' % (_TEXT, _NUMBER))
_END = re.compile(rb'\{"event":"log-end","count":(%s)\}\n' % _NUMBER)


@dataclass(frozen=True)
class EventForm:
    """What events of one form tell, but for their checkpoint and their place."""

    name: str
    content: Mapping[str, Any]
    """What else the line says."""
    numbered: bool
    """It names a checkpoint."""

    @property
    def is_step(self) -> bool:
        """Whether it is a step of a protocol, and not information."""
        return self.name in WORDS

    def about(self, names: Mapping[tuple[object, object], str]) -> tuple[tuple[str, str], ...]:
        """What it is about; the checkpoint is not told here."""
        told, fields = {**self.content, "checkpoint": ""}, self.fields
        return tuple(
            (kind, about_of(kind, told, fields, names))
            for kind in WORDS[self.name].about
            if kind != "checkpoint" or self.numbered
        )

    @property
    def fields(self) -> Mapping[str, Any]:
        """What it tells beside what all events do."""
        fields: Mapping[str, Any] = self.content.get("fields") or {}
        return fields

    def tells(self, names: Mapping[tuple[object, object], str]) -> AttemptEvent:
        """What it tells of attempts."""
        attempt, restored = self.content.get("attempt"), None
        if self.name == "restore":
            restored = dict(self.about(names)).get("task")
        return AttemptEvent(attempt if isinstance(attempt, int) else None, restored)


@dataclass
class EventForms:
    """The words that were met, by number."""

    words: list[EventForm] = field(default_factory=list[EventForm])
    known: dict[tuple[bytes, bytes, bool], int] = field(
        default_factory=dict[tuple[bytes, bytes, bool], int]
    )
    """Those of the other reader, and those that were found in heads of lines."""
    _heads: dict[bytes, tuple[int, int]] = field(default_factory=dict[bytes, tuple[int, int]])
    """By the head of a line its word, and its checkpoint or 0."""
    _tails: dict[bytes, tuple[bytes, int]] = field(default_factory=dict[bytes, tuple[bytes, int]])
    """By the tail of a line its clock, and the number on it."""

    @property
    def size(self) -> int:
        """How many words, heads and tails are known."""
        return len(self.words) + len(self._heads) + len(self._tails)

    def read(self, lines: bytes, place: bytes) -> tuple[array[int], array[int]] | None:
        """The words of some lines, and of each the checkpoint or 0; None if a line is odd.

        `place` is the same in all lines, between the head of a line and the name of its clock.
        """
        words, numbers, clocks = array("q"), array("q"), dict[bytes, int]()
        heads, tails = self._heads, self._tails
        head, *rest = lines.split(place)
        for piece in rest:
            tail, _, following = piece.partition(b"}\n")
            told = heads.get(head) or self._learned(head)
            clock, number = tails.get(tail) or self._timed(tail)
            if told is None or clocks.get(clock, 0) != number:
                return None
            clocks[clock] = number + 1
            words.append(told[0])
            numbers.append(told[1])
            head = following
        return None if head else (words, numbers)

    def _learned(self, head: bytes) -> tuple[int, int] | None:
        """The word of the head of a line, and its checkpoint; None if it has another form."""
        found = _HEAD.fullmatch(head)
        if found is None:
            return None
        what, fields, numbered = found[1], found[3] or b"", found[2] is not None
        word = self.known.get((what, fields, numbered))
        if word is None:
            try:
                told: Any = json_of(what + fields + b"}")
            except ValueError:
                return None
            made = EventForm(told["event"], told, numbered)
            if not made.is_step and made.name != STRUCK:
                return None
            word = self.known[what, fields, numbered] = len(self.words)
            self.words.append(made)
        self._heads[head] = word, int(found[2] or 0)
        return self._heads[head]

    def _timed(self, tail: bytes) -> tuple[bytes, int]:
        """The clock of the tail of a line, and the number on it; -1 if it has another form."""
        found = _TAIL.fullmatch(tail)
        try:
            clock = found[1].decode() if found is not None else None
        except UnicodeDecodeError:
            clock = None
        if found is None or clock is None:
            return tail, -1
        self._tails[tail] = found[1], int(found[2])
        return self._tails[tail]

    def of(self, event: EventLine) -> int:
        """The word of an event that the other reader has read."""
        head = json.dumps([event.name, event.about, event.attempt]).encode()
        fields, numbered = json.dumps(dict(event.fields)).encode(), event.checkpoint is not None
        number = self.known.get((head, fields, numbered))
        if number is None:
            number = self.known[head, fields, numbered] = len(self.words)
            told = {"fields": event.fields, "attempt": event.attempt}
            self.words.append(_ReadForm(event.name, told, numbered, event.about))
        return number


@dataclass(frozen=True)
class _ReadForm(EventForm):
    """A word of an event that was read already."""

    known: tuple[tuple[str, str], ...] = ()

    def about(self, names: Mapping[tuple[object, object], str]) -> tuple[tuple[str, str], ...]:
        return tuple((kind, "cp" if kind == "checkpoint" else each) for kind, each in self.known)


@dataclass(frozen=True)
class SectionSteps:
    """The steps of a section: of each the number of its word, its checkpoint or 0, its line."""

    section: Section
    """Its events may be left out."""
    words: Sequence[int]
    numbers: Sequence[int]
    lines: Sequence[int]

    def first(self, count: int) -> SectionSteps:
        """Its first steps alone."""
        words, numbers, lines = (each[:count] for each in (self.words, self.numbers, self.lines))
        return SectionSteps(self.section, words, numbers, lines)


@dataclass(frozen=True)
class RunLines:
    """The lines of a run, read."""

    log: ReadLog
    parts: tuple[SectionSteps, ...]
    lines: int
    """How many there are."""

    @property
    def name(self) -> str:
        """The name of the run."""
        return str(self.log.sections[0].start.get("run"))

    @property
    def ignored(self) -> int:
        """How many lines are whole and tell no step, nor where a section begins or ends."""
        return sum(section.others for section in self.log.sections)

    @property
    def parsed(self) -> int:
        """How many lines tell a step, or where a section begins or ends."""
        return self.lines - self.ignored - len(self.log.unreadable)

    @property
    def events(self) -> int:
        """How many steps it tells."""
        return sum(len(part.words) for part in self.parts)


#: Some lines of a file: the number of the first, and all their bytes.
Stretch = tuple[int, bytes]


def runs_in(data: bytes) -> Iterator[list[Stretch]]:
    """Where each run is in the bytes of a file."""
    for spans in logs_in(data):
        yield [(each.line, data[each.offset : each.offset + each.length]) for each in spans]


def read_run(
    stretches: Sequence[Stretch], vocabulary: EventForms, file: str | None = None
) -> RunLines:
    """The lines of a run. Raises what `read_log` raises."""
    parts: list[SectionSteps] = []
    for line, data in _sections(stretches):
        part = _quickly(data, vocabulary, file, line)
        if part is None:
            return read_slowly(stretches, vocabulary, file)
        parts.append(part)
    if not parts:
        return read_slowly(stretches, vocabulary, file)  # it says what is wrong
    log = ReadLog(tuple(part.section for part in parts), (), Counter())
    return RunLines(log, tuple(parts), sum(data.count(b"\n") for _, data in stretches))


def read_slowly(
    stretches: Sequence[Stretch], vocabulary: EventForms, file: str | None = None
) -> RunLines:
    """The same by the other reader: all sections have all their events."""
    lines: list[str] = []
    numbers: list[int] = []
    for first, data in stretches:
        some = data.decode("utf-8", "replace").split("\n")
        some = some if some[-1] else some[:-1]
        lines += some
        numbers += range(first, first + len(some))
    log = read_log(lines, file, numbers)
    parts = (
        SectionSteps(
            section,
            [vocabulary.of(event) for event in section.events],
            [event.checkpoint or 0 for event in section.events],
            [event.line for event in section.events],
        )
        for section in log.sections
    )
    return RunLines(log, tuple(parts), len(lines))


def _sections(stretches: Sequence[Stretch]) -> Iterator[Stretch]:
    """The same lines, parted where sections begin."""
    for first, data in stretches:
        line, begin = first, 0
        while begin < len(data):
            end = data.find(b"\n" + START, begin)
            end = len(data) if end < 0 else end + 1
            yield line, data[begin:end]
            line += data.count(b"\n", begin, end)
            begin = end


def wrong_attempt(part: SectionSteps, words: Sequence[EventForm]) -> tuple[int, str] | None:
    """The place of the first step that cannot be of the attempt that it tells, and why not."""
    names: dict[tuple[object, object], str] = {
        (each.vertex.name, each.index): each.name for each in part.section.job.subtasks
    }
    tells = {word: words[word].tells(names) for word in set(part.words)}
    return first_wrong(part.section, map(tells.__getitem__, part.words))


def _quickly(
    data: bytes, vocabulary: EventForms, file: str | None, line: int
) -> SectionSteps | None:
    first = data.find(b"\n") + 1
    if first == 0 or not data.startswith(START) or not data.endswith(b"\n"):
        return None
    last = data.rfind(b"\n", 0, len(data) - 1) + 1
    end = _END.fullmatch(data, last)
    try:
        (section,) = read_log([data[:first].decode()], file, (line,)).sections
    except (UnicodeDecodeError, FinaleError):
        return None
    if section.start.get("order") != "file":
        return None
    run = json.dumps(section.start.get("run"), ensure_ascii=False)
    place = f',"run":{run},"process":{section.process},"clock":"'
    told = vocabulary.read(data[first : last if end else len(data)], place.encode())
    if told is None or (end is not None and int(end[1]) != len(told[0])):
        return None
    words: Sequence[int] = told[0]
    numbers: Sequence[int] = told[1]
    lines: Sequence[int] = range(line + 1, line + 1 + len(words))
    others = 0
    if not all(vocabulary.words[each].is_step for each in set(words)):
        steps = [at for at, each in enumerate(words) if vocabulary.words[each].is_step]
        others = len(words) - len(steps)
        words, numbers, lines = ([each[at] for at in steps] for each in (words, numbers, lines))
    section = replace(section, ended=end is not None, others=others)
    return SectionSteps(section, words, numbers, lines)


def pairs(codes: Sequence[int], numbers: Sequence[int]) -> array[int]:
    """Codes and numbers, one after the other."""
    made: array[int] = array("q", bytes(16 * len(codes)))
    made[0::2], made[1::2] = array("q", codes), array("q", numbers)
    return made
