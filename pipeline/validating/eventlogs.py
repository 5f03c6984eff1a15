"""Judges the runs that event logs have: there may be many in one file."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, islice
from typing import Any

from checker.logs.event_log.acceptance import accept
from checker.logs.event_log.rules_level import Ruled, Rules
from checker.logs.event_log.run_lines import Stretch
from checker.logs.event_log.search import Accepted, Given, Rejected
from checker.logs.event_log.search import Undecided as NotKnown
from checker.logs.findings import Finding
from checker.logs.read.kept import KeptEvent, KeptRest, Raw, Why
from checker.logs.read.sources import Line, Part, RawLog, Shelf
from checker.logs.replay.histories import Fate
from checker.logs.validate import Conforms, Coverage
from checker.logs.verdicts import Found, Verdict
from checker.search.limits import Limits
from model.errors import FinaleError, Place
from model.given import json_of
from reference.formats.cutting import grouped, start_in
from reference.formats.eventlog import ReadLog, read_log

from .pieces import Piece

#: So many lines that cannot be read are told with a run.
STRAYS_KEPT = 10
#: What begins and ends a section: no step, but understood.
_FRAME = ("log-start", "log-end")


@dataclass
class JudgedRun:
    """A run of an event log: the verdict, or why there is none; and what its lines are."""

    verdict: Verdict | None = None
    error: str = ""
    parsed: int = 0
    ignored: int = 0
    """How many lines are whole and tell nothing."""
    unreadable: int = 0
    strays: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])
    """Of lines that cannot be read the first, with their numbers."""
    events: list[KeptEvent] = field(default_factory=list[KeptEvent])
    rest: list[KeptRest] = field(default_factory=list[KeptRest])
    """Each line by itself, where lines are kept."""

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to search for: it cannot be read, or is accepted as it stands."""
        if self.verdict is None:
            return True
        return self.verdict.conforms is not None and self.verdict.conforms.accepted


@cache
def rules() -> Rules:
    """What a process has learned of rules and properties, for all runs that it judges."""
    return Rules()


def ruled_runs(piece: Piece, shelf: Shelf, limits: Limits | None) -> Iterator[JudgedRun]:
    """Judge the runs of a piece by the rules, and keep no lines.

    With limits, a run is searched for what explains it where it does not do so by itself.
    """
    if not piece.runs:
        for log, lines in runs_in(piece, shelf):
            yield judged_run(lines, piece.where, log.parts, limits, keeps=False)
        return
    (part,) = piece.parts
    data, place = shelf.content(part), 0
    for spans in piece.runs:
        stretches: list[Stretch] = []
        for span in spans:
            some = data[place : place + span.length]
            stretches.append((span.line, some))
            place += span.length
        judged = _ruled(stretches, piece.where, str(part), accepts=limits is not None)
        if limits is not None and not judged.is_settled:
            lines = [line for first, some in stretches for line in _lines(some, first)]
            parts = piece.logs[0].parts
            judged = _searched(_numbered(lines), piece.where, parts, limits, judged)
            judged.events, judged.rest = [], []
        yield judged


def _ruled(stretches: Sequence[Stretch], where: str, file: str, *, accepts: bool) -> JudgedRun:
    """What the rules say of a run: whether it is one of the protocol, too, if they can tell."""
    numbers = (n + first for first, data in stretches for n in range(data.count(b"\n") + 1))
    try:
        told = rules().judge_run(stretches, file)
    except FinaleError as error:
        error.place = error.place or Place(file, stretches[0][0])
        count = sum(len(_split(data)) for _, data in stretches)
        strays = _strays(stretches, islice(numbers, STRAYS_KEPT))
        return JudgedRun(error=str(error), unreadable=count, strays=strays)
    verdict = _verdict_of(told, where, accepts=accepts, findings=[
        Found(each.property, each.binding, each.severity, file, each.line or stretches[0][0],
              each.sentence)
        for each in told.findings
    ])  # fmt: skip
    run = told.run
    strays = _strays(stretches, run.log.unreadable[:STRAYS_KEPT])
    return JudgedRun(verdict, "", run.parsed, run.ignored, len(run.log.unreadable), strays)


def _split(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def _strays(stretches: Sequence[Stretch], numbers: Iterable[int]) -> list[tuple[int, bytes]]:
    """Some lines, with their numbers."""
    wanted = list(numbers)
    if not wanted:
        return []
    known = {n: raw for first, data in stretches for n, raw in enumerate(_split(data), first)}
    return [(number, known[number]) for number in wanted if number in known]


def _verdict_of(told: Ruled, where: str, findings: Sequence[Found], *, accepts: bool) -> Verdict:
    stopped, conforms = told.stopped, None
    if accepts and told.accepted:
        conforms = Conforms(accepted=True, lines=told.run.events, why=None)
    if stopped is not None:
        why = f'line {stopped.line}, "{stopped.event}": {stopped.refusal.why.removesuffix(".")}'
        if stopped.missing:
            clocks = any(each.start.get("order") == "clocks" for each in told.run.log.sections)
            if clocks:
                why += "; the order of lines tells little: --accept looks for another"
            else:
                why += "; lines are missing before it: --accept looks for what they may have told"
        before = sum(line < stopped.line for part in told.run.parts for line in part.lines)
        conforms = Conforms(False, before, why, rejected=not stopped.missing)
    return Verdict(
        where,
        told.run.name,
        told.run.name,
        None,
        Coverage(told.coverage.value),
        told.run.events,
        {Fate.COMPLETED: told.completed},
        (),
        0,
        tuple(findings),
        (),
        (),
        conforms=conforms,
    )


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
    lines: Sequence[Line],
    where: str,
    parts: Sequence[Part],
    limits: Limits | None,
    *,
    keeps: bool = True,
) -> JudgedRun:
    """Judge a run whose lines are in these parts of a log; with limits, find what explains it."""
    numbered = _numbered(lines)
    ruled = _ruled_lines(numbered, where, parts, accepts=limits is not None, keeps=keeps)
    if limits is None or ruled.is_settled:
        return ruled
    return _searched(numbered, where, parts, limits, ruled)


def _searched(
    numbered: Mapping[int, Line],
    where: str,
    parts: Sequence[Part],
    limits: Limits,
    ruled: JudgedRun,
) -> JudgedRun:
    """A run that the rules alone do not settle: what explains it is looked for."""
    file, lines = str(parts[-1]), numbered.values()
    texts = (line.raw.decode("utf-8", "replace") for line in lines)
    try:
        log = read_log(texts, file, numbered)
        told = accept(log, limits=limits, file=file)
    except FinaleError as error:
        error.place = error.place or Place(file, min(numbered))
        return _unread(numbered, error)
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
        _both(ruled, log, [_found(each, numbered, parts) for each in told.findings]),
        (),
        (),
        conforms=_conforms(told.conforms, log),
    )
    steps = {event.line for event in events}
    return _with_lines(JudgedRun(verdict), steps, set(log.unreadable), run, numbered)


def _both(ruled: JudgedRun, log: ReadLog, searched: Sequence[Found]) -> tuple[Found, ...]:
    """What the rules have found, as far as they came, and the search besides.

    In what order things happened, the rules take from the order of lines: if that tells it.
    """
    certain = all(section.start.get("order") != "clocks" for section in log.sections)
    own = ruled.verdict.findings if ruled.verdict is not None and certain else ()
    named = {(each.property, each.binding) for each in own}
    others = (each for each in searched if (each.property, each.binding) not in named)
    return (*own, *others)


def _ruled_lines(
    numbered: Mapping[int, Line],
    where: str,
    parts: Sequence[Part],
    *,
    accepts: bool,
    keeps: bool,
) -> JudgedRun:
    """The same of a run in lines that are known one by one."""
    stretches: list[tuple[int, list[bytes]]] = []
    following = None
    for number, line in numbered.items():
        if number != following:
            stretches.append((number, []))
        stretches[-1][1].append(line.raw + (line.end or b"\n" if line.whole else b""))
        following = number + 1
    file = str(parts[-1])
    try:
        told = rules().judge_run([(first, b"".join(each)) for first, each in stretches], file)
    except FinaleError as error:
        error.place = error.place or Place(file, min(numbered))
        return _unread(numbered, error)
    found = [_found(each, numbered, parts) for each in told.findings]
    verdict = _verdict_of(told, where, found, accepts=accepts)
    steps = {line for part in told.run.parts for line in part.lines}
    unreadable, name = set(told.run.log.unreadable), told.run.name
    judged = _with_lines(JudgedRun(verdict), steps, unreadable, name, numbered)
    if not keeps:
        judged.events, judged.rest = [], []
    return judged


def _unread(numbered: Mapping[int, Line], error: FinaleError) -> JudgedRun:
    rest = [KeptRest(_raw(line), Why.UNREADABLE) for line in numbered.values()]
    strays = [(line.number, line.raw) for line in islice(numbered.values(), STRAYS_KEPT)]
    return JudgedRun(error=str(error), unreadable=len(rest), strays=strays, rest=rest)


def _with_lines(
    judged: JudgedRun,
    steps: set[int],
    unreadable: set[int],
    run: str,
    numbered: Mapping[int, Line],
) -> JudgedRun:
    events, rest = _kept(steps, unreadable, run, numbered)
    bad = [each for each in rest if each.why is not Why.IGNORED]
    judged.parsed, judged.ignored = len(events), len(rest) - len(bad)
    judged.unreadable = len(bad)
    judged.strays = [(each.at.line, each.at.raw) for each in bad[:STRAYS_KEPT]]
    judged.events, judged.rest = events, rest
    return judged


def _numbered(lines: Sequence[Line]) -> dict[int, Line]:
    """The lines by their numbers; where they are of several parts, one number goes on."""
    if len({line.part for line in lines}) == 1:
        return {line.number: line for line in lines}
    return dict(enumerate(lines, 1))


def _found(finding: Finding, lines: Mapping[int, Line], parts: Sequence[Part]) -> Found:
    line = lines[finding.line or min(lines)]
    return Found(finding.property, finding.binding, finding.severity, str(parts[line.part]),
                 line.number, finding.sentence)  # fmt: skip


def _conforms(conforms: Accepted | Rejected | NotKnown, log: ReadLog) -> Conforms:
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


def _events_before(line: int, log: ReadLog) -> int:
    return sum(event.line < line for section in log.sections for event in section.events)


def _kept(
    known: set[int], unreadable: set[int], run: str, lines: Mapping[int, Line]
) -> tuple[list[KeptEvent], list[KeptRest]]:
    """What each line is; `known` are those that tell steps."""
    events: list[KeptEvent] = []
    rest: list[KeptRest] = []
    for number, line in lines.items():
        if number in unreadable:
            rest.append(KeptRest(_raw(line), Why.UNREADABLE if line.whole else Why.HALF))
            continue
        told: dict[str, Any] = json_of(line.raw)
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


__all__ = ["JudgedRun", "judged_run", "ruled_runs", "runs_in", "sections_of_runs"]
