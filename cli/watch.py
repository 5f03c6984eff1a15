"""`finale watch`: checks logs while they grow."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from rich.text import Text

from finale.checker.logs.read.line_patterns import read_table, table
from finale.checker.report.layout import console, counted, joined, write
from finale.checker.report.watched import told_lines
from finale.checker.search.rows import Exit
from finale.model.errors import FinaleError

from .blocked import NEWEST
from .errors import tell
from .output import document, say_json
from .parameters import (
    OUTPUT,
    PLAIN,
    ConfOption,
    LoggerLevels,
    MasterOption,
    OwnLines,
    TableName,
    require_seconds,
)
from .validate import levels_of

if TYPE_CHECKING:
    from rich.status import Status

    from finale.pipeline.watch.run import WatchProgress


def watch(  # noqa: PLR0913 - one parameter a flag
    folder: Annotated[Path, Parameter(help="Folder that the logs are written into.")],
    /,
    *,
    resume: Annotated[
        Path | None,
        Parameter(help="Folder to save the watch in, and to continue a saved watch from."),
    ] = None,
    silent_after: Annotated[
        float, Parameter(help="Seconds without a new line after which a job counts as cut off.")
    ] = 300.0,
    once: Annotated[bool, PLAIN, Parameter(help="Judge the present lines, then end.")] = False,
    table_name: TableName = NEWEST,
    lines: OwnLines = (),
    loggers: LoggerLevels = (),
    master: MasterOption = None,
    conf: ConfOption = (),
    format: Annotated[
        Literal["text", "json"],
        Parameter(group=OUTPUT, help="Output format; json prints one record on each line."),
    ] = "text",
) -> int:
    """Check logs of Flink and event logs (*.ndjson) while they grow."""
    from finale.pipeline.java import require_spark
    from finale.pipeline.session import cluster_of
    from finale.pipeline.watch.cluster import WatchSetting
    from finale.pipeline.watch.run import WatchPlan, check
    from finale.pipeline.watch.run import watch as watched

    require_seconds("--silent-after", silent_after)
    known = table(table_name)
    for path in lines:
        known = known.with_lines_of(read_table(path, known))
    setting = WatchSetting(str(folder), known, levels_of(loggers))
    if master is None and conf:
        message = "--conf is a setting of Spark's, and nothing is done on Spark"
        raise FinaleError("spark-or-not", message, advice="add a --master, as local[*]")
    cluster = None if master is None else cluster_of(master, conf, ())
    plan = WatchPlan(folder, setting, cluster, silent_after, resume, once)
    check(plan)
    if cluster is not None:
        require_spark()
    with _Page(folder, format == "text", on_spark=cluster is not None) as page:
        try:
            watched(plan, page)
        except KeyboardInterrupt:
            page.close(resume)
            return Exit.INTERRUPTED
        page.close(None)
    return page.exit


class _Page:
    """Prints records as they come, and on a terminal how far the watch is."""

    def __init__(self, folder: Path, as_text: bool, *, on_spark: bool) -> None:
        self.folder, self.as_text, self.on_spark = folder, as_text, on_spark
        self._far: WatchProgress | None = None
        self._meter = console(stderr=True)
        self._status: Status | None = None

    def __enter__(self) -> _Page:
        tell(f"watching {self.folder}: findings are printed as they come; Ctrl-C ends the watch")
        if self._meter.is_terminal:
            self._status = self._meter.status(
                "starting Spark" if self.on_spark else "reading the logs", spinner="line"
            )
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, records: Iterable[dict[str, object]], far: WatchProgress) -> None:
        """Print records, and note how far the watch is."""
        self._far = far
        if self.as_text:
            write(console(), told_lines(records))
        else:
            for record in records:
                say_json(document("watch") | record, indent=None)
        sys.stdout.flush()
        if self._status is not None and far.batches:
            self._status.update(Text(self._words))

    @property
    def _words(self) -> str:
        far = self._far
        if far is None:
            return "nothing was read yet"
        parts = [counted(far.logs, "log"), counted(far.lines, "line"), counted(far.jobs, "job")]
        parts += [counted(far.findings, "finding")]
        parts += [f"{counted(far.unparsable, 'line')} unparsable"] if far.unparsable else []
        return joined(parts).plain

    @property
    def exit(self) -> Exit:
        """Whether some finding stands."""
        return Exit.FAILED if self._far is not None and self._far.findings else Exit.AS_EXPECTED

    def close(self, resume: Path | None) -> None:
        """The summary; and where a watch was interrupted, how to go on."""
        if self._status is not None:
            self._status.stop()
        further = f"; --resume {resume} goes on from here" if resume is not None else ""
        page = console() if self.as_text else console(stderr=True)
        write(page, [f"{self._words}{further}"])
