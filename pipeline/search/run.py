"""Searches a spec in this process, and continues on Spark if the search outgrows the process.

A level of the search is one job with a task for each owner of states. States go from owner to owner
through files in a folder that driver and workers see; they are what makes a level durable, too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import perf_counter
from typing import TYPE_CHECKING

from finale.checker.search.distributed.bucket import LevelResult, LevelTask
from finale.checker.search.distributed.explored import Explored
from finale.checker.search.distributed.files import CLAIMS, SEARCH, Manifest, SearchFolder
from finale.checker.search.distributed.local import Local, hand_over
from finale.checker.search.distributed.program import program_of
from finale.checker.search.distributed.search import Spread
from finale.checker.search.limits import (
    Limits,
    ProgressListener,
    SearchProgress,
    TimeOver,
    check_witnesses,
    looking,
)
from finale.checker.search.native.machine import NativeMachine
from finale.checker.search.native.search import PREPARING, prepare, report_of
from finale.checker.search.native.support import why_not
from finale.checker.search.options import SearchOptions
from finale.checker.search.rows import SpecResult, result_of
from finale.checker.search.run import BUILDING, SECONDS_UNTOLD, chosen, nothing_searched
from finale.checker.search.verdict import Report
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError, Place
from finale.model.system import System
from finale.pipeline.search.work import work
from finale.pipeline.session import SparkCluster, frugal, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SECONDS_BETWEEN_REPORTS = 0.25


@dataclass(frozen=True)
class Tasks:
    """The tasks of the stages that run now, and how many of them are done, running, failed."""

    total: int
    done: int
    running: int
    failed: int
    seconds: float


@contextmanager
def watched(spark: SparkSession, tell: Callable[[Tasks], None]) -> Generator[None]:
    """Report the progress of Spark a few times a second, from a separate thread."""
    ended, began = Event(), perf_counter()
    tracker = spark.sparkContext.statusTracker()

    def watch() -> None:
        while not ended.wait(SECONDS_BETWEEN_REPORTS):
            stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
            known = [each for each in stages if each is not None]
            tell(
                Tasks(
                    sum(each.numTasks for each in known),
                    sum(each.numCompletedTasks for each in known),
                    sum(each.numActiveTasks for each in known),
                    sum(each.numFailedTasks for each in known),
                    perf_counter() - began,
                )
            )

    thread = Thread(target=watch, name="finale-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STARTING = "starting Spark"


@dataclass(frozen=True)
class SearchPlan:
    """The plan of a search that can continue on Spark.

    `folder` is where it is kept, and gone on from; without one it is gone with the search. It is
    outgrown when it has more states than `states_here`, or takes more memory than it may.
    `owners` is over how many tasks its states are spread: as many as Spark runs at once if None.
    """

    cluster: SparkCluster
    folder: Path | None = None
    states_here: int | None = None
    owners: int | None = None
    threads: int | None = None


def search(
    spec: Spec,
    plan: SearchPlan,
    limits: Limits | None = None,
    progress: ProgressListener | None = None,
    only: Collection[str] = (),
) -> SpecResult:
    """The result of a spec. Raises `needs-native`, `needs-folder`, and what searching raises."""
    limits = limits or Limits()
    check(plan)
    began = perf_counter()
    families = chosen(spec, only)
    system, doing = None, BUILDING
    try:
        system = spec.system(families, looking(limits, progress, BUILDING, SECONDS_UNTOLD))
        doing = PREPARING
        check_witnesses(system)
        left = limits.after(perf_counter() - began)
        with _folder(plan) as folder, folder.led():
            report = _searched(system, plan, folder, left, progress)
    except TimeOver:
        report = nothing_searched(limits.seconds_word, doing, families, began)
    return result_of(spec, system, report, only)


def check(plan: SearchPlan) -> None:
    """Raises `needs-native`, `needs-folder`."""
    if reason := why_not():
        raise FinaleError(
            "needs-native",
            f"a search on Spark needs machine code, and {reason}",
            advice="install what compiles machine code: see docs/limits.md",
        )
    if plan.folder is None and not plan.cluster.is_nearby:
        raise FinaleError(
            "needs-folder",
            f"the workers of {plan.cluster.master} cannot read folders of this machine",
            place=Place(key="--resume"),
            advice="name a folder of a network file system that all workers see: --resume FOLDER",
        )


@contextmanager
def _folder(plan: SearchPlan) -> Generator[SearchFolder]:
    if plan.folder is not None:
        yield SearchFolder(plan.folder.absolute())
        return
    with tempfile.TemporaryDirectory(prefix="finale-check-") as name:
        yield SearchFolder(Path(name) / "search")


def _searched(
    system: System,
    plan: SearchPlan,
    folder: SearchFolder,
    limits: Limits,
    progress: ProgressListener | None,
) -> Report:
    began = perf_counter()
    prepare(limits, progress)
    machine = NativeMachine(system)
    program = program_of(machine)
    manifest = folder.manifest(program.identity)
    if manifest is None:
        resume = None if plan.folder is None else folder.path / SEARCH
        options = SearchOptions(threads=plan.threads, resume=resume)
        local = Local(machine, limits, progress, options, plan.states_here)
        local.run()
        if not local.is_outgrown:
            return report_of(local)

        def begin(owners: int) -> Manifest:
            nonlocal local
            found = hand_over(local, folder, program, owners)
            del local  # what it took of memory, workers need
            return found
    else:

        def begin(owners: int) -> Manifest:
            del owners  # those that it began with
            assert manifest is not None
            return manifest

    limits = limits.after(perf_counter() - began)
    return _on_spark(machine, plan, folder, limits, progress, begin)


def _on_spark(
    machine: NativeMachine,
    plan: SearchPlan,
    folder: SearchFolder,
    limits: Limits,
    progress: ProgressListener | None,
    begin: Callable[[int], Manifest],
) -> Report:
    if progress is not None:
        progress(SearchProgress(0, 0, 0, 0, 0.0, before=STARTING))
    with session(frugal(plan.cluster), "finale check") as spark:
        slots = spark.sparkContext.defaultParallelism
        manifest = begin(plan.owners or slots)
        # The first search could be resumed until here; from here on the levels are.
        _forget(folder.path / SEARCH)
        spread = Spread(folder, manifest, limits, progress)
        spread.run(SparkCrew(spark, spread, slots))
    return Explored(machine, spread).report()


class SparkCrew:
    """A crew of Spark's workers: a level is a job."""

    def __init__(self, spark: SparkSession, spread: Spread, slots: int) -> None:
        self._spark, self._spread = spark, spread
        self._held_max = -(-spread.manifest.owners // slots)

    def __call__(self, order: LevelTask) -> Sequence[LevelResult]:
        folder, identity = self._spread.folder, self._spread.manifest.identity
        for claim in (folder.path / CLAIMS).iterdir():
            claim.unlink()
        task = partial(_work, str(folder.path), identity, order, self._held_max)
        context = self._spark.sparkContext
        with watched(self._spark, lambda _: self._spread.tell()):
            done = context.parallelize(range(order.owners), order.owners).mapPartitionsWithIndex(
                task
            )
            return sorted(done.collect(), key=lambda each: each.owner)


def _work(
    path: str, identity: str, order: LevelTask, held_max: int, task: int, _: object
) -> Generator[LevelResult]:
    yield from work(path, identity, order, held_max, task)


def _forget(folder: Path) -> None:
    for file in folder.iterdir() if folder.is_dir() else ():
        file.unlink()
    if folder.is_dir():
        folder.rmdir()
