"""`finale mine`: what most of many runs do, and which runs do not."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from finale.checker.logs.read.line_patterns import read_table, table
from finale.checker.logs.read.log_events import LineTally
from finale.checker.logs.read.log_files import LogShelf
from finale.checker.report.layout import console, grouped, write
from finale.checker.report.validated import no_job_line
from finale.checker.search.rows import Exit
from finale.model.errors import FinaleError

from .blocked import NEWEST, tell_left_out
from .meter import Bar
from .output import document, say_json
from .parameters import OwnLines, TableName, TextOrJson


def mine(
    *logs: Annotated[
        str, Parameter(help="Logs: files, folders, patterns such as 'logs/*.log', archives.")
    ],
    least: Annotated[
        int, Parameter(help="Number of runs in which a regularity must hold at least.")
    ] = 10,
    share: Annotated[
        float, Parameter(help="Percentage of the runs that may break a regularity.")
    ] = 5.0,
    groups: Annotated[
        int, Parameter(help="Number of groups of runs to print that break the same; JSON has all.")
    ] = 20,
    table_name: TableName = NEWEST,
    lines: OwnLines = (),
    format: TextOrJson = "text",
) -> int:
    """Mine regularities of many runs, and print those that a few runs break."""
    from finale.checker.logs.regularities.mining import MiningLimits, mine
    from finale.checker.logs.regularities.spans import MinedRun, mined_runs
    from finale.checker.report.mined import mined_document, mined_lines
    from finale.pipeline.validating.pieces import pieces_of

    if not logs:
        raise FinaleError(
            "no-paths",
            "no log is given",
            advice="name files, folders or archives: finale mine logs/",
        )
    for flag, value in (("--least", least), ("--groups", groups)):
        if value < 1:
            raise FinaleError("bad-value", f"{flag} is {value}", advice="write a number from 1")
    if not 0 <= share < 50:
        raise FinaleError("bad-value", f"--share is {share:g}", advice="write 0 to 50 per cent")
    known = table(table_name)
    for path in lines:
        known = known.with_lines_of(read_table(path, known))
    tally, runs = LineTally(), list[MinedRun]()
    with LogShelf(layouts=known.layouts) as shelf, Bar() as bar:
        pieces = pieces_of(shelf, shelf.logs(logs), "flink")
        tell_left_out(shelf)
        total, done = sum(piece.size for piece in pieces), 0
        for piece in pieces:
            files = tuple(tuple(map(str, log.parts)) for log in piece.logs)
            runs += mined_runs((shelf.lines(log) for log in piece.logs), known, files, tally)
            done += piece.size
            bar(done / max(total, 1), [f"{grouped(len(runs))} runs read"])
    mined = mine(runs, MiningLimits(least, share / 100))
    first = next((each.raw.decode("utf-8", "replace") for each in tally.strays), "")
    none = [] if runs else [no_job_line(known.name, tally.parsed + tally.ignored, first)]
    if format == "json":
        say_json(document("mine") | mined_document(mined) | {"ok": not none})
        write(console(stderr=True), none)
    else:
        write(console(), none or mined_lines(mined, groups))
    return Exit.LIMIT if none else Exit.AS_EXPECTED
