"""Watches a folder of logs: judges new lines, in this process or on Spark, and tells what is new.

Where a watch was is kept in a folder: offsets, what batches have added, what was told.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from finale.checker.cache.plain_data import typed
from finale.checker.logs.read.line_patterns import PatternTable
from finale.checker.logs.verdicts import JobVerdict
from finale.model.errors import FinaleError, Place
from finale.model.given import json_of
from finale.model.written import write_whole
from finale.pipeline.session import SparkCluster, session

from .cluster import WatchSetting
from .files import LogFolder
from .here import watch_here
from .journal import Journal, Record
from .work import TOLD, WatchOrder, work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

#: So often it is looked for what is new.
SECONDS_BETWEEN_LOOKS = 1
OFFSETS, LOGS, READ = "spark", "logs", "read.json"
#: So many bundles of folders a processor.
TASKS_PER_SLOT = 2


@dataclass(frozen=True)
class WatchPlan:
    """The folder and the options of a watch. `kept` is the folder to continue from, or None.

    With `once` the watch ends when all that is there has been judged. Without a cluster this
    process does the work.
    """

    folder: Path
    setting: WatchSetting
    cluster: SparkCluster | None
    silent_after: float
    kept: Path | None = None
    once: bool = False


@dataclass
class WatchProgress:
    """The progress of a watch."""

    logs: int = 0
    lines: int = 0
    unparsable: int = 0
    batches: int = 0
    jobs: int = 0
    findings: int = 0
    by_folder: dict[str, tuple[int, int, int]] = field(default_factory=dict[str, Any])

    def take(self, row: Mapping[str, Any]) -> None:
        """Record the verdicts of a folder."""
        self.by_folder[row["folder"]] = (row["logs"], row["lines"], row["unparsable"])
        self._sum()

    def keep(self, file: Path) -> None:
        """Save the progress, so that another watch can continue."""
        write_whole(file, json.dumps(self.by_folder), f"{file.stem}.part")

    def go_on(self, file: Path) -> None:
        """Continue from the saved progress of another watch."""
        with suppress(OSError, ValueError):
            self.by_folder = json_of(file.read_text(encoding="utf-8"))
            self._sum()

    def _sum(self) -> None:
        columns = list(zip(*self.by_folder.values(), strict=True))
        self.logs, self.lines, self.unparsable = map(sum, columns) if columns else (0, 0, 0)


Tell = Callable[[Iterable[Record], WatchProgress], None]
"""Called in each batch with the records that are new, and how far it is."""


def watch(plan: WatchPlan, tell: Tell) -> WatchProgress:
    """Watch until the user interrupts, which raises `KeyboardInterrupt`; or, once, to the end.

    Raises what `check`, the journal and the session raise, and `watch-ended` where Spark gives up.
    """
    check(plan)
    with _kept(plan) as kept, Journal(kept, _identity(plan)) as journal:
        journal.subfolder(LOGS)
        far = WatchProgress(jobs=journal.jobs, findings=journal.findings)
        far.go_on(kept / READ)
        tell(journal.tell(), far)
        orders = partial(_order, plan, kept)
        if plan.cluster is None:
            take = partial(_take, kept, journal, tell, far)
            folder = LogFolder(plan.folder.absolute(), plan.silent_after)
            if plan.once:
                folder.freeze(time.time())
            watch_here(folder, kept, orders, lambda _, told: take(told), SECONDS_BETWEEN_LOOKS)
            return far
        with session(plan.cluster, "finale watch") as spark:
            _run(spark, plan, kept, partial(_batch, orders, kept, journal, tell, far))
        return far


def check(plan: WatchPlan) -> None:
    """Raises `no-such-folder`, `needs-folder`."""
    if not plan.folder.is_dir():
        raise FinaleError(
            "no-such-folder",
            "the folder to watch does not exist",
            place=Place(str(plan.folder)),
            advice="name the folder that logs are written into; files may come later",
        )
    if plan.kept is None and plan.cluster is not None and not plan.cluster.is_nearby:
        raise FinaleError(
            "needs-folder",
            f"the workers of {plan.cluster.master} cannot read folders of this machine",
            place=Place(key="--resume"),
            advice="name one that all of them see, as they must see the logs: --resume FOLDER",
        )


def _run(
    spark: SparkSession, plan: WatchPlan, kept: Path, batch: Callable[[DataFrame, int], None]
) -> None:
    from pyspark.errors import StreamingQueryException

    from .source import NAME, GrowingLogs

    spark.dataSource.register(GrowingLogs)
    slots = spark.sparkContext.defaultParallelism
    source = spark.readStream.format(NAME).option("path", str(plan.folder.absolute()))
    source = source.option("silent", plan.silent_after).option("tasks", TASKS_PER_SLOT * slots)
    stream = source.load().writeStream.foreachBatch(batch)
    stream = stream.option("checkpointLocation", str(kept / OFFSETS))
    if plan.once:
        stream = stream.trigger(availableNow=True)
    else:
        stream = stream.trigger(processingTime=f"{SECONDS_BETWEEN_LOOKS} seconds")
    query = stream.start()
    try:
        _wait(query)
    except StreamingQueryException as error:
        raise _ended(str(error), plan) from None
    finally:
        with suppress(Exception):  # it has ended, or Spark has
            query.stop()


def _wait(query: StreamingQuery) -> None:
    """Wait until a stream has ended, in a way that Ctrl-C ends at once.

    Raises `StreamingQueryException`.
    """
    failed: list[Exception] = []
    ended = Event()

    def wait() -> None:
        try:
            query.awaitTermination()
        except Exception as error:
            failed.append(error)
        ended.set()

    Thread(target=wait, name="finale-watch", daemon=True).start()
    while not ended.wait(SECONDS_BETWEEN_LOOKS):
        pass
    if failed:
        raise failed[0]


def _order(plan: WatchPlan, kept: Path, batch: int) -> WatchOrder:
    return WatchOrder(str(kept / LOGS), batch, plan.setting)


def _batch(
    orders: Callable[[int], WatchOrder],
    kept: Path,
    journal: Journal,
    tell: Tell,
    far: WatchProgress,
    rows: DataFrame,
    batch: int,
) -> None:
    """One batch on Spark: workers judge, the driver tells."""
    frame: Any = rows  # of whose methods types are known in part
    found = frame.mapInArrow(partial(work, orders(batch)), TOLD).collect()
    _take(kept, journal, tell, far, (json_of(row["told"]) for row in found))


def _take(
    kept: Path,
    journal: Journal,
    tell: Tell,
    far: WatchProgress,
    rows: Iterable[Mapping[str, Any]],
) -> None:
    """Tell what a batch has found. A batch may be repeated; what it tells is not."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    for told in rows:
        journal.note_troubles(told["troubles"], now)
        for each in told["states"]:
            journal.note(each["word"], typed(JobVerdict, each["verdict"]), now)
        far.take(told)
    far.batches += 1
    far.jobs, far.findings = journal.jobs, journal.findings
    far.keep(kept / READ)
    tell(journal.tell(), far)


@contextmanager
def _kept(plan: WatchPlan) -> Generator[Path]:
    if plan.kept is not None:
        yield plan.kept.absolute()
        return
    with TemporaryDirectory(prefix="finale-watch-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def _identity(plan: WatchPlan) -> dict[str, object]:
    """Return the settings that must be equal to continue a watch."""
    return {
        "logs": str(plan.folder.absolute()),
        "tables": _digest(plan.setting.table),
        "levels": dict(plan.setting.levels),
        # Offsets of Spark are Spark's own.
        **({"by": "this process"} if plan.cluster is None else {}),
    }


def _digest(table: PatternTable) -> str:
    told = [table.engine, table.release, str(table.layouts)]
    told += [str({**asdict(each), "message": each.message.pattern}) for each in table.patterns]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def _ended(why: str, plan: WatchPlan) -> FinaleError:
    lines = [line.strip() for line in why.splitlines() if line.strip()]
    ours = next((line[line.index("error[") :] for line in lines if "error[" in line), None)
    further = "the same command with the same --resume goes on from where it was"
    return FinaleError(
        "watch-ended",
        f"Spark failed: {ours or (lines[0] if lines else 'it does not say why')}",
        place=Place(str(plan.folder)),
        advice=further if ours is None else "watch anew, with another folder for --resume",
    )
