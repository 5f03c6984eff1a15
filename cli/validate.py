"""`finale validate`: checks logs of real runs against the properties."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.text import Text

from finale.checker.cache.plain_data import plain
from finale.checker.logs.course import JobCourse
from finale.checker.logs.flink.candidate_settings import check
from finale.checker.logs.read.line_patterns import LEVELS, read_table, table
from finale.checker.logs.read.log_files import LogFile, LogShelf
from finale.checker.logs.read.run_file import read_run_file
from finale.checker.logs.validate import ACCEPT_LIMITS
from finale.checker.logs.verdicts import JobVerdict
from finale.checker.report.layout import console, counted, duration, grouped, write
from finale.checker.report.validated import (
    Hazards,
    kept_line,
    no_job_line,
    says_something,
    shared_lines,
    summary_lines,
    verdicts_lines,
    with_hazards,
)
from finale.checker.search.rows import PRECEDENCE, Exit
from finale.model.errors import FinaleError, nearest
from finale.pipeline.java import require_packages
from finale.pipeline.session import cluster_of
from finale.pipeline.validating.judging import JudgingOrder, LineCounts, PieceOutcome
from finale.pipeline.validating.pieces import Piece, pieces_of
from finale.pipeline.validating.run import ValidationProgress, digest_of_order, validated
from finale.pipeline.validating.spark import judged_on
from finale.pipeline.validating.store import ResultStore
from finale.pipeline.validating.work import Search, judged_here

from . import VERSION
from .blocked import NEWEST, tell_left_out
from .errors import tell as print_told
from .meter import Bar
from .output import document, say, say_json_rows, to_file_or_stdout
from .parameters import (
    OUTPUT,
    PLAIN,
    ConfOption,
    LoggerLevels,
    MasterOption,
    OwnLines,
    TableName,
    ZoneName,
)


def validate(  # noqa: PLR0913 - one parameter a flag
    *logs: Annotated[
        str, Parameter(help="Logs: files, folders, patterns such as 'logs/*.log', archives.")
    ],
    engine: Annotated[
        Literal["flink", "finale"],
        Parameter(
            help="Engine that wrote the logs. finale: event logs (*.ndjson) of finale engine."
        ),
    ] = "flink",
    table_name: TableName = NEWEST,
    lines: OwnLines = (),
    loggers: LoggerLevels = (),
    timezone: ZoneName = None,
    accept: Annotated[
        bool,
        PLAIN,
        Parameter(help="Also search a run of the protocol that explains each job."),
    ] = False,
    run_file: Annotated[
        Path | None,
        Parameter(
            name="--run",
            help="Settings of these runs (same keys as run.toml); only with --accept.",
        ),
    ] = None,
    settings: Annotated[
        bool,
        PLAIN,
        Parameter(help="With --accept: try all values of settings that are not known."),
    ] = False,
    master: MasterOption = None,
    conf: ConfOption = (),
    output: Annotated[
        Path | None,
        Parameter(
            group=OUTPUT,
            name=("--output", "-o"),
            help="Folder for lines, verdicts and findings, as Parquet tables. The same command "
            "then judges only changed logs again.",
        ),
    ] = None,
    format: Annotated[
        Literal["text", "json", "html"],
        Parameter(
            group=OUTPUT,
            name="--format",
            help="Output format. html: a page with the course of each job and the lines of each "
            "finding.",
        ),
    ] = "text",
) -> int:
    """Check logs of real runs: print their checkpoints, and the properties that do not hold."""
    if not logs:
        raise FinaleError(
            "no-paths",
            "no log is given",
            advice="name files, folders or archives: finale validate flink-*.log",
        )
    known = table(table_name)
    for path in lines:
        known = known.with_lines_of(read_table(path, known))
    known = known.in_zone(timezone)
    limits = ACCEPT_LIMITS if accept else None
    _check_settings(engine, run_file, known.name, settings=settings, accept=accept)
    levels, keeps = levels_of(loggers), output is not None
    draws = format == "html"
    order = JudgingOrder(engine, known, levels, limits, keeps=keeps, every=settings, draws=draws)
    search: Search = judged_here
    if master is not None:
        search = judged_on(cluster_of(master, conf, ()))
    elif conf:
        message = "--conf is a setting of Spark's, and nothing is done on Spark"
        raise FinaleError("spark-or-not", message, advice="add a --master, as local[*]")
    results = Validated(format, "event logs" if engine == "finale" else known.name)
    with LogShelf(layouts=known.layouts) as shelf:
        found = shelf.logs(logs, apart=engine == "finale")
        pieces = pieces_of(shelf, found, engine, run_file)
        tell_left_out(shelf)
    try:
        if output is None:
            results.take(pieces, order, search, None)
        else:
            require_packages()
            with ResultStore(output, digest_of_order(order, VERSION)) as store:
                results.take(pieces, order, search, store)
    except KeyboardInterrupt:
        results.interrupted(len(pieces), output)
    return results.close(output)


def _check_settings(
    engine: str, file: Path | None, release: str, *, settings: bool, accept: bool
) -> None:
    """Flags that say nothing are mistakes; so is what is wrong in the file of `--run`.

    Raises `settings-not-asked`, `no-such-path`, and what that of `read_run_file` and `check` is.
    """
    flag = "--run" if file is not None else "--settings"
    if (file is not None or settings) and (engine == "finale" or not accept):
        why, advice = f"{flag} is about what explains a job", "add --accept"
        if engine == "finale":
            why, advice = "event logs of the engine tell their settings", f"leave out {flag}"
        raise FinaleError("settings-not-asked", why, advice=advice)
    if file is None:
        return
    with LogShelf() as shelf:
        check(read_run_file(shelf.short_content(LogFile(str(file))), str(file)), release)


def levels_of(loggers: Sequence[str]) -> dict[str, str]:
    """The levels of loggers. Raises `bad-logger`."""
    levels: dict[str, str] = {}
    for each in loggers:
        name, _, level = each.rpartition("=")
        if not name or level not in LEVELS:
            raise FinaleError(
                "bad-logger",
                f'"{each}" does not say to which level a logger is set',
                advice=f"write Task=DEBUG; {nearest(level, LEVELS)}",
            )
        levels[name.rpartition(".")[2]] = level
    return levels


#: Of so many jobs each is shown; of more, only those of which there is something to say.
JOBS_IN_FULL = 5


@dataclass
class Validated:
    """The results so far. As text they are printed at the end: the worst first."""

    format: Literal["text", "json", "html"]
    layouts: str
    """Whose layout lines must have to be understood."""
    rows: list[bytes] = field(default_factory=list[bytes])
    """Of JSON: the jobs, packed, for there may be ten thousands."""
    drawn: list[tuple[JobVerdict, JobCourse | None]] = field(
        default_factory=list[tuple[JobVerdict, JobCourse | None]]
    )
    """Of a page: the jobs, and what is drawn of each."""
    verdicts: list[JobVerdict] = field(default_factory=list[JobVerdict])
    """Of a text: what is to be shown of jobs. Of many jobs, not those with nothing to say."""
    calm: int = 0
    """How many jobs have nothing to say, and are only counted."""
    untold: frozenset[str] | None = None
    """The properties of which no line of any job tells anything."""
    counts: LineCounts = field(default_factory=LineCounts)
    pieces: int = 0
    jobs: int = 0
    shown: int = 0
    conform: Counter[str] = field(default_factory=Counter[str])
    codes: set[Exit] = field(default_factory=set[Exit])
    news: ValidationProgress | None = None

    def take(
        self,
        pieces: Sequence[Piece],
        order: JudgingOrder,
        search: Search,
        store: ResultStore | None,
    ) -> None:
        """All pieces, in their order."""
        with Bar() as bar:

            def tell(news: ValidationProgress) -> None:
                self.news = news
                bar(news.bytes_judged / max(news.bytes_total, 1), _words(news))

            with closing(validated(pieces, order, search, store, tell)) as outcomes:
                for outcome in outcomes:
                    bar.clear()
                    self._note(outcome)

    def _note(self, outcome: PieceOutcome) -> None:
        self.pieces += 1
        self.counts += outcome.counts
        for error in outcome.errors:
            self.codes.add(Exit.BAD_INPUT)
            print_told(error)
        for part in outcome.damaged:
            say(
                f"{part} ends in the middle of a line: the file is still being written, or was cut",
                stderr=True,
            )
        for told in outcome.missing:
            say(told, stderr=True)
        for verdict, course in zip_longest(outcome.verdicts, outcome.courses):
            self.jobs += 1
            self.shown += bool(verdict.shows)
            if verdict.conforms is not None:
                self.conform[verdict.conforms.word] += 1
            if verdict.fails:
                self.codes.add(Exit.FAILED)
            if verdict.is_open:
                self.codes.add(Exit.LIMIT)
            match self.format:
                case "text":
                    self._keep(verdict)
                case "json":
                    row = with_hazards(plain(verdict), _hazards() if verdict.findings else {})
                    self.rows.append(zlib.compress(json.dumps(row).encode(), 1))
                case "html":
                    self.drawn.append((verdict, course))

    def _keep(self, verdict: JobVerdict) -> None:
        """Keep what is to be shown of a job."""
        untold = frozenset(verdict.untold)
        self.untold = untold if self.untold is None else self.untold & untold
        self.verdicts.append(verdict)
        if self.jobs > JOBS_IN_FULL:
            told = [each for each in self.verdicts if says_something(each)]
            self.calm += len(self.verdicts) - len(told)
            self.verdicts = told

    def interrupted(self, pieces: int, output: Path | None) -> None:
        """The user has had enough."""
        self.codes.add(Exit.INTERRUPTED)
        again = "the same command goes on from here"
        if output is None:
            again = "with --output FOLDER, the same command goes on after an interruption"
        say(f"interrupted after {self.pieces} of {pieces}: {again}", stderr=True)

    def close(self, output: Path | None) -> Exit:
        """Print the summary, and return the exit code."""
        counts, news = self.counts, self.news
        again = (0, 0) if news is None else (news.judged, news.known)
        none = not self.jobs and not self.codes
        if none:
            self.codes.add(Exit.LIMIT)
        if self.format == "html":
            from finale.checker.page.validated import validated_page

            has_findings = any(verdict.findings for verdict, _ in self.drawn)
            hazards, made_by = _hazards() if has_findings else {}, f"Finale {VERSION}"
            lines_read = counted(counts.read, "line")
            to_file_or_stdout(validated_page(self.drawn, lines_read, made_by, hazards), None)
            if none:
                say(self._no_job().plain, stderr=True)
        elif self.format == "text":
            lines = (counts.read, counts.parsed, counts.ignored, counts.unparsable)
            untold = self.untold or frozenset()
            left = untold if self.jobs <= JOBS_IN_FULL else None
            has_findings = any(verdict.findings for verdict in self.verdicts)
            hazards = _hazards() if has_findings else {}
            write(console(), verdicts_lines(self.verdicts, left, console().width, hazards))
            write(console(), shared_lines(self.jobs, self.calm, untold, console().width))
            write(
                console(), summary_lines(self.jobs, self.shown, self.conform, lines, counts.strays)
            )
            if none:
                write(console(), [self._no_job()])
            if output is not None and Exit.INTERRUPTED not in self.codes:
                write(console(), [kept_line(str(output), *again)])
        else:
            told = {"read": counts.read, "parsed": counts.parsed, "ignored": counts.ignored}
            told |= {"unparsable": counts.unparsable}
            pieces = {"judged": again[0], "known": again[1]}
            page = document("validate") | {"lines": told, "pieces": pieces, "results": []}
            rows = (json.loads(zlib.decompress(each)) for each in self.rows)
            say_json_rows(page | {"ok": not self.codes}, "results", rows)
            if none:
                say(self._no_job().plain, stderr=True)
        return next((code for code in PRECEDENCE if code in self.codes), Exit.AS_EXPECTED)

    def _no_job(self) -> Text:
        counts = self.counts
        first = next((text for _, text in counts.strays), "")
        return no_job_line(self.layouts, counts.parsed + counts.ignored, first)


def _hazards() -> Hazards:
    from .explaining import known_hazards  # it reads pages and specs

    return known_hazards()


def _words(news: ValidationProgress) -> list[str]:
    """The progress, the most important part first."""
    words = [f"{grouped(news.judged)} of {grouped(news.total)} judged"]
    if news.seconds_left is not None:
        words.append(f"about {duration(news.seconds_left)} left")
    if news.known:
        words.append(f"{grouped(news.known)} known before")
    return words
