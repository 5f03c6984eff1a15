"""Judges one piece in a worker, and returns the result as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from finale.checker.logs.course import EXCERPTS_MAX, JobCourse, LogExcerpt, course_of, excerpts_of
from finale.checker.logs.read.kept_lines import KeptEvent, KeptLines, KeptRest
from finale.checker.logs.read.line_patterns import PatternTable
from finale.checker.logs.read.log_events import LineTally
from finale.checker.logs.read.log_files import LogFile, LogShelf, holes_of
from finale.checker.logs.read.run_file import read_run_file
from finale.checker.logs.validate import AcceptanceRequest, JudgedCluster, judge_cluster
from finale.checker.logs.verdicts import JobVerdict, named_in
from finale.checker.search.limits import Limits
from finale.model.errors import FinaleError
from finale.model.garbage import uncollected

from .eventlogs import judged_run, ruled_runs, runs_in
from .pieces import Piece, digest_of

#: So many lines that nothing can be made of are told of a piece, and so much of each.
STRAYS_TOLD, COLUMNS_TOLD = 3, 80


@dataclass(frozen=True)
class JudgingOrder:
    """What all pieces have in common. `keeps`: all lines are wanted, not verdicts alone.

    `every`: a run is looked for under each of the settings that nobody tells.
    """

    engine: str
    table: PatternTable
    levels: Mapping[str, str] = field(default_factory=dict[str, str])
    accepts: Limits | None = None
    keeps: bool = False
    every: bool = False
    draws: bool = False
    """The courses of jobs are wanted, for a page."""


@dataclass(frozen=True)
class LineCounts:
    """What became of the lines that were read, and a few that nothing can be made of."""

    parsed: int = 0
    ignored: int = 0
    unparsable: int = 0
    strays: tuple[tuple[int, str], ...] = ()

    @property
    def read(self) -> int:
        return self.parsed + self.ignored + self.unparsable

    def __add__(self, other: LineCounts) -> LineCounts:
        return LineCounts(
            self.parsed + other.parsed,
            self.ignored + other.ignored,
            self.unparsable + other.unparsable,
            (*self.strays, *other.strays)[:STRAYS_TOLD],
        )


@dataclass(frozen=True)
class PieceOutcome:
    """What became of a piece. `errors` say of what could not be judged why not."""

    key: str
    verdicts: tuple[JobVerdict, ...] = ()
    counts: LineCounts = LineCounts()
    digest: str = ""
    damaged: tuple[str, ...] = ()
    """Files that end in the midst."""
    missing: tuple[str, ...] = ()
    """Which parts rotated logs lack."""
    errors: tuple[str, ...] = ()
    courses: tuple[JobCourse, ...] = ()
    """What a page draws of each job, if that is wanted."""


@dataclass(frozen=True)
class PieceLines:
    """The lines of a piece: those that tell events, and the others; and of which files they are."""

    files: Sequence[Sequence[str]]
    """By log and part."""
    events: Sequence[KeptEvent] = ()
    rest: Sequence[KeptRest] = ()


Given = Mapping[LogFile, bytes]


def judged(
    order: JudgingOrder, piece: Piece, given: Given | None = None, shelf: LogShelf | None = None
) -> tuple[PieceOutcome, PieceLines]:
    """Judge a piece. What is wrong with it is told in the outcome.

    Its bytes may be `given`; or they are read from a `shelf`, which has its archive open.
    """
    files = [[str(part) for part in log.parts] for log in piece.logs]
    try:
        if given is None and (order.keeps or piece.runs or shelf is not None):
            with LogShelf() as own:
                given = piece.content(shelf or own)
        digest = digest_of(given) if order.keeps and given is not None else ""
        with LogShelf(given) as inside:
            judging = _runs if order.engine == "finale" else _cluster
            told, errors, lines, courses = judging(order, piece, inside)
            damaged = tuple(map(str, inside.damaged))
    except FinaleError as error:
        return PieceOutcome(piece.key, errors=(str(error),)), PieceLines(files)
    verdicts, counts = told
    missing = tuple(
        f"{log}: part {each} of this rotated log is missing"
        for log in piece.logs
        for each in log.holes.values()
    )
    outcome = PieceOutcome(piece.key, verdicts, counts, digest, damaged, missing, errors, courses)
    return outcome, PieceLines(files, *lines)


_Found = tuple[
    tuple[tuple[JobVerdict, ...], LineCounts],
    tuple[str, ...],
    tuple[Sequence[KeptEvent], Sequence[KeptRest]],
    tuple[JobCourse, ...],
]


def _cluster(order: JudgingOrder, piece: Piece, shelf: LogShelf) -> _Found:
    kept = KeptLines() if order.keeps else None
    logs = map(shelf.lines, piece.logs)
    holes = holes_of(piece.logs)
    accepts = _asked(order, piece, shelf)
    with uncollected():
        cluster = judge_cluster(logs, order.table, order.levels, accepts, kept, holes)
    files = [piece.logs[number] for number in cluster.files]
    verdicts = tuple(named_in(job.verdict, piece.where, files) for job in cluster.jobs)
    lines = ((), ()) if kept is None else (list(kept.events), kept.rest)
    courses = tuple(_courses(cluster, verdicts, piece, shelf)) if order.draws else ()
    return (verdicts, _counts(cluster.tally)), (), lines, courses


def _courses(
    cluster: JudgedCluster, verdicts: Sequence[JobVerdict], piece: Piece, shelf: LogShelf
) -> Iterator[JobCourse]:
    """The course of each job, with the lines of its first findings."""
    shown = [job.verdict.findings[:EXCERPTS_MAX] for job in cluster.jobs]
    wheres = [each.where for some in shown for each in some]
    around = excerpts_of(wheres, lambda log: shelf.lines(piece.logs[cluster.files[log]]))
    for run, job, named, some in zip(cluster.runs, cluster.jobs, verdicts, shown, strict=True):
        excerpts = dict.fromkeys(
            LogExcerpt(told.place, told.line, around[each.where])
            for each, told in zip(some, named.findings, strict=False)
        )
        yield replace(course_of(run, job.verdict.findings), excerpts=tuple(excerpts))


def _asked(order: JudgingOrder, piece: Piece, shelf: LogShelf) -> AcceptanceRequest | None:
    if order.accepts is None or piece.told is None:
        return (
            None if order.accepts is None else AcceptanceRequest(order.accepts, every=order.every)
        )
    given = read_run_file(shelf.short_content(piece.told), str(piece.told))
    return AcceptanceRequest(order.accepts, given, order.every)


def _runs(order: JudgingOrder, piece: Piece, shelf: LogShelf) -> _Found:
    if not order.keeps:
        found = list(ruled_runs(piece, shelf, order.accepts))
    else:
        found = [
            judged_run(lines, piece.where, log.parts, order.accepts)
            for log, lines in runs_in(piece, shelf)
        ]
    counts = LineCounts()
    for run in found:
        strays = tuple((line, _shown(raw)) for line, raw in run.strays[:STRAYS_TOLD])
        counts += LineCounts(run.parsed, run.ignored, run.unreadable, strays)
    verdicts = tuple(run.verdict for run in found if run.verdict is not None)
    errors = tuple(run.error for run in found if run.error)
    events = [event for run in found for event in run.events] if order.keeps else ()
    rest = [each for run in found for each in run.rest] if order.keeps else ()
    return (verdicts, counts), errors, (events, rest), ()


def _counts(tally: LineTally) -> LineCounts:
    first = tally.strays[:STRAYS_TOLD]
    strays = tuple((each.line, _shown(each.raw)) for each in first)
    return LineCounts(tally.parsed, tally.ignored, tally.unparsable, strays)


def _shown(raw: bytes) -> str:
    return raw[:COLUMNS_TOLD].decode("utf-8", "replace")
