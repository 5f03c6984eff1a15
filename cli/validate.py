"""`finale validate`: what logs of real runs show."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from checker.logs.patterns import LEVELS, Table, read_table, table, tables
from checker.logs.sources import RawLog, Shelf
from checker.logs.telling import Tally
from checker.logs.validate import Cluster, judge
from checker.logs.verdicts import verdict_of
from checker.question import Limits
from checker.rows import PRECEDENCE, Exit
from checker.show.layout import console, write
from checker.show.validated import tally_lines, verdict_lines
from model.errors import FinaleError, nearest

from .conform import Compared
from .errors import print_error
from .main import VERSION
from .parameters import PLAIN

if TYPE_CHECKING:
    from rich.status import Status

#: So much is tried for each job, and for so long, until it is called undecided.
STATES_MAX, SECONDS_MAX = 1_000_000, 60.0
#: What the newest table of Flink is called.
NEWEST = tables()[-1]


def validate(
    *logs: Annotated[
        str, Parameter(help="Logs: files, folders, patterns such as 'logs/*.log', archives.")
    ],
    engine: Annotated[
        Literal["flink", "finale"],
        Parameter(help="Whose logs they are; finale: event logs (*.ndjson), as finale conform."),
    ] = "flink",
    table_name: Annotated[
        str, Parameter(name="--table", help="The table of what lines tell, by engine and release.")
    ] = NEWEST,
    lines: Annotated[
        tuple[Path, ...],
        PLAIN,
        Parameter(help="A table of your own operators' lines (docs/pipeline.md)."),
    ] = (),
    loggers: Annotated[
        tuple[str, ...],
        PLAIN,
        Parameter(help="To which level a logger was set, as Task=DEBUG, if it wrote nothing."),
    ] = (),
    accept: Annotated[
        bool,
        Parameter(negative=(), help="Tell, too, whether a run of the protocol explains each job."),
    ] = False,
    format: Annotated[Literal["text", "json"], Parameter(help="How to print it.")] = "text",
) -> int:
    """Tell what logs of real runs show: their checkpoints, and properties that do not hold."""
    if not logs:
        raise FinaleError(
            "no-paths",
            "no log is given",
            advice="name files, folders or archives: finale validate flink-*.log",
        )
    if engine == "finale":
        return _event_logs(logs, format)
    known = table(table_name)
    for path in lines:
        known = known.with_lines_of(read_table(path, known))
    limits = Limits(STATES_MAX, SECONDS_MAX) if accept else None
    results = Validated(known, levels_of(loggers), format == "text", limits)
    try:
        results.take(logs)
    except KeyboardInterrupt:
        results.codes.add(Exit.INTERRUPTED)
        print(f"interrupted after {results.folders} of {results.all} folders", file=sys.stderr)
    return results.close()


def _event_logs(paths: Sequence[str], format: str) -> int:
    """Event logs have one reader and one judge, whatever command asks."""
    from checker.conformance.acceptance import LIMITS

    results = Compared(format == "text", {}, LIMITS)
    with Shelf() as shelf:
        for log in shelf.logs(paths):
            lines = [line.raw.decode("utf-8", "replace") for line in shelf.lines(log)]
            results.judge(Path(str(log)), lines)
    return results.close()


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


@dataclass
class Validated:
    """What was judged so far, printed as it comes."""

    table: Table
    levels: Mapping[str, str]
    as_text: bool
    accepts: Limits | None
    rows: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    tally: Tally = field(default_factory=Tally)
    folders: int = 0
    all: int = 0
    shown: int = 0
    codes: set[Exit] = field(default_factory=set[Exit])

    def take(self, paths: Sequence[str]) -> None:
        """All logs, folder by folder: those of one folder are of one cluster."""
        with Shelf() as shelf:
            by_folder: dict[str, list[RawLog]] = {}
            for log in shelf.logs(paths):
                by_folder.setdefault(log.folder, []).append(log)
            self.all = len(by_folder)
            for folder, logs in _told(by_folder):
                try:
                    cluster = judge(map(shelf.lines, logs), self.table, self.levels, self.accepts)
                except FinaleError as error:
                    self.codes.add(Exit.BAD_INPUT)
                    print_error(error)
                    continue
                self._note(folder, logs, cluster)
            for part in shelf.damaged:
                print(f"{part} ends in the midst: it is still written, or cut", file=sys.stderr)

    def _note(self, folder: str, logs: Sequence[RawLog], cluster: Cluster) -> None:
        self.folders += 1
        self.tally += cluster.tally
        where = str(logs[0]) if len(logs) == 1 else folder
        for verdict in (verdict_of(where, judged, logs) for judged in cluster.jobs):
            self.rows.append(verdict.to_table())
            self.shown += bool(verdict.shows)
            if verdict.shows:
                self.codes.add(Exit.FAILED)
            if verdict.is_open:
                self.codes.add(Exit.LIMIT)
            if self.as_text:
                write(console(), verdict_lines(verdict))

    def close(self) -> Exit:
        """Print what it comes to; the exit code."""
        if self.as_text:
            write(console(), tally_lines(self.tally, len(self.rows), self.shown))
        else:
            tally = self.tally
            counts = {"read": tally.read, "parsed": tally.parsed, "ignored": tally.ignored}
            counts["unparsable"] = tally.unparsable
            page = {"finale": VERSION, "lines": counts, "results": self.rows}
            print(json.dumps(page | {"ok": not self.codes}, indent=2))
        return next((code for code in PRECEDENCE if code in self.codes), Exit.AS_EXPECTED)


def _told(by_folder: Mapping[str, list[RawLog]]) -> Iterator[tuple[str, list[RawLog]]]:
    """One folder after the other, and on a terminal how far it is."""
    page = console(stderr=True)
    status: Status | None = page.status("", spinner="line") if page.is_terminal else None
    try:
        for number, (folder, logs) in enumerate(by_folder.items(), 1):
            if status is not None:
                status.update(f"{number} of {len(by_folder)}: {Path(folder).name}")
                status.start()
            yield folder, logs
    finally:
        if status is not None:
            status.stop()
