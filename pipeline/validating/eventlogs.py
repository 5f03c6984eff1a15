"""Judges the runs of event logs; one file can have many runs."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, islice
from typing import Any

from finale.checker.logs.event_log.cutting import grouped, start_in
from finale.checker.logs.event_log.judge import EventLogJudge, JudgedLog, RunSearch
from finale.checker.logs.event_log.section_search import Accepted, GaveUp, Rejected
from finale.checker.logs.event_log.section_search import Undecided as NotKnown
from finale.checker.logs.event_log.step_cache.lines import RunLines, Stretch
from finale.checker.logs.findings import Coverage, Finding, Where
from finale.checker.logs.read.kept_lines import KeptEvent, KeptRest, NoEventReason, RawLines
from finale.checker.logs.read.log_files import LogFile, LogLine, LogShelf, RawLog
from finale.checker.logs.verdicts import Conformance, JobVerdict
from finale.checker.search.limits import Limits
from finale.model.errors import FinaleError, Place
from finale.model.given import json_of
from finale.model.protocols.coordinator.checkpoints import COMPLETED

from .pieces import Piece

#: So many lines that cannot be read are told with a run.
STRAYS_KEPT = 10
#: What begins and ends a section: no step, but understood.
_FRAME = ("log-start", "log-end")


@dataclass
class JudgedRun:
    """A run of an event log: the verdict, or why there is none; and what its lines are."""

    verdict: JobVerdict | None = None
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


@cache
def rules() -> EventLogJudge:
    """What a process has learned of rules and properties, for all runs that it judges."""
    return EventLogJudge()


def ruled_runs(piece: Piece, shelf: LogShelf, limits: Limits | None) -> Iterator[JudgedRun]:
    """Judge the runs of a piece, and keep no lines; with limits, find what explains them."""
    if not piece.runs:
        for log, lines in runs_in(piece, shelf):
            yield judged_run(lines, piece.where, log.parts, limits, keeps=False)
        return
    (part,) = piece.parts
    data, place = shelf.content(part), 0
    for spans in piece.runs:
        stretches: list[Stretch] = []
        for span in spans:
            stretches.append((span.line, data[place : place + span.length]))
            place += span.length
        yield _judged(stretches, piece.where, str(part), limits)[0]


def _judged(
    stretches: Sequence[Stretch],
    where: str,
    file: str,
    limits: Limits | None,
    place_of: Callable[[int], tuple[str, int]] | None = None,
) -> tuple[JudgedRun, JudgedLog | None]:
    """Judge a run. `place_of` gives the file of a line and its number there, if they differ."""
    try:
        search = None if limits is None else RunSearch(limits)
        told = rules().judge_run(stretches, file, search)
    except FinaleError as error:
        error.place = error.place or Place(file, stretches[0][0])
        count = sum(len(_split(data)) for _, data in stretches)
        numbers = (n + start for start, data in stretches for n in range(data.count(b"\n") + 1))
        strays = _strays(stretches, islice(numbers, STRAYS_KEPT))
        return JudgedRun(error=str(error), unreadable=count, strays=strays), None
    conforms = told.conforms
    if isinstance(conforms, NotKnown) and conforms.given_up is GaveUp.INTERRUPTED:
        raise KeyboardInterrupt
    found: list[Finding] = []
    for each in told.findings:
        name, line = (file, each.line) if place_of is None else place_of(each.line)
        found.append(replace(each, where=Where(0, 0, line), file=name))
    run = told.run
    strays = _strays(stretches, run.log.unreadable[:STRAYS_KEPT])
    judged = JudgedRun(
        _verdict_of(told, where, found),
        "",
        run.parsed,
        run.ignored,
        len(run.log.unreadable),
        strays,
    )
    return judged, told


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


def _verdict_of(told: JudgedLog, where: str, findings: Sequence[Finding]) -> JobVerdict:
    return JobVerdict(
        where,
        told.run.name,
        told.run.name,
        None,
        Coverage(told.coverage.value),
        told.run.events,
        {COMPLETED: told.completed},
        (),
        0,
        tuple(findings),
        conforms=_conforms(told),
    )


def _conforms(told: JudgedLog) -> Conformance | None:
    match told.conforms:
        case Accepted():
            return Conformance(accepted=True, lines=told.run.events, why=None)
        case Rejected() as rejected:
            why = "; ".join(dict.fromkeys(each.why for each in rejected.refusals))
            text = f'line {rejected.line}, "{rejected.event}": {why}'
            before = _events_before(rejected.line, told.run)
            return Conformance(accepted=False, lines=before, why=text, rejected=True)
        case NotKnown() as undecided:
            before = _events_before(undecided.line + 1, told.run)
            return Conformance(accepted=False, lines=before, why=undecided.why)
        case None:
            pass
    stopped = told.stopped
    if stopped is None:
        return None
    why = f'line {stopped.line}, "{stopped.event}": {stopped.refusal.why.removesuffix(".")}'
    if stopped.missing:
        clocks = any(each.start.get("order") == "clocks" for each in told.run.log.sections)
        if clocks:
            why += "; the order of lines tells little: --accept looks for another"
        else:
            why += "; lines are missing before it: --accept looks for what they may have told"
    before = _events_before(stopped.line, told.run)
    return Conformance(False, before, why, rejected=not stopped.missing)


def _events_before(line: int, run: RunLines) -> int:
    return sum(each < line for part in run.parts for each in part.lines)


def runs_in(piece: Piece, shelf: LogShelf) -> Iterator[tuple[RawLog, list[LogLine]]]:
    """The lines of each run of a piece, with the numbers that they have in their file."""
    if piece.runs:
        data = shelf.content(piece.parts[0])
        place = 0
        for spans in piece.runs:
            lines: list[LogLine] = []
            for span in spans:
                lines += _lines(data[place : place + span.length], span.line)
                place += span.length
            yield piece.logs[0], lines
        return
    for log in piece.logs:
        for lines in sections_of_runs(list(shelf.lines(log))):
            yield log, lines


def sections_of_runs(whole: Sequence[LogLine]) -> Iterator[list[LogLine]]:
    """The lines of each run in a log: what comes before the first one is of that."""
    starts = [(place, start) for place, line in enumerate(whole)
              if (start := start_in(line.raw)) is not None]  # fmt: skip
    places = [0, *(place for place, _ in starts[1:]), len(whole)]
    for sections in grouped(start for _, start in starts) or [[0]]:
        inside = (whole[places[each] : places[each + 1]] for each in sections)
        yield list(chain.from_iterable(inside))


def _lines(data: bytes, first: int) -> Iterator[LogLine]:
    for number, raw in enumerate(io.BytesIO(data), first):
        whole = raw.endswith(b"\n")
        text = raw.rstrip(b"\r\n") if whole else raw
        yield LogLine(0, number, text, whole, raw[len(text) :])


def judged_run(
    lines: Sequence[LogLine],
    where: str,
    parts: Sequence[LogFile],
    limits: Limits | None,
    *,
    keeps: bool = True,
) -> JudgedRun:
    """Judge a run whose lines are in these parts of a log; with limits, find what explains it."""
    numbered = _numbered(lines)
    stretches: list[tuple[int, list[bytes]]] = []
    following = None
    for number, line in numbered.items():
        if number != following:
            stretches.append((number, []))
        stretches[-1][1].append(line.raw + (line.end or b"\n" if line.whole else b""))
        following = number + 1

    def place_of(number: int) -> tuple[str, int]:
        line = numbered[number]
        return str(parts[line.part]), line.number

    joined = [(first, b"".join(each)) for first, each in stretches]
    judged, told = _judged(joined, where, str(parts[-1]), limits, place_of)
    if keeps and told is None:
        unread = NoEventReason.UNREADABLE
        judged.rest = [KeptRest(_raw(line), unread) for line in numbered.values()]
    elif keeps and told is not None:
        steps = {line for part in told.run.parts for line in part.lines}
        unreadable = set(told.run.log.unreadable)
        judged.events, judged.rest = _kept(steps, unreadable, told.run.name, numbered)
    return judged


def _numbered(lines: Sequence[LogLine]) -> dict[int, LogLine]:
    """The lines by their numbers; where they are of several parts, one number goes on."""
    if len({line.part for line in lines}) == 1:
        return {line.number: line for line in lines}
    return dict(enumerate(lines, 1))


def _kept(
    known: set[int], unreadable: set[int], run: str, lines: Mapping[int, LogLine]
) -> tuple[list[KeptEvent], list[KeptRest]]:
    """What each line is; `known` are those that tell steps."""
    events: list[KeptEvent] = []
    rest: list[KeptRest] = []
    for number, line in lines.items():
        if number in unreadable:
            rest.append(
                KeptRest(_raw(line), NoEventReason.UNREADABLE if line.whole else NoEventReason.HALF)
            )
            continue
        told: dict[str, Any] = json_of(line.raw)
        if number in known or told["event"] in _FRAME:
            events.append(_event(told, run, line))
        else:
            rest.append(KeptRest(_raw(line), NoEventReason.IGNORED))
    return events, rest


def _event(told: Mapping[str, Any], run: str, line: LogLine) -> KeptEvent:
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


def _raw(line: LogLine) -> RawLines:
    return RawLines(0, line.part, line.number, 1, line.raw, line.end)
