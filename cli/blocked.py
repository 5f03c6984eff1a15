"""`finale blocked` and `finale logging`: what a log lacks, and the log levels that give more.

For each task of a log that has not ended, `blocked` prints what the task waits for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from cyclopts import Parameter

from finale.checker.logs.read.line_patterns import log4j2, table, tables
from finale.checker.logs.read.log_events import LineTally
from finale.checker.logs.read.log_files import LogLine, LogShelf, RawLog, holes_of
from finale.checker.logs.validate import JudgedJob, judge_cluster
from finale.checker.report.layout import console, write
from finale.checker.report.validated import no_job_line, unfinished_lines
from finale.checker.search.rows import Exit
from finale.model.errors import FinaleError

from .output import document, say, say_json, to_file_or_stdout
from .parameters import TableName, TextOrJson

#: The newest table of log lines.
NEWEST = tables()[-1]


def blocked(
    *logs: Annotated[str, Parameter(help="Logs of one cluster: files, a folder, an archive.")],
    at: Annotated[
        int | None, Parameter(help="Line of each log to stop at (default: the last line).")
    ] = None,
    table_name: TableName = NEWEST,
    format: TextOrJson = "text",
) -> int:
    """Print for each task that has not ended which condition or acknowledgement is missing."""
    if not logs:
        raise FinaleError(
            "no-paths",
            "no log is given",
            advice="name the logs of a cluster: finale blocked jobmanager.log taskmanager.log",
        )
    if at is not None and at < 1:
        raise FinaleError(
            "bad-limit",
            f"--at cannot be {at}",
            advice="give the number of a line, from 1, or leave it out",
        )
    known, tally = table(table_name), LineTally()
    jobs: list[JudgedJob] = []
    with LogShelf() as shelf:
        by_folder: dict[str, list[RawLog]] = {}
        for log in shelf.logs(logs):
            by_folder.setdefault(log.folder, []).append(log)
        tell_left_out(shelf)
        for inside in by_folder.values():
            lines = [_until(shelf, log, at) for log in inside]
            cluster = judge_cluster(lines, known, holes=holes_of(inside))
            jobs += cluster.jobs
            tally += cluster.tally
    first = next((each.raw.decode("utf-8", "replace") for each in tally.strays), "")
    none = [] if jobs else [no_job_line(known.name, tally.parsed + tally.ignored, first)]
    if format == "json":
        rows = [_row(judged) for judged in jobs]
        say_json(document("blocked") | {"results": rows, "ok": not none})
        write(console(stderr=True), none)
    else:
        for judged in jobs:
            write(console(), unfinished_lines(judged, at))
        write(console(), none)
    return Exit.LIMIT if none else Exit.AS_EXPECTED


def tell_left_out(shelf: LogShelf) -> None:
    """Say which files are not read, though somebody can expect it."""
    for told in shelf.left_out:
        say(told, stderr=True)


def _until(shelf: LogShelf, log: RawLog, at: int | None) -> Iterator[LogLine]:
    """The lines of a log up to one of its last part; of parts before it, all."""
    last = len(log.parts) - 1
    for line in shelf.lines(log):
        if at is not None and line.part == last and line.number > at:
            return
        yield line


def _row(judged: JudgedJob) -> dict[str, object]:
    tasks = [
        {
            "task": each.task,
            "status": each.status,
            "since": None if each.since is None else each.since.line,
            "missing": list(each.missing),
        }
        for each in judged.unfinished_tasks
    ]
    return {
        "job": judged.verdict.job,
        "name": judged.verdict.name,
        "state": judged.verdict.state,
        "stops": list(judged.stops),
        "tasks": tasks,
    }


def logging(
    engine: Annotated[Literal["flink"], Parameter(help="Engine that writes the logs.")] = "flink",
    /,
    *,
    table_name: TableName = NEWEST,
) -> int:
    """Print the lines for log4j.properties with which finale validate can decide most."""
    assert engine == "flink"
    to_file_or_stdout(log4j2(table(table_name)), None)
    return 0
