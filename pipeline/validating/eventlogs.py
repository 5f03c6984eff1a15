"""Judges the runs that event logs have: there may be many in one file."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from checker.conformance.acceptance import LIMITS, accept
from checker.conformance.acceptance_findings import Finding
from checker.conformance.acceptance_search import Accepted, Given, Rejected
from checker.conformance.acceptance_search import Undecided as NotKnown
from checker.logs.histories import Fate
from checker.logs.kept import KeptEvent, KeptRest, Raw, Why
from checker.logs.sources import Line, Part, RawLog, Shelf
from checker.logs.validate import Conforms, Coverage
from checker.logs.verdicts import Found, Verdict
from checker.question import Limits
from model.errors import FinaleError, Place
from reference.formats.cutting import grouped, start_in
from reference.formats.eventlog import Log, read_log

from .pieces import Piece

#: What begins and ends a section: no step, but understood.
_FRAME = ("log-start", "log-end")


@dataclass
class JudgedRun:
    """A run of an event log: the verdict, or why there is none; and each of its lines."""

    verdict: Verdict | None = None
    error: str = ""
    events: list[KeptEvent] = field(default_factory=list[KeptEvent])
    rest: list[KeptRest] = field(default_factory=list[KeptRest])

    @property
    def ignored(self) -> int:
        """How many lines are whole and tell nothing."""
        return sum(each.why is Why.IGNORED for each in self.rest)


def runs_in(piece: Piece, shelf: Shelf) -> Iterator[tuple[RawLog, list[Line]]]:
    """The lines of each run of a piece, with the numbers that they have in their file."""
    if piece.runs:
        data = shelf.content(piece.parts[0])
        place = 0
        for spans in piece.runs:
            lines: list[Line] = []
            for span in spans:
                lines += _lines(data[place : place + span.length], span.line)
                place += span.length
            yield piece.logs[0], lines
        return
    for log in piece.logs:
        for lines in sections_of_runs(list(shelf.lines(log))):
            yield log, lines


def sections_of_runs(whole: Sequence[Line]) -> Iterator[list[Line]]:
    """The lines of each run in a log: what comes before the first one is of that."""
    starts = [(place, start) for place, line in enumerate(whole)
              if (start := start_in(line.raw)) is not None]  # fmt: skip
    places = [0, *(place for place, _ in starts[1:]), len(whole)]
    for sections in grouped(start for _, start in starts) or [[0]]:
        inside = (whole[places[each] : places[each + 1]] for each in sections)
        yield list(chain.from_iterable(inside))


def _lines(data: bytes, first: int) -> Iterator[Line]:
    for number, raw in enumerate(io.BytesIO(data), first):
        whole = raw.endswith(b"\n")
        text = raw.rstrip(b"\r\n") if whole else raw
        yield Line(0, number, text, whole, raw[len(text) :])


def judged_run(
    lines: Sequence[Line], where: str, parts: Sequence[Part], limits: Limits | None
) -> JudgedRun:
    """Judge a run whose lines are in these parts of a log."""
    numbered = _numbered(lines)
    file = str(parts[-1])
    texts = (line.raw.decode("utf-8", "replace") for line in lines)
    try:
        log = read_log(texts, file, numbered)
        told = accept(log, limits=limits or LIMITS, file=file)
    except FinaleError as error:
        error.place = error.place or Place(file, min(numbered))
        rest = [KeptRest(_raw(line), Why.UNREADABLE) for line in lines]
        return JudgedRun(error=str(error), rest=rest)
    if isinstance(told.conforms, NotKnown) and told.conforms.given_up is Given.INTERRUPTED:
        raise KeyboardInterrupt
    events = [event for section in log.sections for event in section.events]
    completed = [event.checkpoint for event in events if event.name == "complete"]
    run = str(log.sections[0].start.get("run"))
    verdict = Verdict(
        where,
        run,
        run,
        None,
        Coverage(told.coverage.value),
        len(events),
        {Fate.COMPLETED: tuple(each for each in completed if each is not None)},
        (),
        0,
        tuple(_found(each, numbered, parts) for each in told.findings),
        (),
        (),
        conforms=_conforms(told.conforms, log),
    )
    return JudgedRun(verdict, "", *_kept(log, run, numbered))


def _numbered(lines: Sequence[Line]) -> dict[int, Line]:
    """The lines by their numbers; where they are of several parts, one number goes on."""
    if len({line.part for line in lines}) == 1:
        return {line.number: line for line in lines}
    return dict(enumerate(lines, 1))


def _found(finding: Finding, lines: Mapping[int, Line], parts: Sequence[Part]) -> Found:
    line = lines[finding.line or min(lines)]
    return Found(finding.property, finding.binding, finding.severity, str(parts[line.part]),
                 line.number, finding.sentence)  # fmt: skip


def _conforms(conforms: Accepted | Rejected | NotKnown, log: Log) -> Conforms:
    match conforms:
        case Accepted():
            return Conforms(accepted=True, lines=log.count, why=None)
        case Rejected():
            why = "; ".join(dict.fromkeys(each.why for each in conforms.refusals))
            text = f'line {conforms.line}, "{conforms.event}": {why}'
            before = _events_before(conforms.line, log)
            return Conforms(accepted=False, lines=before, why=text, rejected=True)
        case NotKnown():
            before = _events_before(conforms.line + 1, log)
            return Conforms(accepted=False, lines=before, why=conforms.why)


def _events_before(line: int, log: Log) -> int:
    return sum(event.line < line for section in log.sections for event in section.events)


def _kept(log: Log, run: str, lines: Mapping[int, Line]) -> tuple[list[KeptEvent], list[KeptRest]]:
    """What each line is."""
    known = {event.line for section in log.sections for event in section.events}
    unreadable = set(log.unreadable)
    events: list[KeptEvent] = []
    rest: list[KeptRest] = []
    for number, line in lines.items():
        if number in unreadable:
            rest.append(KeptRest(_raw(line), Why.UNREADABLE if line.whole else Why.HALF))
            continue
        told: dict[str, Any] = json.loads(line.raw)
        if number in known or told["event"] in _FRAME:
            events.append(_event(told, run, line))
        else:
            rest.append(KeptRest(_raw(line), Why.IGNORED))
    return events, rest


def _event(told: Mapping[str, Any], run: str, line: Line) -> KeptEvent:
    vertex, time = told.get("vertex"), told.get("time")
    fields: Mapping[str, Any] = told.get("fields") or {}
    if told["event"] in _FRAME:
        fields = {key: each for key, each in told.items() if key not in ("event", "run", "v")}
    return KeptEvent(
        _raw(line),
        None if time is None else str(time),
        told["event"],
        str(told.get("clock", "")),
        run,
        None if vertex is None else f"{vertex}.{told.get('subtask', 0)}",
        told.get("attempt"),
        told.get("checkpoint"),
        {key: each if isinstance(each, str) else json.dumps(each) for key, each in fields.items()},
    )


def _raw(line: Line) -> Raw:
    return Raw(0, line.part, line.number, 1, line.raw, line.end)


__all__ = ["JudgedRun", "judged_run", "runs_in", "sections_of_runs"]
